"""Where the bytes of a file come from: a local file, or a server that answers range requests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

import httpx

from launch.gguf import GgufError
from launch.shards import is_url

ATTEMPTS = 4
"""Tries for one range; each resumes where the last one broke off."""
TIMEOUT_S = 30.0
MOVED = 20
"""Redirects followed: a hub sends each request on to a content network."""


class LocalFile:
    """A file on this machine."""

    def __init__(self, path: Path) -> None:
        self.name, self._path = str(path), path
        try:
            self.size = path.stat().st_size
            if not path.is_file():
                raise GgufError(f"{path}: is not a file")
        except OSError as error:
            raise GgufError(f"{path}: cannot be read: {error.strerror}") from error

    def read(self, offset: int, count: int) -> bytes:
        """Return up to `count` bytes from `offset`."""
        try:
            with self._path.open("rb") as file:
                file.seek(offset)
                return file.read(count)
        except OSError as error:
            raise GgufError(f"{self.name}: cannot be read: {error.strerror}") from error


class RemoteFile:
    """A file behind a URL, of which only the ranges asked for are transferred."""

    def __init__(self, url: str, client: httpx.Client) -> None:
        self.name, self._client = url, client
        self.transferred = 0
        self.size = 0
        self._first = self._range(0, 1 << 20)

    def read(self, offset: int, count: int) -> bytes:
        """Return up to `count` bytes from `offset`; a broken transfer is resumed."""
        if offset + count <= len(self._first):
            return self._first[offset : offset + count]
        return self._range(offset, count)

    def _range(self, offset: int, count: int) -> bytes:
        got = bytearray()
        for attempt in range(ATTEMPTS):
            try:
                self._append(got, offset, count)
            except httpx.TransportError as error:
                if attempt == ATTEMPTS - 1:
                    raise GgufError(
                        f"{self.name}: {type(error).__name__} after {ATTEMPTS} tries; try again"
                    ) from error
            else:
                break
        return bytes(got)

    def _append(self, got: bytearray, offset: int, count: int) -> None:
        """Add to `got` what is missing of the range, as far as the server sends it."""
        first, last = offset + len(got), offset + count - 1
        if self.size:
            last = min(last, self.size - 1)
        if first > last:
            return
        headers = {"Range": f"bytes={first}-{last}", "Accept-Encoding": "identity"}
        with self._client.stream("GET", self.name, headers=headers) as answer:
            self._learn(answer, first)
            for chunk in answer.iter_raw():
                self.transferred += len(chunk)
                got += chunk[: offset + count - first]
                if len(got) >= count:
                    del got[count:]
                    return

    def _learn(self, answer: httpx.Response, first: int) -> None:
        """Check that the server answered with the range, and note how long the file is."""
        if answer.status_code != httpx.codes.PARTIAL_CONTENT:
            if answer.status_code == httpx.codes.OK:
                page = "/blob/" in self.name
                fix = "write /resolve/ for /blob/" if page else "download the file instead"
                raise GgufError(f"{self.name}: the server ignores range requests; {fix}")
            raise GgufError(f"{self.name}: the server answers {answer.status_code}, not 206")
        said = answer.headers.get("content-range", "")
        span, _, total = said.removeprefix("bytes ").partition("/")
        if not total.isdecimal() or not span.startswith(f"{first}-"):
            raise GgufError(f"{self.name}: answers with the range {said!r}, not from {first}")
        self.size = int(total)


class Sources:
    """Opens files by path or URL; closes the connections when left."""

    def __init__(self, headers: Mapping[str, str] | None = None) -> None:
        self._client: httpx.Client | None = None
        self._headers = headers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client:
            self._client.close()

    def open(self, name: str) -> LocalFile | RemoteFile:
        """Open a local path or an http(s) URL."""
        if not is_url(name):
            return LocalFile(Path(name))
        if self._client is None:
            self._client = httpx.Client(
                follow_redirects=True,
                max_redirects=MOVED,
                timeout=TIMEOUT_S,
                headers=self._headers,
            )
        try:
            return RemoteFile(name, self._client)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.TooManyRedirects) as error:
            raise GgufError(f"{name}: cannot be fetched: {error}") from error

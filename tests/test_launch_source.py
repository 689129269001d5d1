import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from launch.gguf import GgufError
from launch.shards import read_weights
from launch.source import RemoteFile, Sources
from tests.gguf_files import Raw, gguf_bytes
from tests.tiny_moe import write_split


class Hub(BaseHTTPRequestHandler):
    """A hub that redirects to a content network, and misbehaves where the path says so."""

    files: dict[str, bytes]
    dropped: set[str]

    def do_GET(self) -> None:
        words = self.path.strip("/").split("/")
        if words[0] == "resolve":
            self._head(302, {"Location": "/cdn/" + words[-1]})
        elif words[0] == "missing":
            self._head(404, {})
        elif words[0] == "loop":
            self._head(302, {"Location": self.path})
        else:
            self._content(words[0], self.files[words[-1]])

    def _content(self, how: str, content: bytes) -> None:
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        piece = content[first : last + 1]
        if how == "whole":
            self._head(200, {"Content-Length": str(len(content))}, content[:100])
            return
        shift = 1 if how == "shifted" else 0
        span = f"bytes {first + shift}-{first + len(piece) - 1}/{len(content)}"
        sent = piece[: len(piece) // 2] if self._drops(how, first) else piece
        self._head(206, {"Content-Range": span, "Content-Length": str(len(piece))}, sent)

    def _drops(self, how: str, first: int) -> bool:
        if how == "broken":
            return True
        key = f"{self.path}:{first}"
        fresh = how == "flaky" and key not in self.dropped and first == 0
        self.dropped.add(key)
        return fresh

    def _head(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", "0")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    big = gguf_bytes({"k": 1}, [Raw("w", (1 << 21,), 0, 1 << 23)])
    parts = {path.name: path.read_bytes() for path in write_split(tmp_path, "m", 2)}
    Hub.files, Hub.dropped = {"big.gguf": big, **parts}, set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_split_parts_are_read_through_redirects(hub: str) -> None:
    with Sources() as sources:
        weights = read_weights(f"{hub}/resolve/m-00002-of-00002.gguf", sources.open)
    assert len(weights.files) == 2
    assert weights.architecture == "qwen3moe"


def test_only_the_head_of_a_big_file_is_transferred(hub: str) -> None:
    with Sources() as sources:
        file = sources.open(f"{hub}/cdn/big.gguf")
        assert isinstance(file, RemoteFile)
        assert file.size > 8 << 20
        assert file.transferred <= 1 << 20


@pytest.mark.parametrize("how", ["cdn", "flaky"])
def test_a_range_is_whole_even_if_the_connection_broke_off(hub: str, how: str) -> None:
    content = Hub.files["big.gguf"]
    with Sources() as sources:
        file = sources.open(f"{hub}/{how}/big.gguf")
        assert file.read(10, 100) == content[10:110]
        assert file.read((1 << 20) - 5, 5000) == content[(1 << 20) - 5 : (1 << 20) + 4995]
        assert file.read(len(content) - 7, 100) == content[-7:]
        assert file.read(len(content) + 7, 100) == b""


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("missing", "answers 404"),
        ("whole", "ignores range requests; download"),
        ("shifted", "answers with the range"),
        ("broken", "after 4 tries"),
        ("loop", "cannot be fetched"),
    ],
)
def test_a_server_that_does_not_serve_is_one_line(hub: str, how: str, told: str) -> None:
    with Sources() as sources, pytest.raises(GgufError, match=told) as caught:
        sources.open(f"{hub}/{how}/big.gguf").read(2 << 20, 10)
    assert "\n" not in str(caught.value)


def test_nobody_listening_is_one_line() -> None:
    with Sources() as sources, pytest.raises(GgufError, match="ConnectError after 4 tries"):
        sources.open("http://127.0.0.1:1/x.gguf")

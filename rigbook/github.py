"""A patient client of GitHub's REST and GraphQL: ETag cache, rate-limit waits, retries.

Nothing is kept that was not redacted first. The token comes from the environment alone.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from ingest.misuse import Misuse
from ingest.redact import redact

API = "https://api.github.com"
TIMEOUT_S = 30
TRIES = 5
FIRST_PAUSE_S = 1.0
MAX_WAIT_S = 3_700
"""GitHub's limit resets each hour."""

PER_PAGE = 100
MAX_BODY_BYTES = 20_000_000


class Post(NamedTuple):
    """One body or comment: its writer's public handle and when it was written."""

    author: str | None
    date: str
    body: str


class Thread(NamedTuple):
    """An issue or discussion with its comments, redacted."""

    repository: str
    number: int
    url: str
    title: str
    updated: str
    posts: tuple[Post, ...]


class Client:
    """Asks one API; `tell` gets a line for the person whenever there is a wait."""

    def __init__(
        self,
        api: str,
        token: str | None,
        cache: Path,
        tell: Callable[[str], None],
    ) -> None:
        """Set up a client whose cache lies in `cache`."""
        headers = {"accept": "application/vnd.github+json", "user-agent": "rigbook"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        self.token = token
        self.http = httpx.Client(base_url=api, headers=headers, timeout=TIMEOUT_S)
        self.cache = cache
        self.tell = tell

    def get(self, path: str, **params: str | int) -> Any:  # noqa: ANN401 - JSON
        """Get a document, from the cache when it has not changed; None when it is not there."""
        kept = self._kept(path, params)
        headers = {"if-none-match": kept["etag"]} if kept else {}
        answer = self._patiently("GET", path, params=params, headers=headers)
        if answer.status_code == httpx.codes.NOT_MODIFIED and kept:
            return kept["document"]
        if answer.status_code in (httpx.codes.NOT_FOUND, httpx.codes.GONE):
            return None
        document = _redacted(answer.json())
        if "etag" in answer.headers:
            self._keep(path, params, answer.headers["etag"], document)
        return document

    def pages(self, path: str, **params: str | int) -> Iterator[dict[str, Any]]:
        """Get every page of a list."""
        page = 1
        while True:
            found = self.get(path, **params, per_page=PER_PAGE, page=page)
            if found is None:
                raise Misuse(f"{path}: there is no such list; check the repository's name")
            yield from found
            if len(found) < PER_PAGE:
                return
            page += 1

    def query(self, text: str, **variables: str | int | None) -> Any:  # noqa: ANN401 - JSON
        """Ask GraphQL, which needs a token."""
        answer = self._patiently("POST", "/graphql", json={"query": text, "variables": variables})
        document = answer.json()
        if document.get("errors"):
            raise Misuse(f"GitHub refused the query: {document['errors'][0].get('message')}")
        return _redacted(document["data"])

    def _patiently(self, method: str, path: str, **more: Any) -> httpx.Response:  # noqa: ANN401 - httpx's own
        why = ""
        for attempt in range(TRIES):
            try:
                answer = self.http.request(method, path, **more)
                if answer.status_code < 300:
                    answer.json()
            except (httpx.TransportError, json.JSONDecodeError, UnicodeDecodeError) as error:
                why = f"{type(error).__name__}: {error}"
                self._pause(attempt, why)
                continue
            wait_s = _limited_s(answer)
            if wait_s is not None:
                until = time.strftime("%H:%M:%S", time.localtime(time.time() + wait_s))
                self.tell(f"rate limit: waiting {wait_s:.0f} s, until {until}")
                time.sleep(wait_s)
                why = "the rate limit held on"
            elif answer.status_code >= 500:
                why = f"HTTP {answer.status_code}"
                self._pause(attempt, why)
            else:
                _refuse(answer, path, self.token)
                return answer
        raise Misuse(f"{path}: gave up after {TRIES} tries ({why}); run it again to resume")

    def _pause(self, attempt: int, why: str) -> None:
        if attempt + 1 == TRIES:
            return
        wait_s = FIRST_PAUSE_S * 2**attempt
        self.tell(f"{why}: trying again in {wait_s:g} s")
        time.sleep(wait_s)

    def _place(self, path: str, params: dict[str, str | int]) -> Path:
        name = json.dumps([str(self.http.base_url), path, sorted(params.items())])
        return self.cache / f"{hashlib.sha256(name.encode()).hexdigest()}.json"

    def _kept(self, path: str, params: dict[str, str | int]) -> dict[str, Any] | None:
        try:
            kept = json.loads(self._place(path, params).read_text())
        except (OSError, ValueError):
            return None
        return kept if isinstance(kept, dict) and "etag" in kept else None

    def _keep(self, path: str, params: dict[str, str | int], etag: str, document: object) -> None:
        place = self._place(path, params)
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_suffix(".part")
        beside.write_text(json.dumps({"etag": etag, "document": document}))
        beside.replace(place)


def _redacted(document: Any) -> Any:  # noqa: ANN401 - JSON
    """Redact the texts that people wrote: bodies and titles, wherever they stand."""
    if isinstance(document, list):
        return [_redacted(one) for one in document]
    if isinstance(document, dict):
        return {
            key: redact(value).text
            if key in ("body", "title") and isinstance(value, str)
            else _redacted(value)
            for key, value in document.items()
        }
    return document


def _limited_s(answer: httpx.Response) -> float | None:
    """Tell how long the rate limit asks to wait; None when it does not."""
    if answer.status_code not in (403, 429):
        return None
    headers = answer.headers
    if headers.get("retry-after", "").isdecimal():
        return min(MAX_WAIT_S, float(headers["retry-after"]))
    if (
        headers.get("x-ratelimit-remaining") == "0"
        and headers.get("x-ratelimit-reset", "").isdecimal()
    ):
        return min(MAX_WAIT_S, max(0.0, float(headers["x-ratelimit-reset"]) - time.time()) + 0.1)
    return None


def _refuse(answer: httpx.Response, path: str, token: str | None) -> None:
    """Raise for an answer that trying again would not change."""
    code = answer.status_code
    if code == 401:
        raise Misuse("GitHub refused the token in GITHUB_TOKEN; renew it or unset it")
    if code == 403:
        hint = "" if token else "; set GITHUB_TOKEN to be let in"
        raise Misuse(f"{path}: GitHub forbids it{hint}")
    if 300 <= code < 500 and code not in (304, 404, 410):
        raise Misuse(f"{path}: HTTP {code}; check the repository's name")

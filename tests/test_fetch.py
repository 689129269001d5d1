"""Fetching threads from a local server that speaks REST and GraphQL as GitHub does."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rigbook import github
from rigbook.__main__ import main

ISSUE = {
    "number": 7,
    "html_url": "https://example.org/o/r/issues/7",
    "title": "[bench] a rig",
    "updated_at": "2026-09-02T00:00:00Z",
    "created_at": "2026-09-01T00:00:00Z",
    "user": {"login": "someone"},
    "comments": 1,
    "body": "my rig, models in /home/carol77/models\r\n",
}
COMMENT = {
    "user": {"login": "other"},
    "created_at": "2026-09-02T00:00:00Z",
    "body": "TOTAL | 100 / 150 | 67% | 1.00s | ok",
}
DISCUSSION = {
    "title": "numbers",
    "url": "https://example.org/o/r/discussions/9",
    "updatedAt": "2026-09-03T00:00:00Z",
    "createdAt": "2026-09-01T00:00:00Z",
    "body": "question",
    "author": {"login": "someone"},
}
Answer = tuple[int, dict[str, str], bytes]


class Server:
    """Answers from a table; `planned` answers come first, one a request."""

    def __init__(self) -> None:
        self.planned: list[Answer] = []
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.issues: dict[int, dict[str, Any]] = {7: dict(ISSUE)}

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        self.asked.append((path, headers))
        if self.planned:
            return self.planned.pop(0)
        if path == "/graphql":
            return self._discussion(json.loads(body))
        found = self._rest(path.partition("?")[0])
        if found is None:
            return 404, {}, b'{"message": "Not Found"}'
        content = json.dumps(found).encode()
        etag = f'"{hash(content)}"'
        if headers.get("if-none-match") == etag:
            return 304, {"etag": etag}, b""
        return 200, {"etag": etag}, content

    def _rest(self, path: str) -> object:
        if path == "/repos/o/r/issues":
            return [*self.issues.values(), {**ISSUE, "number": 99, "pull_request": {}}]
        parts = path.split("/")
        issue = self.issues.get(int(parts[5]))
        return [COMMENT] if issue and path.endswith("/comments") else issue

    def _discussion(self, asked: dict[str, Any]) -> Answer:
        after = asked["variables"]["after"]
        reply = {"body": f"reply to {after}", "createdAt": "2026-09-02", "author": None}
        node = {"body": f"page {after}", "createdAt": "2026-09-02", "author": {"login": "other"}}
        page = {
            "pageInfo": {"hasNextPage": after is None, "endCursor": "c1"},
            "nodes": [{**node, "replies": {"nodes": [reply]}}],
        }
        found = {"repository": {"discussion": {**DISCUSSION, "comments": page}}}
        return 200, {}, json.dumps({"data": found}).encode()


@pytest.fixture
def server() -> Iterator[tuple[Server, str]]:
    answers = Server()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            headers = {key.lower(): value for key, value in self.headers.items()}
            status, more, content = answers.answer(self.path, headers, self.rfile.read(size))
            self.send_response(status)
            for key, value in more.items():
                self.send_header(key, value)
            if "content-length" not in more:
                self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer  # noqa: N815 - the names that http.server calls

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    yield answers, f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    monkeypatch.setattr(github, "FIRST_PAUSE_S", 0.001)


def fetch(api: str, out: Path, *words: str) -> int:
    return main(["fetch", *words, "--api", api, "--out", str(out)])


def test_an_issue_is_written_with_its_comments_and_redacted(
    server: tuple[Server, str], tmp_path: Path
) -> None:
    assert fetch(server[1], tmp_path, "o/r#7") == 0
    text = (tmp_path / "o-r-7.md").read_text()
    assert text == (
        "my rig, models in /home/<USER>/models\n"
        "---- comment by other at 2026-09-02T00:00:00Z ----\n"
        "TOTAL | 100 / 150 | 67% | 1.00s | ok\n"
    )
    assert not any(
        "carol77" in path.read_text() for path in tmp_path.rglob("*.*") if path.is_file()
    )
    told = json.loads((tmp_path / "o-r-7.json").read_text())
    assert (told["url"], told["author"]) == ("example.org/o/r/issues/7", "someone")


def test_a_fetched_thread_is_read_under_its_address_and_writers(
    server: tuple[Server, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch(server[1], tmp_path, "o/r#7")
    capsys.readouterr()
    assert main(["read", str(tmp_path / "o-r-7.md"), "--json"]) == 0
    bundle = json.loads(capsys.readouterr().out)["bundles"][0]["bundle"]
    assert bundle["submitter"] == "other"
    assert bundle["sources"][0]["url"] == "example.org/o/r/issues/7"


def test_what_has_not_changed_is_not_sent_again(server: tuple[Server, str], tmp_path: Path) -> None:
    fetch(server[1], tmp_path, "o/r#7")
    first = (tmp_path / "o-r-7.md").read_text()
    asked = len(server[0].asked)
    assert fetch(server[1], tmp_path, "o/r#7") == 0
    assert (tmp_path / "o-r-7.md").read_text() == first
    assert all("if-none-match" in headers for _, headers in server[0].asked[asked:])


def test_a_label_brings_every_issue_and_resumes_where_it_stopped(
    server: tuple[Server, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers, api = server
    answers.issues[8] = {**ISSUE, "number": 8, "comments": 0}
    words = ("o/r", "--label", "bench-contribution", "--since", "2026-09-01")
    assert fetch(api, tmp_path, *words) == 0
    assert sorted(path.name for path in tmp_path.glob("*.md")) == ["o-r-7.md", "o-r-8.md"]
    assert "since=2026-09-01T00%3A00%3A00Z" in answers.asked[0][0]
    capsys.readouterr()
    answers.issues[8]["updated_at"] = "2026-09-09T00:00:00Z"
    assert fetch(api, tmp_path, *words) == 0
    assert "1 threads fetched" in capsys.readouterr().out


def test_a_label_of_no_repository_is_misuse(
    server: tuple[Server, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server[0].planned = [(404, {}, b"{}")]
    assert fetch(server[1], tmp_path, "o/r", "--label", "x") == 2
    assert "check the repository's name" in capsys.readouterr().err


def test_a_rate_limit_is_waited_for_and_told(
    server: tuple[Server, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reset = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()))}
    server[0].planned = [(403, reset, b"{}"), (429, {"retry-after": "0"}, b"{}")]
    assert fetch(server[1], tmp_path, "o/r#7") == 0
    assert capsys.readouterr().err.count("rate limit: waiting") == 2


def test_server_errors_and_cut_bodies_are_tried_again(
    server: tuple[Server, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server[0].planned = [
        (502, {}, b"bad gateway"),
        (200, {"content-length": "5000"}, b'{"number": 7, "bo'),
        (200, {}, b'{"number": 7, "bo'),
    ]
    assert fetch(server[1], tmp_path, "o/r#7") == 0
    assert capsys.readouterr().err.count("trying again") == 3


def test_it_gives_up_with_the_remedy(
    server: tuple[Server, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server[0].planned = [(500, {}, b"")] * 9
    assert fetch(server[1], tmp_path, "o/r#7") == 2
    assert "run it again to resume" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.md"))


@pytest.mark.parametrize("status", [401, 403, 418])
def test_a_refusal_is_not_tried_again(
    status: int, server: tuple[Server, str], tmp_path: Path
) -> None:
    server[0].planned = [(status, {}, b"{}")]
    assert fetch(server[1], tmp_path, "o/r#7") == 2
    assert len(server[0].asked) == 1


def test_a_discussion_needs_a_token_and_says_so(
    server: tuple[Server, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch(server[1], tmp_path, "o/r#9") == 2
    assert "set GITHUB_TOKEN" in capsys.readouterr().err


def test_a_discussion_is_fetched_with_all_pages_and_replies(
    server: tuple[Server, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "t0ken")
    assert fetch(server[1], tmp_path, "o/r#9") == 0
    text = (tmp_path / "o-r-9.md").read_text()
    for part in ("question", "page None", "reply to None", "page c1", "comment by another user"):
        assert part in text
    assert server[0].asked[-1][1]["authorization"] == "Bearer t0ken"
    assert not any("t0ken" in path.read_text() for path in tmp_path.rglob("*.*") if path.is_file())


@pytest.mark.parametrize("words", [["o/r"], ["o/r#7", "--label", "x"], ["no target"]])
def test_an_unclear_request_is_misuse(words: list[str], tmp_path: Path) -> None:
    assert fetch("http://127.0.0.1:9", tmp_path, *words) == 2


def test_read_fetches_a_threads_posts_not_its_page(
    server: tuple[Server, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIGBOOK_GITHUB_API", server[1])
    assert main(["read", "https://github.com/o/r/issues/7#issuecomment-1", "--json"]) == 0
    bundle = json.loads(capsys.readouterr().out)["bundles"][0]["bundle"]
    assert bundle["runs"][0]["quality"][0]["passed"] == 100

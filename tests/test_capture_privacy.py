"""Nothing but the bundle leaves the machine: connections are watched, texts searched."""

import getpass
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capture.process import public_argv
from capture.report import public_lines
from rigbook.__main__ import main

Start = Callable[[Any], Any]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
SECRET = "hf_abcdefghijklmnopqrstuvwxyz0123456789"  # noqa: S105 - invented
HOSTILE = "<script>alert(1)</script>\x1b[2J'; DROP TABLE runs; --"


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, int]]:
    """Watch every connection that this process opens, and refuse those that leave the machine."""
    seen: set[tuple[str, int]] = set()
    real = socket.socket.connect

    def watched(self: socket.socket, address: Any) -> None:  # noqa: ANN401 - of any family
        if isinstance(address, tuple):
            seen.add((str(address[0]), int(address[1])))
            assert address[0] in ("127.0.0.1", "::1"), f"a connection to {address} was opened"
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", watched)
    return seen


def served(_path: str, body: dict[str, Any]) -> list[bytes | float]:
    delta = {"choices": [{"delta": {"content": HOSTILE}}]}
    last = {
        "choices": [{"delta": {}, "finish_reason": "length"}],
        "usage": {"completion_tokens": body["max_tokens"], "prompt_tokens": 12},
    }
    return [HEAD, b"data: " + json.dumps(delta).encode() + b"\n\n", 0.3,
            b"data: " + json.dumps(delta).encode() + b"\n\n",
            b"data: " + json.dumps(last).encode() + b"\n\ndata: [DONE]\n\n"]  # fmt: skip


def test_capture_opens_no_connection(tmp_path: Path, connected: set[tuple[str, int]]) -> None:
    assert main(["capture", "--out", str(tmp_path / "run"), "--no-bandwidth"]) == 0
    assert connected == set()


def test_bench_talks_to_the_server_alone_and_submit_to_nobody_before_its_last_step(
    fake_server: Start, tmp_path: Path, connected: set[tuple[str, int]]
) -> None:
    server = fake_server(served)
    out = str(tmp_path / "run")
    assert main(["bench", server.url, "--quick", "--out", out]) == 0
    port = int(server.url.rpartition(":")[2])
    assert connected == {("127.0.0.1", port)}
    assert main(["submit", out, "--dry-run"]) == 0
    assert connected == {("127.0.0.1", port)}


def test_requests_hold_prompts_of_ours_and_nothing_of_the_machine(
    fake_server: Start, tmp_path: Path
) -> None:
    server = fake_server(served)
    main(["bench", server.url, "--quick", "--out", str(tmp_path / "run")])
    sent = json.dumps(server.bodies)
    for name in (os.uname().nodename, str(tmp_path), str(Path.home())):
        assert name not in sent


def test_what_a_server_says_is_cut_escaped_and_never_sent_back(
    fake_server: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = fake_server(served)
    server.models = json.dumps({"data": [{"id": HOSTILE * 50}]}).encode()
    server.pages["/props"] = json.dumps({"model_path": f"/home/bob/{HOSTILE}"}).encode()
    out = tmp_path / "run"
    assert main(["bench", server.url, "--quick", "--out", str(out)]) == 0
    assert main(["submit", str(out), "--dry-run"]) == 0
    assert "<script" not in (out / "preview.html").read_text()
    told = capsys.readouterr()
    assert "\x1b" not in told.out + told.err
    (report,) = out.rglob("report.json")
    assert "bob" not in report.read_text()
    asked = [body["messages"] for body in server.bodies]
    assert "script" not in json.dumps(asked)


def test_a_model_that_is_named_by_its_path_is_asked_by_it_and_published_without(
    fake_server: Start, tmp_path: Path
) -> None:
    server, out = fake_server(served), tmp_path / "run"
    server.models = b'{"data": [{"id": "/srv/secret-project/gpt-oss-20b"}]}'
    assert main(["bench", server.url, "--quick", "--out", str(out)]) == 0
    assert server.bodies[0]["model"] == "/srv/secret-project/gpt-oss-20b"
    assert all("secret-project" not in path.read_text() for path in out.rglob("*.json*"))


def test_answers_are_measured_and_not_kept(fake_server: Start, tmp_path: Path) -> None:
    out = tmp_path / "run"
    main(["bench", fake_server(served).url, "--quick", "--out", str(out)])
    assert "DROP TABLE" not in (out / "journal.jsonl").read_text()


def test_keys_and_folders_in_arguments_are_not_published() -> None:
    argv = ["/opt/llama/llama-server", "-m", "/home/bob/models/x.gguf", "--api-key", "abc",
            "--hf-token=xyz", "-t", "8"]  # fmt: skip
    assert public_argv(argv) == (
        "llama-server", "-m", "x.gguf", "--api-key", "<SECRET>", "--hf-token=<SECRET>", "-t", "8",
    )  # fmt: skip


def test_names_of_the_host_and_tokens_are_taken_out_of_the_journal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "bobsbox", "6", "1", "x")))
    monkeypatch.setattr(getpass, "getuser", lambda: "robertus")
    text, taken = public_lines([
        {"kind": "run", "argv": ["--alias", "bobsbox", "-m", "/home/robertus/x", SECRET]},
        {"kind": "doubt", "text": "robertus at bobsbox"},
    ])  # fmt: skip
    assert not any(name in text for name in ("bobsbox", "robertus", SECRET))
    assert {one.line for one in taken} == {1, 2}
    assert [json.loads(line)["kind"] for line in text.splitlines()] == ["run", "doubt"]

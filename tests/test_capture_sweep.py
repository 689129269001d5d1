import shlex
import sys
from datetime import date
from pathlib import Path

import pytest

from capture.arms import Arm, verdict
from capture.bench import Options, Timing
from capture.client import Target, Timeouts
from capture.endpoint import Unusable
from capture.journal import Journal
from capture.report import drafted
from capture.sweep import booted, order, parse_sweep, run_sweep
from ingest.catalog import Catalog
from ingest.misuse import Misuse

COMMAND = "llama-server -t {threads}"
LOG = Path("server.log")

SERVER = """
import json, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def tell(self, kind, content):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(content)
    def do_GET(self):
        if self.path == "/v1/models":
            self.tell("application/json", json.dumps({"data": [{"id": "tiny"}]}).encode())
        else:
            self.send_error(404)
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        piece = b'data: {"choices": [{"delta": {"content": "a"}}]}\\n\\n'
        last = {"choices": [{"delta": {}, "finish_reason": "length"}],
                "usage": {"completion_tokens": body["max_tokens"], "prompt_tokens": 9}}
        self.tell("text/event-stream", piece)
        time.sleep(0.02)
        self.wfile.write(piece + b"data: " + json.dumps(last).encode() + b"\\n\\n")
        self.wfile.write(b"data: [DONE]\\n\\n")

if sys.argv[2] == "3":
    sys.exit("three threads are too many")
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture
def target(unused_port: int) -> Target:
    return Target(f"http://127.0.0.1:{unused_port}")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("threads=8..32", (8, 12, 16, 20, 24, 28, 32)),
        ("threads=1..3", (1, 2, 3)),
        ("threads=8..32:8", (8, 16, 24, 32)),
        ("threads=16,8,16", (16, 8)),
        ("threads=4..4", (4,)),
    ],
)
def test_values_are_a_range_or_a_list(text: str, values: tuple[int, ...]) -> None:
    assert parse_sweep(text, COMMAND, 2, LOG).values == values


@pytest.mark.parametrize(
    ("text", "command", "boots"),
    [
        ("cores=1..2", COMMAND, 2),
        ("threads=2", "llama-server", 2),
        ("threads=2", None, 2),
        ("threads=9..2", COMMAND, 2),
        ("threads=", COMMAND, 2),
        ("threads=1;rm", COMMAND, 2),
        ("threads=2", COMMAND, 1),
    ],
)
def test_a_sweep_that_makes_no_sense_is_misuse(text: str, command: str | None, boots: int) -> None:
    with pytest.raises(Misuse):
        parse_sweep(text, command, boots, LOG)


def test_arms_are_interleaved_there_and_back() -> None:
    sweep = parse_sweep("threads=1,2,3", COMMAND, 2, LOG)
    assert list(order(sweep)) == [(1, 1), (2, 1), (3, 1), (3, 2), (2, 2), (1, 2)]


def test_each_arm_is_booted_twice_and_one_that_fails_does_not_end_the_sweep(
    target: Target, tmp_path: Path, catalog: Catalog
) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    port = target.url.rpartition(":")[2]
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} {port} {{threads}}"
    sweep = parse_sweep("threads=1,3", command, 2, tmp_path / "server.log")
    journal = Journal(tmp_path / "journal.jsonl")
    options = Options(prefill=False, runs=(1, 1))
    ended = run_sweep(sweep, target, journal, options, Timing({"*": Timeouts(2, 2, 2, 9)}))
    assert [line["run"] for line in journal.of("run")] == [
        "threads-1-boot-1", "threads-3-boot-1", "threads-3-boot-2", "threads-1-boot-2",
    ]  # fmt: skip
    assert [line["load_s"] > 0 for line in journal.of("boot")] == [True, True]
    failed = [one for one in ended if one.stage == "boot"]
    assert len(failed) == 2
    assert "the server ended with code 1" in str(failed[0].reason)
    assert "three threads are too many" in (tmp_path / "server.log").read_text()
    runs = drafted(journal.lines, catalog, date(2026, 12, 1)).bundle.runs
    assert [run.outcome.state for run in runs] == ["ok", "failed", "failed", "ok"]
    assert runs[1].launch.argv
    again = len(journal.lines)
    assert run_sweep(sweep, target, journal, options, Timing({})) == []
    assert len(journal.lines) == again, "what ended is not booted again"


def test_a_program_that_is_not_there_is_told(target: Target, tmp_path: Path) -> None:
    with (
        pytest.raises(Unusable, match="no-such-server does not start"),
        booted(["no-such-server"], target, tmp_path / "log"),
    ):
        pass


def test_a_server_that_runs_already_is_not_swept(fake_server: object, tmp_path: Path) -> None:
    start = fake_server
    server = start(lambda *_: [])  # type: ignore[operator]
    with (
        pytest.raises(Unusable, match=r"answers at .* already"),
        booted(["true"], Target(server.url), tmp_path / "log"),
    ):
        pass


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        ([Arm(8, (10.0, 10.2)), Arm(16, (12.0, 12.1))], "best 16: its worst boot beats every"),
        ([Arm(8, (10.0, 12.0)), Arm(16, (11.0, 12.1))], "best 16, but boots overlap with 8"),
        ([Arm(8, (10.0, 10.2))], "one arm alone says nothing"),
    ],
)
def test_the_best_arm_is_named_only_beyond_chance(arms: list[Arm], said: str) -> None:
    assert verdict(arms).startswith(said)

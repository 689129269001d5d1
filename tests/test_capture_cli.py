"""Capture → bench → bundle → check → load by the command line, against a local server."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rigbook.__main__ import main

ROOT = Path(__file__).parents[1]
Start = Callable[[Any], Any]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
PIECE = b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'


def served(_path: str, body: dict[str, Any]) -> list[bytes | float]:
    last = {
        "choices": [{"delta": {}, "finish_reason": "length"}],
        "usage": {"completion_tokens": body["max_tokens"], "prompt_tokens": 12},
    }
    ended = b"data: " + json.dumps(last).encode() + b"\n\ndata: [DONE]\n\n"
    return [HEAD, PIECE, 0.3, PIECE, ended]


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "rigbook", *words]


ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"}


def test_a_bench_becomes_rows_of_the_database(
    fake_server: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server, out = fake_server(served), tmp_path / "run"
    server.models = b'{"data": [{"id": "Qwen3-30B-A3B-Q4_K_M.gguf"}]}'
    assert main(["bench", server.url, "--quick", "--out", str(out)]) == 0
    shutil.copytree(ROOT / "data/catalog", tmp_path / "data/catalog")
    shutil.copytree(out / "bundle", tmp_path / "data/reports")
    assert main(["check", str(tmp_path / "data")]) == 0
    db = str(tmp_path / "x.duckdb")
    assert main(["load", "--data", str(tmp_path / "data"), "--db", db]) == 0
    capsys.readouterr()
    sql = (
        "SELECT model, quant, protocol, how FROM measurements JOIN runs USING (run_id)"
        " WHERE quantity = 'decode' AND workload = 'code'"
    )
    assert main(["query", sql, "--json", "--db", db]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"model": "qwen3-30b-a3b", "quant": "Q4_K_M", "protocol": "rigbook-quick",
         "how": "measured"},
    ]  # fmt: skip


def test_the_answer_is_a_card_or_one_document(
    fake_server: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = fake_server(served)
    words = ["bench", server.url, "--quick", "--out"]
    assert main([*words, str(tmp_path / "a")]) == 0
    told = capsys.readouterr()
    assert "[rigbook-quick]" in told.out
    assert "next: rigbook submit" in told.out
    assert main([*words, str(tmp_path / "b"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "rigbook.bench/1"
    assert {finding["name"] for finding in document["integrity"]["main"]} >= {"status", "swap"}


def test_pasted_text_of_root_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "dmi.txt"
    text.write_text("Memory Device\n\tSize: 32 GB\n\tType: DDR5\n\tLocator: DIMM_A1\n")
    words = ["capture", "--no-bandwidth", "--json", "--dmidecode", str(text)]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    bundle = json.loads(capsys.readouterr().out)["bundle"]
    assert bundle["rig"]["memory"]["dimms"] == "1× 32 GiB"
    assert bundle["provenance"]["/rig/memory/dimms"]["how"] == "reported"


def test_a_run_is_not_written_over(fake_server: Start, tmp_path: Path) -> None:
    server, out = fake_server(served), str(tmp_path / "run")
    assert main(["bench", server.url, "--quick", "--out", out]) == 0
    assert main(["bench", server.url, "--quick", "--out", out]) == 2
    assert main(["bench", server.url, "--quick", "--out", out, "--resume"]) == 0


@pytest.mark.parametrize(
    "words",
    [
        ["localhost:8080"],
        ["http://192.0.2.7:8080"],
        ["http://127.0.0.1:8080", "--timeout", "first"],
        ["http://127.0.0.1:8080", "--timeout", "first=0"],
        ["http://127.0.0.1:8080", "--room", "-5"],
        ["http://127.0.0.1:8080", "--api-key-file", "nowhere"],
        ["http://127.0.0.1:8080", "--dmidecode", "nowhere"],
    ],
)
def test_what_cannot_be_meant_is_misuse(words: list[str], tmp_path: Path) -> None:
    assert main(["bench", *words, "--out", str(tmp_path / "run")]) == 2


def test_a_server_that_is_not_there_is_one_line(
    tmp_path: Path, unused_port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"http://127.0.0.1:{unused_port}"
    assert main(["bench", url, "--quick", "--out", str(tmp_path / "run")]) == 1
    assert "is the server up" in capsys.readouterr().err


def test_ctrl_c_keeps_what_was_measured_and_resume_finishes_it(
    fake_server: Start, tmp_path: Path
) -> None:
    server, out = fake_server(served), tmp_path / "run"
    words = command("bench", server.url, "--no-prefill", "--no-bandwidth", "--out", str(out))
    with subprocess.Popen(words, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as running:  # fmt: skip
        deadline = time.monotonic() + 60
        while len(server.bodies) < 11 and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "--resume continues" in said
    (report,) = out.rglob("report.json")
    assert json.loads(report.read_text())["runs"][0]["outcome"]["state"] == "partial"
    again = subprocess.run([*words, "--resume"], env=ENVIRONMENT, capture_output=True, text=True,
                           timeout=120, check=True)  # fmt: skip
    assert "(n 5)  [club-canonical]" in again.stdout


def test_a_stage_that_fails_exits_1_and_still_gives_a_bundle(
    fake_server: Start, tmp_path: Path
) -> None:
    def broken(_path: str, _body: dict[str, Any]) -> list[bytes | float]:
        return [b"HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\noom"]

    out = tmp_path / "run"
    assert main(["bench", fake_server(broken).url, "--quick", "--out", str(out)]) == 1
    (report,) = out.rglob("report.json")
    run = json.loads(report.read_text())["runs"][0]
    assert run["outcome"]["state"] == "failed"
    assert "HTTP 500" in run["outcome"]["reason"]

"""Logs and answers of llama.cpp's server and command line."""

import json

from ingest.bundle import Drafter
from tests.reading import Reader, sample


def test_drafts_are_only_there_when_something_was_drafted(reading: Reader) -> None:
    answer = json.loads(sample("llama-server-answer.json"))
    (run,) = reading(json.dumps(answer)).understood[0].bundle.runs
    assert isinstance(run.launch.drafter, Drafter)
    del answer["timings"]["draft_n"], answer["timings"]["draft_n_accepted"]
    (run,) = reading(json.dumps(answer)).understood[0].bundle.runs
    assert run.launch.drafter is None
    assert [m.quantity for m in run.measurements] == ["decode", "prefill"]


def test_a_command_line_beside_a_log_names_the_launch(reading: Reader) -> None:
    command = (
        "./llama-server -m /models/x/Qwen3-30B-A3B-Q4_K_M.gguf \\\n  -t 12 -ncmoe 20 -c 8192\n"
    )
    (run,) = reading(command + sample("llama-cli-chat.txt")).understood[0].bundle.runs
    assert (run.launch.threads, run.launch.ctx) == (12, 8192)
    assert run.weights.model == "qwen3-30b-a3b"
    prose = reading("I ran llama-server -t 12 I think\n" + sample("llama-cli-chat.txt"))
    assert prose.understood[0].bundle.runs[0].launch.threads is None

"""What holds while the other formats are read; their figures are held by the truth files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.bundle import Drafter, Source
from ingest.catalog import Catalog
from ingest.readers.reader import read
from ingest.readers.reading import Reading

SAMPLES = Path(__file__).parent / "reports/samples"
REPORT = (SAMPLES.parent / "rig-report.md").read_text()
Reader = Callable[[str], Reading]


@pytest.fixture
def reading(catalog: Catalog) -> Reader:
    return lambda text: read(text, Source(kind="file", url="pasted"), catalog)


def sample(name: str) -> str:
    return (SAMPLES / name).read_text()


def quantities(one: Reading) -> list[str]:
    return [m.quantity for u in one.understood for run in u.bundle.runs for m in run.measurements]


def test_prompt_and_generation_in_one_rate_is_neither(reading: Reader) -> None:
    one = reading(sample("llama-bench-offload.md"))
    assert quantities(one) == ["prefill", "decode", "decode"]
    assert any("neither decode nor prefill" in problem.message for problem in one.problems)


def test_a_sweep_over_one_field_is_a_series(reading: Reader) -> None:
    runs = reading(sample("llama-bench-offload.md")).understood[0].bundle.runs
    assert [run.series.axis if run.series else None for run in runs] == ["threads", "threads"]
    single = sample("llama-bench-offload.md").replace("|      16 |", "|      12 |")
    (run,) = reading(single).understood[0].bundle.runs
    assert run.series is None


@pytest.mark.parametrize("cell", ["17.62 +/- 0.08", "17.62", "**17.62 ± 0.08**", "17,62 ± 0,08"])
def test_retyped_rates_are_read(cell: str, reading: Reader) -> None:
    text = sample("llama-bench-offload.md").replace("17.62 ± 0.08", cell)
    values = [m.value for m in reading(text).understood[0].bundle.runs[0].measurements]
    assert values == [211.40, 17.62]


@pytest.mark.parametrize("cell", ["n/a", "inf", "-nan", "fast"])
def test_what_is_no_rate_is_none(cell: str, reading: Reader) -> None:
    text = sample("llama-bench-offload.md").replace("17.62 ± 0.08", cell)
    assert quantities(reading(text)).count("decode") == 1


def test_fewer_experts_than_the_default_are_marked(reading: Reader) -> None:
    rows = json.loads(sample("llama-bench-rows.json"))
    rows[0]["ser"] = "4,1"
    run = reading(json.dumps(rows)).understood[0].bundle.runs[0]
    assert "fewer experts" in run.anomalies[0].what
    assert run.engine.name == "ik_llama.cpp"
    rows[0]["ser"] = "-1,0"
    assert reading(json.dumps(rows)).understood[0].bundle.runs[0].anomalies == ()


def test_a_cut_off_document_gives_its_whole_rows(reading: Reader) -> None:
    rows = json.loads(sample("llama-bench-rows.json"))
    text = json.dumps([rows[0], {**rows[0], "n_depth": 0}])
    assert len(quantities(reading(text))) == 2
    assert len(quantities(reading(text[:-20]))) == 1


def test_rows_one_a_line_and_in_a_fence_are_the_same(reading: Reader) -> None:
    row = json.dumps(json.loads(sample("llama-bench-rows.json"))[0])
    fenced = reading(f"Look:\n```json\n{row}\n{row.replace('8192', '0')}\n```\n")
    assert quantities(fenced) == ["decode", "decode"]
    lines = [m.evidence.line for m in fenced.understood[0].bundle.runs[0].measurements]
    assert lines == [3, 4]


def test_a_batched_sum_is_no_decode_rate(reading: Reader) -> None:
    one = reading(sample("batched-bench.md"))
    assert quantities(one) == ["decode", "prefill", "aggregate"]


def test_drafts_are_only_there_when_something_was_drafted(reading: Reader) -> None:
    answer = json.loads(sample("llama-server-answer.json"))
    (run,) = reading(json.dumps(answer)).understood[0].bundle.runs
    assert isinstance(run.launch.drafter, Drafter)
    del answer["timings"]["draft_n"], answer["timings"]["draft_n_accepted"]
    (run,) = reading(json.dumps(answer)).understood[0].bundle.runs
    assert run.launch.drafter is None
    assert [m.quantity for m in run.measurements] == ["decode", "prefill"]


def test_a_log_of_busy_windows_gives_no_decode_rate(reading: Reader) -> None:
    busy = sample("vllm.log").replace("Running: 1 reqs", "Running: 3 reqs")
    one = reading(busy)
    assert "decode" not in quantities(one)
    assert any("no decode rate" in problem.message for problem in one.problems)


def test_at_several_streams_the_time_per_token_is_no_decode_rate(reading: Reader) -> None:
    result = json.loads(sample("vllm-bench.json"))
    assert "decode" in quantities(reading(json.dumps(result)))
    result["max_concurrency"] = 4
    told = quantities(reading(json.dumps(result)))
    assert "decode" not in told
    assert "aggregate" in told


def test_hardware_beside_a_report_fills_what_the_report_lacks(reading: Reader) -> None:
    bare = "\n".join(line for line in REPORT.split("\n") if "Memory c" not in line)
    one = reading(f"{bare}\n---- comment ----\n{sample('hardware.txt')}")
    memory = one.understood[0].bundle.rig.memory
    assert (memory.mts, memory.dimms) == (2933, "2x16GB")
    assert memory.gib == 125.7
    assert {figure.method for figure in memory.bandwidth} >= {"triad-v2", "stream"}


def test_an_empty_slot_is_no_module_and_its_channel_is_missing(reading: Reader) -> None:
    memory = reading(sample("hardware.txt")).understood[0].bundle.rig.memory
    assert (memory.gib, memory.channels_populated, memory.channels_total) == (32, 2, 3)
    full = sample("hardware.txt").replace("No Module Installed", "16 GB")
    memory = reading(full).understood[0].bundle.rig.memory
    assert (memory.gib, memory.channels_populated) == (48, 3)


def test_lshw_gives_the_rated_speed_as_inferred(reading: Reader) -> None:
    text = (
        "  *-memory\n     *-bank:0\n          description: DIMM DDR4 3200 MHz (0.3 ns)\n"
        "          slot: DIMM_A1\n          size: 32GiB\n          clock: 3200MHz (0.3ns)\n"
        "     *-bank:1\n          description: DIMM [empty]\n          slot: DIMM_A2\n"
    )
    bundle = reading(text).understood[0].bundle
    assert (bundle.rig.memory.gib, bundle.rig.memory.dimms) == (32, "1x32GB")
    assert bundle.provenance["/rig/memory/mts"].how == "inferred"


def test_quality_scores_keep_the_thinking_mode(reading: Reader) -> None:
    on, off = (
        reading(sample("quality-pack.md").replace("thinking on", f"thinking {mode}"))
        for mode in ("on", "off")
    )
    assert {q.thinking for q in on.understood[0].bundle.runs[0].quality} == {True}
    assert {q.thinking for q in off.understood[0].bundle.runs[0].quality} == {False}


def test_a_skipped_pack_has_no_score(reading: Reader) -> None:
    text = sample("quality-pack.md").replace("900.00s | ok", "900.00s | skipped")
    scores = reading(text).understood[0].bundle.runs[0].quality
    assert [score.pack for score in scores] == ["toolcall-15", "total"]
    assert scores[-1].skipped == 1


def test_a_command_line_beside_a_log_names_the_launch(reading: Reader) -> None:
    command = (
        "./llama-server -m /models/x/Qwen3-30B-A3B-Q4_K_M.gguf \\\n  -t 12 -ncmoe 20 -c 8192\n"
    )
    (run,) = reading(command + sample("llama-cli-chat.txt")).understood[0].bundle.runs
    assert (run.launch.threads, run.launch.ctx) == (12, 8192)
    assert run.weights.model == "qwen3-30b-a3b"
    prose = reading("I ran llama-server -t 12 I think\n" + sample("llama-cli-chat.txt"))
    assert prose.understood[0].bundle.runs[0].launch.threads is None

"""llama-bench: rows as tables, CSV, JSON and SQL."""

import json

import pytest

from tests.reading import Reader, quantities, sample


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

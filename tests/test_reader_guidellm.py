"""GuideLLM's report and LocalScore's upload."""

import json

import pytest

from tests.reading import Reader, measured, runs_of, sample


def test_each_benchmark_of_a_report_points_at_its_own_lines(reading: Reader) -> None:
    told = json.loads(sample("guidellm.json"))
    slow = json.loads(json.dumps(told["benchmarks"][0]).replace("25.0", "50.0"))
    text = json.dumps({**told, "benchmarks": [told["benchmarks"][0], slow]}, indent=1)
    decodes = [m for m in measured(reading(text)) if m.quantity == "decode"]
    assert [(m.value, m.protocol) for m in decodes] == [(40, "guidellm"), (20, "guidellm")]
    lines = text.split("\n")
    for m in decodes:
        assert m.evidence.line
        assert "inter_token_latency_ms" in lines[m.evidence.line - 1]
    assert len({m.evidence.line for m in decodes}) == 2


def test_the_same_key_in_the_settings_is_not_the_benchmarks(reading: Reader) -> None:
    told = json.loads(sample("guidellm.json"))
    text = json.dumps({"config": {"benchmarks": [{"n": 1}]}, **told}, indent=1)
    assert [m.value for m in measured(reading(text))] == [40, 210.5]


def test_several_streams_give_a_sum_and_no_decode_rate(reading: Reader) -> None:
    text = sample("guidellm.json").replace('{"mean": 1.0}', '{"mean": 7.5}')
    assert [m.quantity for m in measured(reading(text))] == ["ttft", "aggregate"]


def test_each_result_of_an_upload_points_at_its_own_lines(reading: Reader) -> None:
    told = json.loads(sample("localscore.json"))
    longer = {**told["results"][0], "n_prompt": 2048, "gen_tps": 19.5}
    text = json.dumps({**told, "results": [told["results"][0], longer]}, indent=1)
    decodes = [m for m in measured(reading(text)) if m.quantity == "decode"]
    assert [(m.value, m.prompt_tokens) for m in decodes] == [(21.25, 1024), (19.5, 2048)]
    lines = text.split("\n")
    told_lines = [lines[m.evidence.line - 1].strip(" ,") for m in decodes if m.evidence.line]
    assert told_lines == ['"gen_tps": 21.25', '"gen_tps": 19.5']


@pytest.mark.parametrize("name", ["llamafile", "somefile"])
def test_an_unknown_runtime_keeps_its_spelling_and_version(name: str, reading: Reader) -> None:
    (run,) = runs_of(reading(sample("localscore.json").replace("llamafile", name)))
    assert (run.engine.name, run.engine.spelled, run.engine.build) == (None, name, "0.9.2")

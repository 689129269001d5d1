"""llama-benchy's table and JSON."""

import json

from tests.reading import Reader, measured, sample


def test_each_benchmark_points_at_its_own_lines(reading: Reader) -> None:
    told = json.loads(sample("llama-benchy.json"))
    deep = {**told["benchmarks"][0], "context_size": 8192}
    text = json.dumps({**told, "benchmarks": [told["benchmarks"][0], deep]}, indent=1)
    decodes = [m for m in measured(reading(text)) if m.quantity == "decode"]
    assert [m.context_tokens for m in decodes] == [4096, 8192]
    lines = text.split("\n")
    for m in decodes:
        assert m.evidence.line
        assert "tg_throughput" in lines[m.evidence.line - 1]
    assert len({m.evidence.line for m in decodes}) == 2


def test_a_row_of_several_streams_keeps_their_count(reading: Reader) -> None:
    row = sample("llama-benchy.md").replace("| tg32 |", "| tg32 (c2) |")
    streams = [m.streams for m in measured(reading(row)) if m.quantity == "decode"]
    assert sorted(streams, key=str) == [1, 2]

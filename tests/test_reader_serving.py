"""`vllm bench serve` and its like."""

import json

from tests.reading import Reader, quantities, sample


def test_at_several_streams_the_time_per_token_is_no_decode_rate(reading: Reader) -> None:
    result = json.loads(sample("vllm-bench.json"))
    assert "decode" in quantities(reading(json.dumps(result)))
    result["max_concurrency"] = 4
    told = quantities(reading(json.dumps(result)))
    assert "decode" not in told
    assert "aggregate" in told

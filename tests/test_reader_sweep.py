"""llama-sweep-bench and llama-batched-bench."""

from tests.reading import Reader, quantities, sample


def test_a_batched_sum_is_no_decode_rate(reading: Reader) -> None:
    one = reading(sample("batched-bench.md"))
    assert quantities(one) == ["decode", "prefill", "aggregate"]

"""vLLM's engine log: which of its windows are a decode rate."""

from tests.reading import Reader, quantities, sample


def test_a_log_of_busy_windows_gives_no_decode_rate(reading: Reader) -> None:
    busy = sample("vllm.log").replace("Running: 1 reqs", "Running: 3 reqs")
    one = reading(busy)
    assert "decode" not in quantities(one)
    assert any("no decode rate" in problem.message for problem in one.problems)

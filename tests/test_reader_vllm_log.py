"""vLLM's engine log: which of its windows are a decode rate."""

from tests.reading import Reader, measured, quantities, runs_of, sample


def test_a_log_of_busy_windows_gives_no_decode_rate(reading: Reader) -> None:
    busy = sample("vllm.log").replace("Running: 1 reqs", "Running: 3 reqs")
    one = reading(busy)
    assert "decode" not in quantities(one)
    assert any("no decode rate" in problem.message for problem in one.problems)


def test_sglangs_periodic_line_tells_of_drafts_and_its_engine(reading: Reader) -> None:
    line = "Decode batch, #running-req: 1, accept len: 2.75, accept rate: 0.58, gen throughput 9"
    one = reading(line)
    assert {m.quantity: m.value for m in measured(one)} == {
        "tokens_per_pass": 2.75,
        "acceptance-mean": 0.58,
    }
    assert runs_of(one)[0].engine.name == "sglang"

"""Timing lines of llama.cpp's programs."""

import pytest

from ingest.readers.llama.timings import times_of
from ingest.readers.text import lines_of

EVAL = "eval time = 8123.40 ms / {n} {what} ( 63.46 ms per token, {rate} tokens per second)"


@pytest.mark.parametrize(
    ("prefix", "what", "phase", "protocol"),
    [
        ("prompt ", "tokens", "prefill", "server-timings"),
        ("       ", "tokens", "decode", "server-timings"),
        ("llama_perf_context_print: ", "runs", "decode", "llama-cli"),
        ("llama_print_timings: prompt ", "tokens", "prefill", "llama-cli"),
    ],
)
def test_each_spelling_has_its_phase_and_protocol(
    prefix: str, what: str, phase: str, protocol: str
) -> None:
    (one,) = times_of(lines_of(prefix + EVAL.format(n=128, what=what, rate="15,76"))).timings
    assert (one.phase, one.protocol, one.tokens, one.rate) == (phase, protocol, 128, 15.76)


@pytest.mark.parametrize("rate", ["inf", "-nan", "0.00"])
def test_a_rate_over_no_time_is_none(rate: str) -> None:
    assert times_of(lines_of(EVAL.format(n=1, what="tokens", rate=rate))).timings == ()


def test_of_running_rates_of_one_request_the_last_counts() -> None:
    line = "slot print_timing: id  0 | task {task} | n_gen =  {n}, tg =  {rate} t/s"
    rows = [
        line.format(task=task, n=n, rate=rate)
        for task, n, rate in ((1, 50, 9), (1, 90, 8), (2, 60, 7))
    ]
    assert [one.rate for one in times_of(lines_of("\n".join(rows))).progress] == [8, 7]

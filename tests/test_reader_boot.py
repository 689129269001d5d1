"""Boot lines of an engine's log."""

import pytest

from tests.reading import Reader, runs_of

RATE = "[ Prompt: 88.1 t/s | Generation: 23.4 t/s ]"
INFO = "system_info: n_threads = 20 (n_threads_batch = 24) / 48 | CPU : AVX2 = 1 |"
CACHE = "MoE cache: mode=auto budget=free-minus-reserve"
BENCH = "[bench] code run 1/5: 800 tok in 25.3s (31.82 decode TPS, ttft 144ms)"


@pytest.mark.parametrize(
    ("lines", "engine"),
    [
        ((f"0.00.000.100 I cmn  common_param: {INFO}",), "llama.cpp"),
        ((INFO,), None),
        ((f"0.00.000.100 I cmn  common_param: {INFO}", CACHE), "llamacpp-club3090"),
        ((CACHE, "slot print_timing: id  0 | task 1 | x"), "llamacpp-club3090"),
    ],
)
def test_a_log_names_its_engine_by_what_only_that_engine_prints(
    lines: tuple[str, ...], engine: str | None, reading: Reader
) -> None:
    (run,) = runs_of(reading("\n".join((*lines, BENCH))))
    assert run.engine.name == engine


def test_threads_are_read_with_and_without_the_functions_name(reading: Reader) -> None:
    for line in (INFO, f"0.00.000.100 I cmn  common_param: {INFO}"):
        (run,) = runs_of(reading(f"{line}\n{RATE}"))
        assert (run.launch.threads, run.launch.threads_batch) == (20, 24)

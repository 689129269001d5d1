import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.prefill import PROMPT_TOKENS, Reading, prefill, prefill_tokens_per_s
from models.record import FittedModel
from models.rows import FitRow

P = {"stream_gbps": 40.0, "gweights_per_gb": 6.0, "depth": 0.05}
READ = Reading(147.0, 4096, 12.9, 936.0, 0.0)


def test_a_batch_streams_the_experts_of_the_host_once() -> None:
    seconds = 147 / (4096 * 40) + 12.9 / (6 * 936)
    assert prefill_tokens_per_s(READ, P) == pytest.approx(1 / seconds)


@given(batch=st.integers(64, 16384), host=st.floats(0, 800), deep=st.floats(0, 20))
def test_larger_batches_and_less_on_the_host_are_never_slower(
    batch: int, host: float, deep: float
) -> None:
    here = READ._replace(batch_tokens=batch, host_gb=host, context_10k=deep)
    speed = prefill_tokens_per_s(here, P)
    assert prefill_tokens_per_s(here._replace(batch_tokens=2 * batch), P) >= speed
    assert prefill_tokens_per_s(here._replace(host_gb=host / 2), P) >= speed
    assert prefill_tokens_per_s(here._replace(context_10k=deep + 1), P) < speed


def test_the_first_token_waits_for_the_whole_prompt(
    fitted: FittedModel, made_rows: list[FitRow]
) -> None:
    x = next(row.inputs for row in made_rows if row.stratum == "hybrid")
    short, deep = (prefill(fitted.prefill, x, 4096, tokens, 0.8) for tokens in (0, 90_000))
    assert short
    assert deep
    assert (short.prompt_tokens, deep.prompt_tokens) == (PROMPT_TOKENS, 90_000)
    assert short.low < short.tokens_per_s < short.high
    assert deep.tokens_per_s < short.tokens_per_s
    assert deep.ttft_s == pytest.approx(90_000 / deep.tokens_per_s)


def test_without_a_card_none_is_told(fitted: FittedModel, made_rows: list[FitRow]) -> None:
    x = next(row.inputs for row in made_rows if row.stratum == "cpu-only")
    assert prefill(fitted.prefill, x, 512, 0, 0.8) is None

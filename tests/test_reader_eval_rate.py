"""The timing lines of KTransformers and of `ollama --verbose`."""

import pytest

from tests.reading import Reader, measured, runs_of, sample


def test_counts_and_rates_of_one_answer_are_read(reading: Reader) -> None:
    one = reading(sample("ollama-verbose.txt"))
    told = {m.quantity: (m.value, m.prompt_tokens) for m in measured(one)}
    assert told["prefill"] == (100, 200)
    assert told["decode"] == (10.5, None)
    assert runs_of(one)[0].engine.name == "ollama"


@pytest.mark.parametrize("rate", ["0.00", "inf", "n/a"])
def test_what_is_no_rate_is_none(rate: str, reading: Reader) -> None:
    text = sample("ollama-verbose.txt").replace("10.50 tokens/s", f"{rate} tokens/s")
    assert "decode" not in [m.quantity for m in measured(reading(text))]

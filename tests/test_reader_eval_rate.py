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


def test_a_decimal_comma_is_no_cut(reading: Reader) -> None:
    text = sample("ollama-verbose.txt").replace("10.50 tokens/s", "10,50 tokens/s")
    assert [m.value for m in measured(reading(text)) if m.quantity == "decode"] == [10.5]


@pytest.mark.parametrize(
    ("before", "engine"),
    [
        ("$ ollama run glm --verbose", "ollama"),
        ("load duration:        250ms", "ollama"),
        ("prompt eval count:    200 token(s)", "ktransformers"),
        ("I asked it twice", None),
    ],
)
def test_rates_alone_name_no_engine(before: str, engine: str | None, reading: Reader) -> None:
    one = reading(f"{before}\neval rate:            10.50 tokens/s")
    assert runs_of(one)[0].engine.name == engine

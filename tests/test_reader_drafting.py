"""Lines of an engine's log on speculative decoding."""

from tests.reading import Reader, measured, sample


def test_the_middle_length_points_at_the_line_that_prints_it(reading: Reader) -> None:
    text = sample("llama-server.log")
    (m,) = [m for m in measured(reading(text)) if m.quantity == "tokens_per_pass"]
    assert m.value == 1.80
    assert m.evidence.line
    assert "mean len =  1.80" in text.split("\n")[m.evidence.line - 1]


def test_acceptance_is_by_token_over_all_lines(reading: Reader) -> None:
    one = reading(sample("llama-server.log"))
    (m,) = [m for m in measured(one) if m.quantity == "acceptance"]
    assert (m.value, m.n, m.how) == (0.666667, 2, "inferred")

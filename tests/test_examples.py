from html import unescape

import pytest

from models.predict import predict
from models.record import FittedModel
from sitegen.examples import EXAMPLES, Example, examples
from sitegen.fitted import Fitted


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.words)
def test_each_example_shows_its_fastest_answer_that_fits(
    fitted: FittedModel, example: Example
) -> None:
    shown = unescape(examples(Fitted(fitted)))
    best = next(
        one
        for one in predict(fitted, None, example.request)
        if one.fits and "few-cards" not in [warning.code for warning in one.warnings]
    )
    assert example.words in shown
    assert f"../results/slugs/{best.slug}/" in shown
    assert f"{best.low:.1f}–{best.high:.1f}" in shown


def test_without_a_model_the_page_says_so() -> None:
    assert "No model has been fitted" in examples(Fitted(None))

"""The predictor page computes what `predict` computes: one definition, two languages."""

from pathlib import Path

import pytest

from models.predict import predict
from models.record import FittedModel, load_model
from models.request import Request
from tests.predictor_grid import answered, compare, differences, in_browser, questions

pytestmark = pytest.mark.node

ROOT = Path(__file__).parents[1]
SHIPPED = load_model(ROOT / "models/fitted/model.json")


def test_the_page_answers_as_python_does_on_a_grid_of_rigs() -> None:
    """`make parity` holds the whole grid of 10,000 rigs; this is its beginning."""
    compared, found = compare(SHIPPED, 400)
    assert found == []
    assert compared > 3000


def test_the_grid_reaches_every_class_of_rig_and_refusals_too() -> None:
    told = [answered(SHIPPED, *pair) for pair in questions(SHIPPED, 200)]
    refused = [one for one in told if "misuse" in one]
    answers = [answer for one in told for answer in one.get("answers", ())]
    assert 5 < len(refused) < 60
    assert {answer["fits"] for answer in answers} == {None, True, False}
    assert {answer["basis"] for answer in answers} >= {"interpolated", "extrapolated"}
    assert any(one["own_run_factor"] for one in answers)
    assert any(one["layers_on_cpu"] == 0 or one["hit_rate"] == 0 for one in answers)
    assert any(one.get("changes") for one in told)


def test_a_stratum_that_the_roofline_answers_does_so_in_both(fitted: FittedModel) -> None:
    model = fitted._replace(ships=dict.fromkeys(fitted.ships, "roofline"))
    compared, found = compare(model, 20, seed=3)
    assert found == []
    assert compared


def test_numbers_that_differ_are_told_with_their_place() -> None:
    request = Request(triad_gbps=52, cores=16)
    (browser,) = in_browser(SHIPPED, [(request, None)])
    parameters = {
        name: entry | {"value": entry["value"] * (1 + 1e-7 * (name == "yield"))}
        for name, entry in SHIPPED.parameters.items()
    }
    python = answered(SHIPPED._replace(parameters=parameters), request, None)
    assert any(".tokens_per_s" in line for line in differences(python, browser))
    assert len(python["answers"]) == len(predict(SHIPPED, None, request))

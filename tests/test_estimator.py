import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks

from models.estimator import DecodeTime, rig_weights, stacked
from models.facts import Facts
from models.rows import FitRow
from models.training import log_speeds, priors_of


def test_the_estimator_clones_and_shows_its_parameters(facts: Facts) -> None:
    model = DecodeTime(priors_of(facts), noise=0.3)
    assert clone(model).get_params()["noise"] == 0.3


APPLY = (
    "check_do_not_raise_errors_in_init_or_set_params", "check_estimator_cloneable",
    "check_estimator_repr", "check_get_params_invariance", "check_mixin_order",
    "check_no_attributes_set_in_init", "check_set_params",
)  # fmt: skip
"""scikit-learn's checks of an estimator's parameters. Those that hand in a matrix do not apply: `X`
is an `Inputs` with units, not columns."""


@pytest.mark.parametrize("name", APPLY)
def test_the_checks_of_scikit_learn_that_apply_hold(facts: Facts, name: str) -> None:
    getattr(estimator_checks, name)("DecodeTime", DecodeTime(priors_of(facts)))


def test_before_a_fit_nothing_is_predicted(facts: Facts, made_rows: list[FitRow]) -> None:
    with pytest.raises(NotFittedError):
        DecodeTime(priors_of(facts)).predict(stacked([made_rows[0].inputs]))


def test_a_fit_leaves_its_own_parameters_alone(facts: Facts, made_rows: list[FitRow]) -> None:
    model = DecodeTime(priors_of(facts))
    before = dict(model.get_params())
    model.fit(stacked([row.inputs for row in made_rows]), log_speeds(made_rows))
    assert model.get_params() == before


def test_a_changed_constant_is_found_again(facts: Facts, made_rows: list[FitRow]) -> None:
    """Speeds made with twice the hand-off and half the core rate move the fit that way."""
    priors = priors_of(facts)
    x = stacked([row.inputs for row in made_rows])
    truth = {prior.name: prior.value for prior in priors}
    truth["core_rate"] /= 2
    model = DecodeTime(priors, noise=0.05)
    y = model.log_speed(x, truth)
    model.fit(x, y)
    assert model.parameters_["core_rate"] < 0.75 * 14.7
    assert np.sqrt(np.mean((model.predict(x) - y) ** 2)) < 0.05


def test_no_data_to_speak_of_leaves_the_priors(facts: Facts, made_rows: list[FitRow]) -> None:
    priors = priors_of(facts)
    x = stacked([row.inputs for row in made_rows])
    model = DecodeTime(priors)
    model.fit(x, log_speeds(made_rows) + 0.2, np.full(len(made_rows), 1e-9))
    values = model.parameters_
    assert values == pytest.approx({prior.name: prior.value for prior in priors}, rel=1e-4)


def test_one_wild_row_moves_little(facts: Facts, made_rows: list[FitRow]) -> None:
    x, y = stacked([row.inputs for row in made_rows]), log_speeds(made_rows)
    calm = DecodeTime(priors_of(facts)).fit(x, y).predict(x)
    wild = y.copy()
    wild[0] -= 3
    moved = DecodeTime(priors_of(facts)).fit(x, wild).predict(x)
    assert np.median(np.abs(moved - calm)) < 0.05


def test_fitting_twice_gives_the_same_numbers(facts: Facts, made_rows: list[FitRow]) -> None:
    x, y = stacked([row.inputs for row in made_rows]), log_speeds(made_rows)
    first, again = (DecodeTime(priors_of(facts)).fit(x, y) for _ in range(2))
    assert first.parameters_ == again.parameters_


def test_many_rows_of_one_machine_weigh_as_their_root() -> None:
    weight = rig_weights(["a"] * 4 + ["b"])
    assert weight[4] == pytest.approx(2 * weight[0])
    assert weight.mean() == pytest.approx(1)

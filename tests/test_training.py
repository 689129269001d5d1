import numpy as np
import pytest

from models.facts import Facts
from models.rows import FitRow
from models.training import log_speeds, predicted, predicted_roofline, priors_of, train


def test_machines_left_out_are_predicted_within_their_own_scatter(
    facts: Facts, made_rows: list[FitRow]
) -> None:
    held = [row for row in made_rows if row.rig in {"rig-00", "rig-01", "rig-02"}]
    rest = [row for row in made_rows if row not in held]
    left = predicted(train(rest, facts), held, facts) - log_speeds(held)
    assert np.median(np.abs(left)) < 0.2


def test_the_rooflines_constant_centres_each_stratum(facts: Facts, made_rows: list[FitRow]) -> None:
    trained = train(made_rows, facts)
    left = predicted_roofline(trained, made_rows, facts) - log_speeds(made_rows)
    for stratum in ("club", "hybrid", "cpu-only"):
        own = [row.stratum == stratum for row in made_rows]
        assert np.median(left[own]) == pytest.approx(0, abs=1e-9)


def test_a_stratum_without_rows_still_has_a_constant(facts: Facts, made_rows: list[FitRow]) -> None:
    trained = train([row for row in made_rows if row.stratum != "club"], facts)
    assert trained.roofline["club"] == 0.37


def test_priors_are_in_the_order_that_indices_rely_on(facts: Facts) -> None:
    names = [prior.name for prior in priors_of(facts)]
    assert names == sorted(names)
    kernels = [name.removeprefix("kernel.") for name in names if name.startswith("kernel.")]
    assert kernels == facts["kernels"]

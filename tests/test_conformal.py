import numpy as np
import pytest

from models.conformal import bracket, brackets, scale, weighted_quantile


def test_rows_of_one_machine_count_as_one_machine() -> None:
    left = np.array([-1.0] * 50 + [0.0, 0.1, 0.2, 0.3])
    rigs = np.array(["many"] * 50 + ["a", "b", "c", "d"])
    assert weighted_quantile(left, rigs, 0.5) == pytest.approx(0.1)


def test_few_machines_give_the_extremes_rather_than_false_confidence() -> None:
    left, rigs = np.array([-0.3, 0.0, 0.4]), np.array(["a", "b", "c"])
    assert bracket(left, rigs, 0.9) == (-0.3, 0.4)


def test_brackets_are_asymmetric_and_nested() -> None:
    draw = np.random.default_rng(3)
    left = draw.exponential(0.2, 400) - 0.05
    rigs = [f"r{i % 100}" for i in range(400)]
    found = brackets(left, rigs, ["hybrid"] * 400, ["hybrid", "club"])
    low, high = found["hybrid"]["0.8"]
    assert -low < high
    assert found["hybrid"]["0.5"][1] < high < found["hybrid"]["0.9"][1]


def test_coverage_of_new_machines_is_what_was_asked() -> None:
    draw = np.random.default_rng(11)
    rigs = np.repeat(np.arange(400.0), 3)
    left = np.repeat(draw.normal(0, 0.2, 400), 3) + draw.normal(0, 0.05, 1200)
    low, high = bracket(left[:600], rigs[:600], 0.8)
    inside = (low <= left[600:]) & (left[600:] <= high)
    assert 0.72 < inside.mean() < 0.88


def test_a_stratum_never_seen_takes_the_pooled_scale() -> None:
    left, rigs = np.array([0.1, -0.2, 0.3]), np.array(["a", "b", "c"])
    none = np.zeros(3, dtype=bool)
    assert scale(left, rigs, none) == scale(left, rigs, ~none)


def test_a_stratum_that_scatters_more_gets_a_wider_bracket() -> None:
    draw = np.random.default_rng(5)
    left = np.concatenate([draw.normal(0, 0.1, 60), draw.normal(0, 0.4, 60)])
    strata = ["club"] * 60 + ["cpu-only"] * 60
    found = brackets(left, [f"r{i}" for i in range(120)], strata, ["club", "cpu-only"])
    assert found["club"]["0.8"][1] < 0.6 * found["cpu-only"]["0.8"][1]

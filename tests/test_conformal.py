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
    assert scale(left, rigs, none) == pytest.approx(scale(left, rigs, ~none))


def test_a_stratum_that_scatters_more_gets_a_wider_bracket() -> None:
    draw = np.random.default_rng(5)
    left = np.concatenate([draw.normal(0, 0.1, 60), draw.normal(0, 0.4, 60)])
    strata = ["club"] * 60 + ["cpu-only"] * 60
    found = brackets(left, [f"r{i}" for i in range(120)], strata, ["club", "cpu-only"])
    assert found["club"]["0.8"][1] < 0.6 * found["cpu-only"]["0.8"][1]


def test_several_sockets_widen_a_stratum_that_has_no_such_machine() -> None:
    draw = np.random.default_rng(6)
    left = np.concatenate([draw.normal(0, 0.1, 60), draw.normal(0, 0.3, 60)])
    classes = ["hybrid"] * 60 + ["hybrid-sockets"] * 60
    found = brackets(left, [f"r{i}" for i in range(120)], classes, ["club", "club-sockets"])
    assert found["club"]["0.8"][1] < 0.6 * found["club-sockets"]["0.8"][1]


def test_each_class_of_a_mixed_record_is_covered_nearly_as_asked() -> None:
    draw = np.random.default_rng(8)
    spread = {"club": 0.1, "hybrid": 0.2, "hybrid-sockets": 0.4}
    classes = list(spread) * 300
    left = np.array([draw.normal(0, spread[name]) for name in classes])
    found = brackets(left[:450], [f"r{i}" for i in range(450)], classes[:450], list(spread))
    for name in spread:
        low, high = found[name]["0.8"]
        new = left[450:][[one == name for one in classes[450:]]]
        inside = np.mean((low <= new) & (new <= high))
        assert 0.6 < inside < 0.95  # a class of few machines leans on the pooled scale

import numpy as np
import pytest

from models.scores import coverage, score, score_by_rig


def test_errors_are_of_rows_and_bias_is_a_ratio() -> None:
    found = score(np.log([1.1, 0.9, 2.0, 1.0]), ["a", "a", "b", "c"])
    assert (found.rows, found.rigs) == (4, 3)
    assert found.median_ape == pytest.approx(0.1)
    assert found.bias == pytest.approx(1.05, abs=0.01)
    assert found.p80_ape < found.p90_ape < 1


def test_coverage_is_told_by_row_and_by_machine() -> None:
    inside = np.array([True, True, True, False])
    found = coverage(inside, np.array([2.0, 2.0, 2.0, 3.0]), ["a", "a", "a", "b"])
    assert (found.by_row, found.by_rig, found.width) == (0.75, 0.5, 2.0)


def test_by_machine_ten_rows_weigh_as_much_as_one() -> None:
    logs, rigs = np.log([2.0] * 10 + [1.1, 1.2]), ["a"] * 10 + ["b", "c"]
    assert score(logs, rigs).median_ape == pytest.approx(1.0)
    found = score_by_rig(logs, rigs)
    assert (found.rows, found.rigs) == (12, 3)
    assert found.median_ape == pytest.approx(0.2)
    assert found.p80_ape == pytest.approx(1.0)

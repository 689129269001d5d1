import numpy as np
import pytest

from models.evaluate import left_out
from models.facts import Facts
from models.insight import LEVERS, learning_curve, ordering, own_run_gain, slopes
from models.rows import FitRow
from models.training import log_speeds, train


def test_slopes_are_shares_that_physics_allows(facts: Facts, made_rows: list[FitRow]) -> None:
    some = [row for row in made_rows if row.rig < "rig-09"]
    folds = left_out(some, some, facts).folds
    found = slopes(some, folds, train(some, facts), facts)
    assert set(found) == set(LEVERS)
    for lever, by in found.items():
        least = -0.5 if lever == "threads" else 0.0  # more threads also hand off more
        for slope in by.values():
            assert least <= slope.low <= slope.median <= slope.high <= 1
            assert slope.error >= 0
    assert "cpu-only" not in found["GPU bandwidth"]
    assert set(found["accepted tokens"]) == {"club"}
    assert found["bandwidth"]["cpu-only"].median > found["bandwidth"]["club"].median


def test_an_own_run_helps_where_machines_have_habits(made_rows: list[FitRow]) -> None:
    """Two quants of one model on each machine, off by the same factor on it."""
    draw = np.random.default_rng(4)
    rows, left = [], []
    for rig in range(40):
        off = draw.normal(0, 0.3)
        for quant in ("a", "b"):
            rows.append(made_rows[0]._replace(rig=f"r{rig}", quant=quant, variant=quant))
            left.append(off + draw.normal(0, 0.03))
    found = own_run_gain(rows, np.array(left))["same model, other quant"]
    assert found["with"]["median_ape"] < 0.5 * found["without"]["median_ape"]


def at(row: FitRow, tokens_per_s: float, gbps: float) -> FitRow:
    return row._replace(tokens_per_s=tokens_per_s, inputs=row.inputs._replace(gbps=gbps))


def test_order_counts_configurations_of_one_machine_that_differ(made_rows: list[FitRow]) -> None:
    rows = [at(made_rows[0], *pair) for pair in ((10.0, 50.0), (20.0, 99.0), (20.5, 100.0))]
    y = log_speeds(rows)
    told = {"pairs": 2, "right": 1.0, "pairs_any": 2, "right_any": 1.0}
    assert ordering(rows, y)["hybrid"] == told
    assert ordering(rows, -y)["hybrid"]["right"] == 0.0
    again = [row._replace(inputs=rows[0].inputs) for row in rows]
    assert ordering(again, y) == {}


def test_order_across_protocols_is_told_apart(made_rows: list[FitRow]) -> None:
    rows = [at(made_rows[0], 10.0, 50.0), at(made_rows[0], 20.0, 99.0)._replace(protocol="b")]
    assert ordering(rows, log_speeds(rows))["hybrid"] == {"pairs_any": 1, "right_any": 1.0}


def test_more_machines_do_not_teach_less(facts: Facts, made_rows: list[FitRow]) -> None:
    curve = learning_curve(made_rows, facts)
    assert [point["rigs"] for point in curve] == [5, 10, 20]
    assert curve[-1]["median_ape"] == pytest.approx(0.1, abs=0.1)

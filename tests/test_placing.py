from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.catalog import Catalog
from ingest.check import check
from ingest.store import create, fill
from models.facts import facts_of
from models.fit import read_features
from models.merging import effect
from models.placing import Placed, percentile_of, placed, suspects, told_of
from models.record import FittedModel, load_model
from models.rows import FitRow

ROOT = Path(__file__).parents[1]
BRACKET = {"0.5": [-0.1, 0.1], "0.8": [-0.2, 0.3], "0.9": [-0.3, 0.5]}
TOLD: dict[str, Any] = dict.fromkeys((
    "threads", "cores", "channels_populated", "channels_total", "weights_gib", "memory_gib",
    "power_w", "power_default_w", "guest", "numa_nodes", "sampling",
))  # fmt: skip


@pytest.fixture(scope="module")
def model() -> FittedModel:
    return load_model(ROOT / "models/fitted/model.json")


@pytest.fixture(scope="module")
def rows(catalog: Catalog, model: FittedModel) -> list[tuple[FitRow, Placed]]:
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, check([ROOT / "data"]).filed, catalog)
        used = read_features(connection, catalog, facts_of(catalog)).used
        told = told_of(connection, [row.measurement_id for row in used])
    return [(row, placed(model, row, told[row.measurement_id])) for row in used]


@pytest.mark.parametrize(
    ("left", "percentile"),
    [(0.0, 50), (-0.1, 25), (0.3, 90), (-0.3, 5), (0.5, 95), (-9, 1), (9, 99), (0.05, 62)],
)
def test_a_percentile_is_read_between_the_edges_of_the_levels(left: float, percentile: int) -> None:
    assert percentile_of(left, BRACKET) == percentile


@given(st.floats(-3, 3), st.floats(0, 3))
def test_a_faster_row_is_never_at_a_lower_percentile(left: float, more: float) -> None:
    assert percentile_of(left, BRACKET) <= percentile_of(left + more, BRACKET)


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({"threads": 40, "cores": 32}, "threads: 40 on 32 cores"),
        ({"threads": 31, "cores": 32}, "an odd number"),
        ({"channels_populated": 7, "channels_total": 8}, "missing channel: 7 of 8"),
        ({"power_w": 230, "power_default_w": 350}, "power cap: 230 of 350 W"),
        ({"guest": True}, "guest"),
        ({"weights_gib": 151.0, "memory_gib": 128.0}, "swap: 151 GiB in 128"),
        ({"numa_nodes": 2}, "NUMA: 2 nodes"),
    ],
)
def test_each_suspect_of_a_slow_row_is_named_and_none_of_a_normal_one(
    rows: list[tuple[FitRow, Placed]], told: dict[str, Any], named: str
) -> None:
    row = rows[0][0]
    (suspect,) = suspects(5, row, TOLD | told)
    assert named in suspect
    assert list(suspects(50, row, TOLD | told)) == []
    assert list(suspects(5, row, TOLD)) == []


def test_a_cache_with_few_hits_for_its_pool_is_warming(rows: list[tuple[FitRow, Placed]]) -> None:
    row = rows[0][0]._replace(hit_rate=0.2)
    assert "warming cache" in next(iter(suspects(5, row, TOLD, hits_expected=0.7)))
    assert list(suspects(5, row, TOLD, hits_expected=0.25)) == []


def test_greedy_explains_a_fast_row(rows: list[tuple[FitRow, Placed]]) -> None:
    told = TOLD | {"sampling": "greedy", "threads": 16}
    assert any("greedy" in suspect for suspect in suspects(95, rows[0][0], told))


def test_most_of_the_record_lies_in_its_interval_and_neighbours_are_other_rigs(
    rows: list[tuple[FitRow, Placed]],
) -> None:
    inside = sum(one.inside for _, one in rows) / len(rows)
    assert 0.75 < inside < 0.99
    assert all(near.rig != row.rig for row, one in rows for near in one.nearest)
    assert all(one.nearest for _, one in rows)


def test_a_merge_of_nothing_moves_nothing(model: FittedModel) -> None:
    same = effect(model, model)
    assert same.moves == ()
    assert same.asked > 100
    assert all(error.before == error.after for error in same.errors)


def test_a_merge_that_halves_the_speed_is_told_prediction_by_prediction(model: FittedModel) -> None:
    yields = model.parameters["yield"] | {"value": model.parameters["yield"]["value"] / 4}
    rate = model.parameters["core_rate"] | {"value": model.parameters["core_rate"]["value"] / 4}
    slower = model._replace(parameters=model.parameters | {"yield": yields, "core_rate": rate})
    moves = effect(model, slower).moves
    assert moves
    assert all(move.after < move.low for move in moves)

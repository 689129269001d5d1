from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.catalog import Catalog
from ingest.check import check
from ingest.pairs import DAYS_SD, FIELDS, KEY, SESSION_SD, Pair, pairable, pairs, regressions
from ingest.store import create, fill

ROOT = Path(__file__).parents[1]
ROW: dict[str, Any] = {
    **dict.fromkeys((*FIELDS, *KEY)),
    "measurement_id": "a/1/0", "bundle_id": "a", "rig_id": "rig", "model": "m", "quant": "Q4_K_M",
    "quantity": "decode", "protocol": "club-canonical", "streams": 1, "status": "active",
    "central": 10.0, "n": 5, "sd": None, "cv": None, "date": date(2026, 8, 1), "slug": None,
    "engine": "llama.cpp", "drafter": "none", "threads": 16, "ubatch": 512,
}  # fmt: skip


def beside(**changes: object) -> dict[str, Any]:
    return ROW | {"measurement_id": "a/2/0"} | changes


def only(rows: list[dict[str, Any]]) -> Pair:
    (pair,) = pairs(rows)
    return pair


@pytest.mark.parametrize(
    ("field", "before", "after"),
    [("threads", 16, 32), ("ubatch", 512, 4096), ("memory", "3600 MT/s", "4800 MT/s"),
     ("quant", "Q4_K_M", "Q8_0"), ("engine_build", "b9932", "b10236"), ("thinking", False, True)],
)  # fmt: skip
def test_rows_that_differ_in_one_field_are_a_pair_in_its_order(
    field: str, before: object, after: object
) -> None:
    first = ROW | {field: before}
    pair = only([beside(**{field: after}, central=12.0), first])
    assert (pair.field, pair.before, pair.after) == (field, str(before), str(after))
    assert pair.ratio == pytest.approx(1.2)
    assert pair.low < 1.2 < pair.high


def test_rows_that_differ_in_two_fields_are_no_pair() -> None:
    assert pairs([ROW, beside(threads=32, ubatch=4096)]) == []


def test_what_only_one_row_tells_is_no_pair() -> None:
    assert pairs([ROW, beside(threads=32, kv="q8_0")]) == []


@pytest.mark.parametrize("key", KEY)
def test_rows_of_another_machine_or_measurement_are_no_pair(key: str) -> None:
    assert pairs([ROW, beside(threads=32, **{key: "other"})]) == []


def test_a_drafter_switched_on_is_one_difference_whatever_its_depth() -> None:
    pair = only([beside(drafter="dspark", drafter_depth=5, drafter_device="gpu"), ROW])
    assert (pair.field, pair.before, pair.after) == ("drafter", "none", "dspark")


def test_a_sweep_gives_its_neighbours_not_every_two() -> None:
    sweep = [ROW | {"threads": n, "measurement_id": f"a/{n}/0"} for n in (8, 32, 16, 64)]
    found = {(p.before, p.after) for p in pairs(sweep)}
    assert found == {("8", "16"), ("16", "32"), ("32", "64")}


def test_days_apart_widen_the_interval() -> None:
    near = only([ROW, beside(threads=32)])
    far = only([ROW, beside(threads=32, bundle_id="b")])
    assert far.high / near.high == pytest.approx(
        2.718281828 ** (1.2816 * 2**0.5 * (DAYS_SD - SESSION_SD))
    )


def test_a_wide_spread_of_its_own_widens_the_interval() -> None:
    assert only([ROW, beside(threads=32, cv=0.4)]).high > only([ROW, beside(threads=32)]).high


def test_a_flagged_row_is_paired_over_builds_only() -> None:
    slow = beside(status="flagged", engine_build="b3715", central=5.0)
    fast = ROW | {"engine_build": "b3714"}
    (lost,) = regressions(pairs([slow, fast]))
    assert (lost.before, lost.after, lost.ratio) == ("b3714", "b3715", 0.5)
    assert pairs([beside(status="flagged", threads=32), ROW]) == []


def test_a_change_within_the_noise_is_no_regression() -> None:
    rows = [ROW | {"engine_build": "b1000"}, beside(engine_build="b1001", central=9.9)]
    assert pairs(rows) != []
    assert regressions(pairs(rows)) == []


@given(st.floats(0.1, 1e4), st.floats(0.1, 1e4))
def test_the_interval_holds_the_ratio_and_turns_with_the_pair(one: float, other: float) -> None:
    there = only([ROW | {"central": one}, beside(threads=32, central=other)])
    back = only([ROW | {"central": other}, beside(threads=32, central=one)])
    assert there.low < there.ratio < there.high
    assert there.ratio * back.ratio == pytest.approx(1)
    assert there.low * back.high == pytest.approx(1)


def test_the_record_holds_the_known_experiments(catalog: Catalog) -> None:
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, check([ROOT / "data"]).filed, catalog)
        found = pairs(pairable(connection))
    memory = [p for p in found if p.field == "memory"]
    assert memory
    assert all(0.5 < p.ratio < 2 for p in memory)
    lost = {(p.before, p.after) for p in regressions(found) if p.ratio < 1}
    assert ("14292913 (3714)", "09764678 (3715)") in lost

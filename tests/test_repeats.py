import copy
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.catalog import Catalog
from ingest.duplicates import COMMON, of_bundles
from ingest.folder import Filed
from ingest.store import create, exchange, fill
from ingest.tables import write_bundles, write_tables

ROOT = Path(__file__).parents[1]
MACHINES = ("one", "two", "three", "four")
MOST = COMMON // 2 + 1
"""Runs of one machine with one figure: two such machines make it common."""

Runs = list[tuple[float, float | None]]
Pair = tuple[Any, ...]


@pytest.fixture(scope="module")
def machine(filed: Callable[..., Filed]) -> Callable[[str, Runs], Filed]:
    """File a bundle of a machine whose runs have a decode rate and perhaps a time to first."""
    valid = json.loads((ROOT / "tests/reports/valid.json").read_text())

    def make(name: str, runs: Runs) -> Filed:
        edited = copy.deepcopy(valid)
        edited["id"] = (name.encode().hex() * 64)[:64]
        edited["rig"]["machine"] = f"{name}-epyc-7543"
        edited["submitter"] = name
        edited["runs"] = [_run(valid["runs"][0], n, *told) for n, told in enumerate(runs)]
        return filed(edited)

    return make


def _run(
    template: dict[str, Any], number: int, decode: float, ttft_ms: float | None
) -> dict[str, Any]:
    measured = [template["measurements"][0] | {"value": decode, "low": None, "high": None}]
    if ttft_ms is not None:
        measured.append(
            {"quantity": "ttft", "protocol": "club-canonical", "value": ttft_ms, "unit": "ms"}
        )
        measured.append(measured[0] | {"workload": "code"})
    return template | {"id": f"run-{number}", "measurements": measured}


class Found(NamedTuple):
    """What the load finds by setting all that is there against one another."""

    repeats: list[Pair]
    duplicates: list[Pair]
    repeated: list[Pair]
    again: list[Pair]


def found(connection: duckdb.DuckDBPyConnection) -> Found:
    return Found(*(sorted(connection.execute(f"FROM {t}").fetchall()) for t in Found._fields))


def from_nothing(record: dict[str, Filed], catalog: Catalog) -> Found:
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, record.values(), catalog)
        return found(connection)


runs = st.one_of(
    st.lists(
        st.tuples(st.sampled_from([10.0, 10.4, 20.0]), st.sampled_from([None, 500.0])), max_size=3
    ),
    st.just([(10.0, 500.0)] * MOST),
    st.just([(20.0, None)] * MOST),
)
changes = st.lists(st.dictionaries(st.sampled_from(MACHINES), runs, min_size=1), max_size=4)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(steps=changes)
def test_what_is_found_after_changes_is_what_a_search_of_all_finds(
    steps: list[dict[str, Runs]], machine: Callable[[str, Runs], Filed], catalog: Catalog
) -> None:
    record: dict[str, Filed] = {}
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, (), catalog)
        for step in steps:
            new = {name: machine(name, told) for name, told in step.items() if told}
            with tempfile.TemporaryDirectory() as folder:
                write_bundles(Path(folder), new.values(), catalog)
                gone = [f"{name}-epyc-7543" for name in step]
                exchange(connection, Path(folder), gone, ())
            record = {name: one for name, one in record.items() if name not in step} | new
            assert found(connection) == from_nothing(record, catalog)


def test_a_database_finds_what_bundles_without_one_do(
    machine: Callable[[str, Runs], Filed], catalog: Catalog
) -> None:
    told: dict[str, Runs] = {
        "one": [(10.0, 500.0)],
        "two": [(10.0, 500.0), (20.0, None)],
        "three": [(10.0, 500.0)],
    }
    record = {name: machine(name, some) for name, some in told.items()}
    apart = [one[:4] for one in of_bundles(record.values(), catalog)]
    together = from_nothing(record, catalog)
    assert together.duplicates == sorted(apart)
    assert len(together.duplicates) == 2
    assert len(together.repeats) == 3


def test_a_figure_that_becomes_common_tells_nothing_any_more(
    machine: Callable[[str, Runs], Filed], catalog: Catalog
) -> None:
    record = {name: machine(name, [(10.0, 500.0)]) for name in ("one", "two")}
    assert from_nothing(record, catalog).duplicates != []
    record["three"] = machine("three", [(10.0, 500.0)] * (COMMON - 1))
    assert from_nothing(record, catalog).repeats == []


def test_a_figure_that_is_common_no_more_tells_again(
    machine: Callable[[str, Runs], Filed], catalog: Catalog
) -> None:
    few = {name: machine(name, [(10.0, 500.0)]) for name in ("one", "two")}
    many = machine("three", [(10.0, 500.0)] * (COMMON - 1))
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        create(connection)
        fill(connection, [*few.values(), many], catalog)
        exchange(connection, Path(folder), ["three-epyc-7543"], ())
        assert found(connection) == from_nothing(few, catalog)
    assert from_nothing(few, catalog).duplicates != []


def test_numbers_that_confirm_one_another_do_so_no_more_when_one_of_them_goes(
    machine: Callable[[str, Runs], Filed], catalog: Catalog
) -> None:
    both = {name: machine(name, [(speed, None)]) for name, speed in (("one", 10.0), ("two", 10.4))}
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        create(connection)
        fill(connection, both.values(), catalog)
        assert len(found(connection).again) == 2
        exchange(connection, Path(folder), ["two-epyc-7543"], ())
        assert found(connection).again == []


def test_a_new_maintainer_is_known_in_what_was_there_already(
    machine: Callable[[str, Runs], Filed], catalog: Catalog
) -> None:
    both = [machine(name, [(speed, None)]) for name, speed in (("one", 10.0), ("two", 10.4))]
    with duckdb.connect() as connection, tempfile.TemporaryDirectory() as folder:
        create(connection)
        fill(connection, both, catalog)
        assert {others for *_, others in found(connection).again} == {True}
        write_tables(Path(folder), {"maintainers": [{"handle": "one"}, {"handle": "two"}]})
        exchange(connection, Path(folder), [], ["maintainers"])
        assert {others for *_, others in found(connection).again} == {False}

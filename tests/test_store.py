import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.bundle import Status
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.store import build, create, fill, opened, summary


def flagged(target: str, state: str = "flagged") -> Status:
    return Status.model_validate(
        {"target": target, "state": state, "reason": "paging", "date": "2026-12-01", "by": "me"}
    )


def filled(catalog: Catalog, *filed: Filed) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    create(connection)
    fill(connection, filed, catalog)
    return connection


def rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql).fetchall()


def test_unknown_off_and_zero_stay_three_values(database: duckdb.DuckDBPyConnection) -> None:
    found = rows(database, "SELECT drafter, expert_cache, threads FROM runs ORDER BY run_id")
    assert found == [("dspark", None, 28), ("none", "none", None)]


def test_a_measurement_leads_to_its_source(database: duckdb.DuckDBPyConnection) -> None:
    found = rows(database, "SELECT value, source_url FROM measurements WHERE quantity = 'decode'")
    assert found == [(17.1, "example.org/rigs/1")]


def test_inferred_columns_are_named(database: duckdb.DuckDBPyConnection) -> None:
    assert rows(database, "SELECT inferred FROM rig_states") == [(["sockets"],)]


def test_the_cpu_and_cards_are_matched_to_the_catalogue(
    database: duckdb.DuckDBPyConnection,
) -> None:
    assert rows(database, "SELECT cpu FROM rig_states") == [("epyc-7543",)]
    assert rows(database, "SELECT gpu FROM rig_gpus") == [("rtx-3090",), ("rtx-3090",)]


@pytest.mark.parametrize("target", ["", "/runs/0", "/runs/0/measurements/0"])
@pytest.mark.parametrize("state", ["flagged", "superseded", "retracted"])
def test_a_row_that_is_not_active_stays_readable_but_is_not_comparable(
    document: dict[str, Any],
    filed: Callable[..., Filed],
    catalog: Catalog,
    target: str,
    state: str,
) -> None:
    connection = filled(catalog, filed(document, (flagged(target, state),)))
    found = rows(connection, "SELECT status, status_reason FROM measurements LIMIT 1")
    assert found == [(state, "paging")]
    assert rows(connection, "FROM comparable WHERE quantity = 'decode'") == []


def test_the_last_word_on_a_row_holds(
    document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog
) -> None:
    back = flagged("/runs/0", "active")
    connection = filled(catalog, filed(document, (flagged("/runs/0"), back)))
    assert len(rows(connection, "FROM comparable WHERE quantity = 'decode'")) == 1


def test_a_rig_state_told_of_twice_keeps_the_stated_word_over_the_inferred(
    document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog
) -> None:
    other = {**document, "id": "1" * 64, "runs": []}
    other["rig"] = {
        "machine": document["rig"]["machine"],
        "state": document["rig"]["state"],
        "cpu": {"sockets": 2},
        "os": "Debian 12",
    }
    other["provenance"] = {"/rig": {"how": "reported"}}
    connection = filled(catalog, filed(document), filed(other))
    found = rows(connection, "SELECT sockets, cores, os, inferred FROM rig_states")
    assert found == [(2, 32, "Debian 12", [])]
    assert rows(connection, "SELECT states, bundles FROM machines") == [(1, 2)]


def test_a_failed_run_is_a_row_but_not_comparable(database: duckdb.DuckDBPyConnection) -> None:
    assert rows(database, "SELECT outcome FROM runs ORDER BY 1") == [("failed",), ("ok",)]


def test_the_file_is_read_only_and_locked_in(
    tmp_path: Path, document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog
) -> None:
    path = tmp_path / "rigbook.duckdb"
    build(path, [filed(document)], catalog)
    with opened(path) as connection:
        for hostile in (
            "DELETE FROM runs",
            "COPY runs TO '/tmp/stolen.csv'",
            "FROM read_text('/etc/passwd')",
            "SET enable_external_access = true",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(hostile)
    assert summary(path).startswith("1 bundles, 1 rigs, 1 rig states, 2 runs, 2 measurements")


def test_a_database_that_is_not_there_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="run `rigbook load` first"), opened(tmp_path / "x"):
        pass


def test_a_build_that_fails_leaves_the_old_database(
    tmp_path: Path, document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog
) -> None:
    path = tmp_path / "rigbook.duckdb"
    build(path, [filed(document)], catalog)
    before = path.read_bytes()
    with pytest.raises(duckdb.ConstraintException):
        build(path, [filed(document), filed(document)], catalog)
    assert path.read_bytes() == before


BUILD_FOREVER = """
import sys
from pathlib import Path
from ingest.catalog import load_catalog
from ingest.check import check
from ingest.store import build
checked = check([Path(sys.argv[1])])
print("ready", flush=True)
while True:
    build(Path(sys.argv[2]), checked.filed, checked.catalog)
"""


@pytest.mark.parametrize("delay_s", [0.0, 0.05, 0.15, 0.3])
def test_a_kill_at_any_moment_leaves_a_whole_database(tmp_path: Path, delay_s: float) -> None:
    root = Path(__file__).parents[1]
    path = tmp_path / "rigbook.duckdb"
    command = [sys.executable, "-c", BUILD_FOREVER, str(root / "data"), str(path)]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        process.stdout.readline()
        while not path.exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(delay_s)
        process.send_signal(signal.SIGKILL)
    assert "bundles" in summary(path)

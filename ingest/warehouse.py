"""The same tables for many writers and readers: DuckLake, a PostgreSQL catalogue and Parquet files.

A target is `ducklake:postgres:<libpq words>`, and a folder for the Parquet files that every process
sees. Work is parted by machine, so that any number of processes may load at once, each a partition
`i/n`; each puts its partition in with one transaction and may be run again at any time.
"""

import contextlib
import hashlib
import importlib
import random
import re
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.batch import Share, work
from ingest.catalog import load_catalog
from ingest.check import catalog_of
from ingest.ledger import Machine
from ingest.misuse import Misuse
from ingest.problem import Problem, has_errors
from ingest.stamps import machines
from ingest.store import DELETE, fill_from, whole
from ingest.tables import problem_rows, schema_sql, write_tables

PREFIX = "ducklake:"
EXTENSIONS = ("postgres_scanner", "ducklake")
ATTEMPTS = 20
"""Writers that meet at the catalogue try again: twenty cover a queue of as many writers."""

WAIT_S = 0.2
"""About how long one writer holds the catalogue; an unreachable one is given up in 20 s."""


class Partition(NamedTuple):
    """Share `share` of `of`, counted from 1."""

    share: int
    of: int

    def has(self, machine: str) -> bool:
        """Tell whether a machine is of this share; every machine is of just one."""
        digest = hashlib.sha256(machine.encode()).digest()
        return int.from_bytes(digest[:8]) % self.of == self.share - 1


def partition(text: str) -> Partition:
    """Read `i/n`; raises Misuse when it is none."""
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise Misuse(f"--partition takes i/n with 1 ≤ i ≤ n, such as 2/4; got {text!r}")
    return Partition(int(found[1]), int(found[2]))


def connect(target: str, files: Path) -> duckdb.DuckDBPyConnection:
    """Open the warehouse at `target`, whose Parquet files lie in `files`, its tables made."""
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    for name in EXTENSIONS:
        _load_extension(connection, name)
    address, folder = target.replace("'", "''"), str(files.resolve()).replace("'", "''")
    try:
        # The first to come makes the catalogue's tables; others that come then try again.
        _until_first(connection, f"ATTACH '{address}' AS warehouse (DATA_PATH '{folder}')")
    except duckdb.Error as error:
        raise Misuse(f"{target}: cannot be opened: {error}; is PostgreSQL running?") from error
    connection.execute("USE warehouse")
    _until_first(connection, f"BEGIN; {lake_schema()}; COMMIT")
    return connection


def _load_extension(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    try:
        with_files = importlib.import_module("duckdb_extensions")
        with_files.import_extension(name, con=connection)
        connection.execute(f"LOAD {name}")
    except (ImportError, duckdb.Error) as error:
        raise Misuse(
            f"DuckDB {duckdb.__version__} has no extension {name} here ({error}); in a separate"
            " environment install duckdb, duckdb-extensions, duckdb-extension-ducklake and"
            " duckdb-extension-postgres-scanner, all of the same version, and importlib_resources"
        ) from error


def lake_schema() -> str:
    """Give the schema as DuckLake takes it: no keys, and each statement harmless when repeated."""
    keyless = re.sub(r",\s*PRIMARY KEY \([^)]*\)", "", schema_sql()).replace(" PRIMARY KEY", "")
    return re.sub(r"CREATE (TABLE|VIEW)", r"CREATE \1 IF NOT EXISTS", keyless)


def _until_first(connection: duckdb.DuckDBPyConnection, statements: str) -> None:
    """Run statements, again when another writer was first."""
    for attempt in range(ATTEMPTS):
        try:
            connection.execute(statements)
        except duckdb.Error:
            _next_attempt(connection, attempt)
        else:
            return


def _next_attempt(connection: duckdb.DuckDBPyConnection, attempt: int) -> None:
    """Undo and wait a little, longer each time; raises what is being handled after the last."""
    with contextlib.suppress(duckdb.TransactionException):
        connection.rollback()
    if attempt == ATTEMPTS - 1:
        raise  # noqa: PLE0704 - called while an error is handled
    time.sleep(random.uniform(0, WAIT_S * (attempt + 1)))  # noqa: S311 - no secret


class Put(NamedTuple):
    """What one partition's load found and did."""

    problems: tuple[Problem, ...]
    machines: int
    changed: int


def load_partition(data: Path, target: str, files: Path, part: Partition) -> Put:
    """Bring one partition of the warehouse up to what lies in `data`, all of it or nothing."""
    catalog, doubts = load_catalog(catalog_of([data]))
    reports = data / "reports" if (data / "reports").is_dir() else data
    names = tuple(name for name in machines(reports) if part.has(name))
    with connect(target, files) as connection, tempfile.TemporaryDirectory() as room:
        held = {name: text for name, text in _held(connection).items() if part.has(name)}
        found = work(Share(reports, names, {}, held, Path(room)), catalog)
        problems = (*doubts, *_problems(found.machines))
        redone = sorted({*found.written, *(held.keys() - set(names))})
        if has_errors(problems) or not redone:
            return Put(problems, len(names), 0)
        told = {name: found.machines[name] for name in found.written}
        rows = {"problems": list(problem_rows(_problems(told)))}
        if part.share == 1:
            rows = {**whole(catalog, ()), **rows}
        write_tables(Path(room), rows)
        _put(connection, Path(room), redone, [name for name in rows if name != "problems"])
        return Put(problems, len(names), len(redone))


def _problems(found: dict[str, Machine]) -> list[Problem]:
    return [problem for machine in found.values() for problem in machine.problems()]


def _held(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    rows = connection.execute(
        "SELECT rig_id, string_agg(path || ' ' || content_hash, chr(10) ORDER BY path)"
        " FROM bundles GROUP BY rig_id"
    )
    return dict(rows.fetchall())


def _put(
    connection: duckdb.DuckDBPyConnection, room: Path, redone: list[str], anew: list[str]
) -> None:
    """Put rows in place of those of the machines `redone`, again when another writer was first."""
    connection.execute(
        "CREATE TEMP TABLE redone AS SELECT unnest(?::VARCHAR[]) AS rig_id", [redone]
    )
    for attempt in range(ATTEMPTS):
        connection.begin()
        try:
            connection.execute(DELETE)
            connection.execute(
                "DELETE FROM problems WHERE split_part(path, '/', 1) IN (FROM redone)"
            )
            for table in anew:
                connection.execute(f'DELETE FROM "{table}"')  # noqa: S608 - the schema's own
            fill_from(connection, room)
            connection.commit()
        except duckdb.Error:
            _next_attempt(connection, attempt)
        else:
            return

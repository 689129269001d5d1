"""The DuckDB store: built whole into a new file and swapped in, read read-only.

A kill at any moment leaves the old database as it was: everything is written beside it and renamed
at the end.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest import repeats, trust
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.misuse import Misuse
from ingest.problem import Problem
from ingest.rows import Rows, catalog_rows
from ingest.tables import REPORTED, pour, problem_rows, schema_sql, write_bundles, write_tables

STORAGE_VERSION = "v1.0.0"
"""Oldest storage format, so that any DuckDB from 1.0 on opens a published file."""

# One rig state may be told of by several bundles: per column the best word wins, a stated value
# before an inferred one, then the earlier report.
_MERGED = (
    "cpu_model", "cpu", "generation", "all_core_ghz", "sockets", "cores", "threads", "guest",
    "memory_gib", "memory_kind", "mts", "dimms", "channels_populated", "channels_total",
    "numa_nodes", "thp", "gpu_count", "gpu_names", "vram_gib", "os", "environment",
)  # fmt: skip


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the empty tables and views in the current schema of `connection`."""
    connection.execute(schema_sql())


def fill(
    connection: duckdb.DuckDBPyConnection,
    filed: Iterable[Filed],
    catalog: Catalog,
    problems: Iterable[Problem] = (),
    maintainers: Iterable[str] = (),
) -> None:
    """Fill the tables of `connection` from bundles, catalogue and the problems found in them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_bundles(folder, filed, catalog)
        write_tables(folder, whole(catalog, problems, maintainers))
        fill_from(connection, folder)
        _relate(connection)


def whole(catalog: Catalog, problems: Iterable[Problem], maintainers: Iterable[str] = ()) -> Rows:
    """Give the rows that are of no one bundle."""
    return {
        **catalog_rows(catalog),
        "problems": list(problem_rows(problems)),
        "maintainers": [{"handle": handle} for handle in sorted(maintainers)],
    }


def fill_from(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Insert what was written below `folder`; rig states and machines are put together from it."""
    for table, waiting in REPORTED.items():
        connection.execute(
            f"CREATE TEMP TABLE {waiting} AS"  # noqa: S608 - constants
            f" SELECT NULL::VARCHAR AS bundle_id, * FROM {table} LIMIT 0"
        )
    pour(connection, folder)
    connection.execute(_rig_states_sql())
    connection.execute(_RIG_GPUS)
    connection.execute(_MACHINES)
    for table, key in KEYS.items():
        _check_unique(connection, table, key)
    for waiting in REPORTED.values():
        connection.execute(f"DROP TABLE {waiting}")


def _relate(connection: duckdb.DuckDBPyConnection) -> None:
    """Set all that is there against one another."""
    repeats.refresh(connection)
    trust.refresh(connection)


KEYS = {"bundles": "bundle_id", "runs": "run_id"}
"""Keys that data could break; the others follow from them, or are grouped by."""


def _check_unique(connection: duckdb.DuckDBPyConnection, table: str, key: str) -> None:
    twice = connection.execute(
        f"SELECT {key} FROM {table} GROUP BY {key} HAVING count(*) > 1 LIMIT 1"  # noqa: S608 - constants
    ).fetchone()
    if twice:
        raise duckdb.ConstraintException(f"{table}: {key} {twice[0]!r} stands more than once")


def _rig_states_sql() -> str:
    order = "list_contains(inferred, '{0}'), date NULLS LAST, bundle_id"
    picked = ", ".join(
        f"first({c} ORDER BY {order.format(c)}) FILTER (WHERE {c} IS NOT NULL) AS {c}"
        for c in _MERGED
    )
    doubtful = ", ".join(
        f"CASE WHEN bool_and(list_contains(inferred, '{c}')) FILTER (WHERE {c} IS NOT NULL)"
        f" THEN '{c}' END"
        for c in _MERGED
    )
    return (
        f"INSERT INTO rig_states BY NAME SELECT state_id, any_value(rig_id) AS rig_id,"  # noqa: S608 - constants
        f" any_value(state) AS state, {picked},"
        f" list_filter([{doubtful}], lambda x: x IS NOT NULL) AS inferred"
        f" FROM rig_reports JOIN bundles USING (bundle_id, state_id, rig_id)"
        f" GROUP BY state_id ORDER BY state_id"
    )


# The cards of a state come from the one bundle that the gpu columns of rig_states came from.
_RIG_GPUS = """
INSERT INTO rig_gpus BY NAME
SELECT g.* EXCLUDE (bundle_id)
FROM gpu_reports AS g
JOIN (
    SELECT state_id, first(bundle_id ORDER BY list_contains(inferred, 'gpu_names'),
        date NULLS LAST, bundle_id) AS bundle_id
    FROM rig_reports JOIN bundles USING (bundle_id, state_id, rig_id)
    WHERE gpu_names IS NOT NULL GROUP BY state_id
) USING (state_id, bundle_id)
ORDER BY state_id, card
"""

_MACHINES = """
INSERT INTO machines BY NAME
SELECT rig_id,
    concat_ws(': ', coalesce(first(submitter ORDER BY submitter NULLS LAST),
            first(author ORDER BY author NULLS LAST)),
        coalesce(first(cpu_name ORDER BY cpu_name NULLS LAST),
            first(cpu_model ORDER BY cpu_model NULLS LAST),
            first(gpu_names ORDER BY gpu_names NULLS LAST), rig_id)) AS label,
    first(submitter ORDER BY submitter NULLS LAST) AS submitter,
    count(DISTINCT state_id) AS states,
    count(DISTINCT bundle_id) AS bundles
FROM (
    SELECT b.rig_id, b.bundle_id, b.submitter, a.author, s.state_id, s.cpu_model, s.gpu_names,
        c.name AS cpu_name
    FROM bundles AS b
    JOIN rig_states AS s USING (state_id)
    LEFT JOIN sources AS a ON a.bundle_id = b.bundle_id AND a.source = 0
    LEFT JOIN catalog_cpus AS c USING (cpu)
    WHERE b.rig_id IN (SELECT rig_id FROM rig_reports)
)
GROUP BY rig_id ORDER BY rig_id
"""


def build(
    path: Path,
    filed: Iterable[Filed],
    catalog: Catalog,
    problems: Iterable[Problem] = (),
    maintainers: Iterable[str] = (),
) -> None:
    """Build the database at `path` anew and swap it in whole."""
    with beside(path) as folder:
        write_bundles(folder, filed, catalog)
        write_tables(folder, whole(catalog, problems, maintainers))
        build_from(path, folder)


@contextlib.contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Give a folder beside `path` for what is on its way in, and remove it in the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    folder = path.with_name(f".{path.name}.{os.getpid()}.new")
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def build_from(path: Path, folder: Path) -> None:
    """Build the database at `path` from the tables written below `folder`; swap it in whole."""
    fresh = folder / path.name
    with duckdb.connect() as connection:
        connection.execute(
            f"ATTACH {_quoted(str(fresh))} AS fresh (STORAGE_VERSION '{STORAGE_VERSION}');"
            " USE fresh"
        )
        create(connection)
        fill_from(connection, folder)
        _relate(connection)
        connection.execute("CHECKPOINT fresh; USE memory; DETACH fresh")
    fresh.replace(path)


def update_from(path: Path, folder: Path, machines: Iterable[str], anew: Iterable[str]) -> None:
    """Put the tables below `folder` in place of the rows of `machines` and of the tables `anew`.

    It is done to a copy, which is swapped in whole.
    """
    fresh = folder / path.name
    shutil.copyfile(path, fresh)
    with duckdb.connect(str(fresh)) as connection:
        exchange(connection, folder, machines, anew)
        connection.execute("CHECKPOINT")
    fresh.replace(path)


def exchange(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    machines: Iterable[str],
    anew: Iterable[str],
) -> None:
    """Put the tables below `folder` in place of the rows of `machines` and of the tables `anew`."""
    connection.execute(
        "CREATE TEMP TABLE redone AS SELECT unnest(?::VARCHAR[]) AS rig_id", [list(machines)]
    )
    repeats.forget(connection)
    trust.forget(connection)
    connection.execute(DELETE)
    whole = set(anew)
    for table in whole:
        connection.execute(f'DELETE FROM "{table}"')  # noqa: S608 - the schema's own
    fill_from(connection, folder)
    repeats.renew(connection)
    trust.renew(connection, everything="maintainers" in whole)
    connection.execute("DROP TABLE redone")


# Empties a table of the machines in `redone`; what leads to the machine comes last.
DELETE = """
DELETE FROM measurements WHERE rig_id IN (FROM redone);
DELETE FROM stages WHERE run_id IN (SELECT run_id FROM runs WHERE rig_id IN (FROM redone));
DELETE FROM quality WHERE run_id IN (SELECT run_id FROM runs WHERE rig_id IN (FROM redone));
DELETE FROM anomalies WHERE run_id IN (SELECT run_id FROM runs WHERE rig_id IN (FROM redone));
DELETE FROM runs WHERE rig_id IN (FROM redone);
DELETE FROM sources WHERE bundle_id IN
    (SELECT bundle_id FROM bundles WHERE rig_id IN (FROM redone));
DELETE FROM statuses WHERE bundle_id IN
    (SELECT bundle_id FROM bundles WHERE rig_id IN (FROM redone));
DELETE FROM rig_bandwidth WHERE state_id IN
    (SELECT state_id FROM rig_states WHERE rig_id IN (FROM redone));
DELETE FROM rig_gpus WHERE state_id IN
    (SELECT state_id FROM rig_states WHERE rig_id IN (FROM redone));
DELETE FROM rig_states WHERE rig_id IN (FROM redone);
DELETE FROM bundles WHERE rig_id IN (FROM redone);
DELETE FROM machines WHERE rig_id IN (FROM redone);
"""


class Held(NamedTuple):
    """What a database holds: the hashes it was made with, the bundles, the problems.

    `bundles` gives, by machine, the content hash of each bundle as `ledger.lines` writes it.
    """

    built: dict[str, str]
    bundles: dict[str, str]
    problems: list[Problem]


NOTHING = Held({}, {}, [])


def held(path: Path) -> Held:
    """Read what the database at `path` holds; nothing when it was made by another schema.

    Raises Misuse when the file is no database or one that this DuckDB cannot read.
    """
    if not path.exists():
        return NOTHING
    with opened(path) as connection:
        built = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_name = 'built'"
        ).fetchall()
        if not built:
            return NOTHING
        bundles = connection.execute(
            "SELECT rig_id, string_agg(path || ' ' || content_hash, chr(10) ORDER BY path)"
            " FROM bundles GROUP BY rig_id"
        ).fetchall()
        problems = connection.execute(
            "SELECT path, place, message, severity FROM problems"
        ).fetchall()
        return Held(
            dict(connection.execute("SELECT part, key FROM built").fetchall()),
            dict(bundles),
            [Problem(*row) for row in problems],
        )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _sweep(path: Path) -> None:
    """Remove what a killed build left beside `path`, unless its process still runs."""
    for left in path.parent.glob(f".{path.name}.*.new*"):
        process = left.name.removeprefix(f".{path.name}.").split(".")[0]
        if not Path("/proc", process).exists():
            shutil.rmtree(left, ignore_errors=True)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the database read-only, with no way out to files or network.

    Raises FileNotFoundError with the remedy when there is none, Misuse when it cannot be read.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: no database there; run `rigbook load` first")
    config: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": False,
        "lock_configuration": True,
    }
    try:
        connection = duckdb.connect(str(path), read_only=True, config=config)
    except duckdb.Error as error:
        raise Misuse(
            f"{path}: cannot be read ({error}); run `rigbook load` to build it anew, with a newer"
            " DuckDB if a newer one made it"
        ) from error
    with connection:
        yield connection


def summary(path: Path) -> str:
    """Count what the database holds, in one line a person can quote."""
    with opened(path) as connection:
        row = connection.execute(_SUMMARY).fetchone()
    counts = row or ()
    words = ("bundles", "rigs", "rig states", "runs", "measurements", "flagged")
    return ", ".join(f"{n:,} {word}" for n, word in zip(counts, words, strict=True))


_SUMMARY = """
SELECT (SELECT count(*) FROM bundles), (SELECT count(*) FROM machines),
    (SELECT count(*) FROM rig_states), (SELECT count(*) FROM runs),
    (SELECT count(*) FROM measurements),
    (SELECT count(*) FROM measurements WHERE status <> 'active')
"""

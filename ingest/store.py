"""The DuckDB store: built whole into a new file and swapped in, read read-only.

A kill at any moment leaves the old database as it was: everything is written beside it and renamed
at the end.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path

import duckdb
import polars as pl

from ingest.catalog import Catalog
from ingest.duplicates import duplicates
from ingest.folder import Filed
from ingest.problem import Problem
from ingest.rows import Row, Rows, bundle_rows, catalog_rows

STORAGE_VERSION = "v1.0.0"
"""Oldest storage format, so that any DuckDB from 1.0 on opens a published file."""

_TYPES: dict[str, pl.DataType | type[pl.DataType]] = {
    "VARCHAR": pl.String,
    "INTEGER": pl.Int32,
    "DOUBLE": pl.Float64,
    "BOOLEAN": pl.Boolean,
    "DATE": pl.Date,
    "VARCHAR[]": pl.List(pl.String),
    "DOUBLE[]": pl.List(pl.Float64),
}

# One rig state may be told of by several bundles: per column the best word wins, a stated value
# before an inferred one, then the earlier report.
_MERGED = (
    "cpu_model", "cpu", "generation", "all_core_ghz", "sockets", "cores", "threads", "guest",
    "memory_gib", "memory_kind", "mts", "dimms", "channels_populated", "channels_total",
    "numa_nodes", "thp", "gpu_count", "gpu_names", "vram_gib", "os", "environment",
)  # fmt: skip


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the empty tables and views in the current schema of `connection`."""
    connection.execute(resources.files("ingest").joinpath("schema.sql").read_text("utf-8"))


def fill(
    connection: duckdb.DuckDBPyConnection,
    filed: Iterable[Filed],
    catalog: Catalog,
    problems: Iterable[Problem] = (),
    maintainers: Iterable[str] = (),
) -> None:
    """Fill the tables of `connection` from bundles, catalogue and the problems found in them."""
    rows: Rows = {**catalog_rows(catalog)}
    bundles = list(filed)
    rows["duplicates"] = [one._asdict() for one in duplicates(bundles, catalog)]
    rows["maintainers"] = [{"handle": handle} for handle in maintainers]
    for bundle in bundles:
        for table, found in bundle_rows(bundle, catalog).items():
            rows.setdefault(table, []).extend(found)
    rows["problems"] = [
        {"path": p.path, "place": p.where, "message": p.message, "severity": p.severity}
        for p in problems
    ]
    reports = rows.pop("rig_states", [])
    gpus = rows.pop("rig_gpus", [])
    for table, found in rows.items():
        _insert(connection, table, found)
    _merge_rig_states(connection, reports, gpus)
    connection.execute(_MACHINES)


def _insert(connection: duckdb.DuckDBPyConnection, table: str, rows: list[Row]) -> None:
    """Insert `rows` through a Parquet file: the fastest way in that needs no Arrow package."""
    if not rows:
        return
    columns = connection.execute(
        "SELECT column_name, data_type FROM information_schema.columns"
        " WHERE table_name = ? ORDER BY ordinal_position",
        [table],
    ).fetchall()
    frame = pl.DataFrame(
        {name: [row.get(name) for row in rows] for name, _ in columns},
        schema={name: _TYPES[kind] for name, kind in columns},
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        frame.write_parquet(path)
        connection.execute(f'INSERT INTO "{table}" BY NAME FROM read_parquet(?)', [str(path)])


def _merge_rig_states(
    connection: duckdb.DuckDBPyConnection, reports: list[Row], gpus: list[Row]
) -> None:
    connection.execute(
        "CREATE TEMP TABLE rig_reports AS"
        " SELECT NULL::VARCHAR AS bundle_id, * FROM rig_states LIMIT 0"
    )
    connection.execute(
        "CREATE TEMP TABLE gpu_reports AS"
        " SELECT NULL::VARCHAR AS bundle_id, * FROM rig_gpus LIMIT 0"
    )
    _insert(connection, "rig_reports", reports)
    _insert(connection, "gpu_reports", gpus)
    connection.execute(_rig_states_sql())
    connection.execute(_RIG_GPUS)
    connection.execute("DROP TABLE rig_reports; DROP TABLE gpu_reports")


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
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    with duckdb.connect() as connection:
        connection.execute(
            f"ATTACH {_quoted(str(beside))} AS fresh (STORAGE_VERSION '{STORAGE_VERSION}');"
            " USE fresh"
        )
        create(connection)
        fill(connection, filed, catalog, problems, maintainers)
        connection.execute("CHECKPOINT fresh; USE memory; DETACH fresh")
    beside.replace(path)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _sweep(path: Path) -> None:
    """Remove what a killed build left beside `path`, unless its process still runs."""
    for left in path.parent.glob(f".{path.name}.*.new*"):
        process = left.name.removeprefix(f".{path.name}.").split(".")[0]
        if not Path("/proc", process).exists():
            left.unlink(missing_ok=True)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the database read-only, with no way out to files or network.

    Raises FileNotFoundError with the remedy when there is none.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: no database there; run `rigbook load` first")
    config: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": False,
        "lock_configuration": True,
    }
    with duckdb.connect(str(path), read_only=True, config=config) as connection:
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

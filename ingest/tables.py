"""Rows on their way into the database: columnar files, one a table, typed by `schema.sql`."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.problem import Problem
from ingest.rows import Row, Rows, bundle_rows

_TYPES: dict[str, pl.DataType | type[pl.DataType]] = {
    "VARCHAR": pl.String,
    "INTEGER": pl.Int32,
    "DOUBLE": pl.Float64,
    "BOOLEAN": pl.Boolean,
    "DATE": pl.Date,
    "VARCHAR[]": pl.List(pl.String),
    "DOUBLE[]": pl.List(pl.Float64),
}

REPORTED = {"rig_states": "rig_reports", "rig_gpus": "gpu_reports"}
"""Tables that are merged from what each bundle says, and where its words wait for that."""


def schema_sql() -> str:
    """Give the statements that create the empty tables and views."""
    return resources.files("ingest").joinpath("schema.sql").read_text("utf-8")


@cache
def columns() -> Mapping[str, Mapping[str, str]]:
    """Give the columns of every table in order, with their types."""
    with duckdb.connect() as connection:
        connection.execute(schema_sql())
        found: dict[str, dict[str, str]] = {}
        for table, column, kind in connection.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns"
            " ORDER BY table_name, ordinal_position"
        ).fetchall():
            found.setdefault(table, {})[column] = kind
    for table, waiting in REPORTED.items():
        found[waiting] = {"bundle_id": "VARCHAR", **found[table]}
    return found


def write_bundles(folder: Path, filed: Iterable[Filed], catalog: Catalog) -> None:
    """Write the rows of bundles below `folder`; each bundle may be forgotten once it was read."""
    rows: Rows = {}
    for one in filed:
        add_bundle(rows, one, catalog)
    write_tables(folder, rows)


def add_bundle(rows: Rows, filed: Filed, catalog: Catalog) -> None:
    """Add the rows of one bundle, under the tables where they wait for the database."""
    for table, found in bundle_rows(filed, catalog).items():
        rows.setdefault(REPORTED.get(table, table), []).extend(found)


def write_tables(folder: Path, rows: Mapping[str, list[Row]]) -> None:
    """Write each table of `rows` as a Parquet file into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for table, found in rows.items():
        if found:
            # Read once and thrown away: packing it would cost more than it saves.
            frame(table, found).write_parquet(folder / f"{table}.parquet", compression="lz4")


def frame(table: str, rows: list[Row]) -> pl.DataFrame:
    """Turn rows into columns of the table's types; what a row does not name is NULL."""
    kinds = columns()[table]
    data: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in kinds}
    return pl.DataFrame(data, schema={name: _TYPES[kind] for name, kind in kinds.items()})


def problem_rows(problems: Iterable[Problem]) -> Iterator[Row]:
    """Turn problems into rows of their table."""
    for p in problems:
        yield {"path": p.path, "place": p.where, "message": p.message, "severity": p.severity}


def pour(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Insert every table written below `folder`, in the order of its path."""
    for table in columns():
        files = [str(path) for path in sorted(folder.rglob(f"{table}.parquet"))]
        if files:
            connection.execute(f'INSERT INTO "{table}" BY NAME FROM read_parquet(?)', [files])

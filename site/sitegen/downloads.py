"""The data set to take away: Parquet, CSV and JSON a table, the DuckDB file, the schema."""

import json
import shutil
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import duckdb

from ingest.bundle import Bundle
from models.schema import model_schema
from sitegen.address import from_page
from sitegen.dictionary import DICTIONARY
from sitegen.escape import Html, inside, joined, text
from sitegen.numbers import number
from sitegen.package import File, croissant, data_package
from sitegen.page import Page, heading, page, paragraph
from sitegen.preformatted import preformatted
from sitegen.table import Cell, Column, Line, table

DATA = "data/"

TABLES = {
    "measurements": (
        "One number a row, with its run, rig, protocol, state and source",
        (
            "SELECT m.*, m.measurement_id IN (SELECT measurement_id FROM comparable) AS counts,"
            " r.slug, r.named, r.model, r.quant, r.engine, r.engine_build, r.threads, r.ubatch,"
            " r.ctx, r.kv, r.thinking, r.offload, r.layers_on_cpu, r.drafter, r.drafter_depth,"
            " r.drafter_device, r.expert_cache, r.cache_mib, r.gpus_used, r.outcome, s.author,"
            " s.post, s.date FROM measurements AS m JOIN runs AS r USING (run_id)"
            " JOIN sources AS s ON s.bundle_id = m.bundle_id AND s.source = m.source"
            " ORDER BY measurement_id"
        ),
    ),
    "rigs": (
        "One rig state a row: processor, memory, cards",
        (
            "SELECT s.*, m.label FROM rig_states AS s JOIN machines AS m USING (rig_id)"
            " ORDER BY state_id"
        ),
    ),
    "bandwidth": (
        "One memory-bandwidth figure a row, with its method",
        (
            "SELECT b.*, c.measured, c.counts, c.reads_per_gbps FROM rig_bandwidth AS b"
            " LEFT JOIN catalog_bandwidth AS c USING (method) ORDER BY ALL"
        ),
    ),
    "runs": ("One configuration on one rig a row", "SELECT * FROM runs ORDER BY run_id"),
    "bundles": (
        "One filed report a row, with its sources",
        (
            "SELECT b.*, list(s.url ORDER BY s.source) AS urls FROM bundles AS b"
            " JOIN sources AS s USING (bundle_id) GROUP BY ALL ORDER BY bundle_id"
        ),
    ),
}
"""File name → what it holds, and the query that makes it. Names and columns never change."""

_FORMATS = {
    "parquet": "FORMAT parquet, COMPRESSION zstd",
    "csv": "FORMAT csv, HEADER",
    "json": "FORMAT json, ARRAY true",
}


def write_downloads(db: Path, model: Path | None, folder: Path) -> list[File]:
    """Write every data file into `folder` and tell what each holds."""
    folder.mkdir(parents=True)
    files = list(_write_tables(db, folder))
    shutil.copyfile(db, folder / "rigbook.duckdb")
    files.append(_file(folder / "rigbook.duckdb", "Everything, as one DuckDB database"))
    schema = json.dumps(Bundle.model_json_schema(), indent=1, sort_keys=True)
    (folder / "report.schema.json").write_text(f"{schema}\n", encoding="utf-8")
    files.append(_file(folder / "report.schema.json", "JSON Schema of a bundle's report.json"))
    schema = json.dumps(model_schema(), indent=1)
    (folder / "model.schema.json").write_text(f"{schema}\n", encoding="utf-8")
    files.append(_file(folder / "model.schema.json", "JSON Schema of model.json"))
    if model is not None:
        shutil.copyfile(model, folder / "model.json")
        files.append(_file(folder / "model.json", "The fitted model that `predict` reads"))
    (folder / "datapackage.json").write_text(data_package(folder, files), encoding="utf-8")
    (folder / "croissant.json").write_text(croissant(folder, files), encoding="utf-8")
    files.append(_file(folder / "datapackage.json", "Data package: columns, types, units"))
    files.append(_file(folder / "croissant.json", "Croissant: the same for search engines"))
    return files


def _file(path: Path, holds: str, rows: int | None = None) -> File:
    return File(path.name, holds, rows, path.stat().st_size / 1024)


def _write_tables(db: Path, folder: Path) -> Iterator[File]:
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH {_quoted(db)} AS record (READ_ONLY); USE record")
        for name, (holds, query) in TABLES.items():
            for ending, options in _FORMATS.items():
                path = folder / f"{name}.{ending}"
                asked = flat(connection, query) if ending == "csv" else query
                done = connection.execute(f"COPY ({asked}) TO {_quoted(path)} ({options})")
                row = done.fetchone()
                yield _file(path, holds, row[0] if row else None)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def flat(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    """Make a query fit for CSV: lists become one text, and no text can start a formula."""
    described = connection.execute(f"DESCRIBE {query}").fetchall()
    columns = [_flat_column(name, kind) for name, kind, *_ in described]
    return f"SELECT {', '.join(columns)} FROM ({query})"  # noqa: S608 - our own query


def _flat_column(name: str, kind: str) -> str:
    words = f"array_to_string(\"{name}\", '; ')" if kind.endswith("[]") else f'"{name}"'
    if not kind.startswith("VARCHAR"):
        return f'{words} AS "{name}"'
    guarded = f"regexp_matches({words}, '^[=+\\-@\\t\\r]')"
    return f"CASE WHEN {guarded} THEN '''' || {words} ELSE {words} END AS \"{name}\""


def data_page(files: list[File]) -> Page:
    """Make the page that lists the files and explains every column."""
    schema = resources.files("ingest").joinpath("schema.sql").read_text("utf-8")
    licence = (
        "The data is under CC-BY-4.0, the code under Apache-2.0. Cite it as: Rigbook contributors, "
        "Rigbook data set; name the sources of the rows that you use."
    )
    guard = (
        "In CSV, lists are joined by semicolons, and a text that a spreadsheet would run as a "
        "formula starts with an apostrophe. Addresses of these files never change."
    )
    blocks = [
        paragraph(text(licence)),
        _tables(files),
        _rest(files),
        paragraph(text(guard)),
        paragraph(Html(f"{inside('feed.xml', 'An Atom feed')} tells of new reports.")),
        heading("Ask the database", "ask"),
        "```sh\nduckdb rigbook.duckdb \"FROM comparable WHERE quantity = 'decode' LIMIT 5\"\n```",
        heading("Tables and columns", "columns"),
        paragraph(text("measurements.* adds its run to each number; rigs.* is rig_states.")),
        paragraph(inside(from_page(DATA, DICTIONARY), "The data dictionary, with units")),
        preformatted(schema),
    ]
    return page(DATA, "Data", "The whole record as Parquet, CSV, JSON and DuckDB.", blocks)


def _tables(files: list[File]) -> Html:
    columns = [Column("Table"), Column("Rows", numeric=True), Column("Holds")]
    columns += [Column(ending.upper() if ending != "parquet" else "Parquet") for ending in _FORMATS]
    by_name = {one.name: one for one in files}
    lines = []
    for name, (holds, _) in TABLES.items():
        found = [by_name[f"{name}.{ending}"] for ending in _FORMATS]
        rows = found[0].rows
        count = Cell(text(number(rows)), rows)
        lines.append(Line([text(name), count, text(holds), *(_download(one) for one in found)]))
    return table("Tables", columns, lines)


def _rest(files: list[File]) -> Html:
    columns = (Column("File"), Column("Holds"))
    rest = [one for one in files if one.rows is None]
    return table("Other files", columns, [Line([_download(one), text(one.holds)]) for one in rest])


def _download(one: File) -> Html:
    size = Html(f"<small>{text(f'{number(one.kib)} KiB')}</small>")
    return joined([inside(one.name, one.name), size])

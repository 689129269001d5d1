import csv
import json
from pathlib import Path

import duckdb
import polars as pl
import pytest
from pydantic import TypeAdapter

from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.store import build
from sitegen.downloads import TABLES, data_page, flat, write_downloads
from sitegen.package import File
from sitegen.page import markdown


@pytest.fixture(scope="module")
def written(
    tmp_path_factory: pytest.TempPathFactory, catalog: Catalog, rigs: list[Filed]
) -> tuple[Path, list[File]]:
    folder = tmp_path_factory.mktemp("downloads")
    build(folder / "rigbook.duckdb", rigs, catalog, ())
    return folder / "data", write_downloads(folder / "rigbook.duckdb", None, folder / "data")


@pytest.mark.parametrize("name", TABLES)
def test_parquet_csv_and_json_hold_the_same_rows(
    written: tuple[Path, list[File]], name: str
) -> None:
    folder, _ = written
    parquet = pl.read_parquet(folder / f"{name}.parquet")
    with (folder / f"{name}.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    rows = json.loads((folder / f"{name}.json").read_text())
    assert len(parquet) == len(lines) == len(rows) > 0
    assert parquet.columns == list(lines[0]) == list(rows[0])


def test_measurements_carry_run_rig_state_and_source(written: tuple[Path, list[File]]) -> None:
    folder, _ = written
    rows = pl.read_parquet(folder / "measurements.parquet")
    flagged = rows.filter(pl.col("rig_id") == "five-epyc-7543", pl.col("quantity") == "decode")
    assert flagged.select("status", "status_reason", "counts").rows() == [
        ("flagged", "paging", False)
    ]
    assert flagged.select("slug", "threads", "source_url").rows() == [
        ("llamacpp/deepseek-flash-dual-q8", 28, "example.org/rigs/1")
    ]


def test_a_csv_cell_cannot_start_a_formula(tmp_path: Path) -> None:
    db = tmp_path / "x.duckdb"
    with duckdb.connect(str(db)) as connection:
        connection.execute("CREATE TABLE t AS SELECT '=1+1' AS a, ['+1', 'x'] AS b, -1.5 AS c")
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{db}' AS record (READ_ONLY); USE record")
        found = connection.execute(flat(connection, "SELECT * FROM t")).fetchall()
    assert [(a, b, float(c)) for a, b, c in found] == [("'=1+1", "'+1; x", -1.5)]


def test_the_database_and_the_schema_can_be_taken_away(written: tuple[Path, list[File]]) -> None:
    folder, files = written
    with duckdb.connect(str(folder / "rigbook.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM machines").fetchone() == (5,)
    schema = json.loads((folder / "report.schema.json").read_text())
    assert "rig" in TypeAdapter(dict[str, object]).validate_python(schema["properties"])
    assert {one.name for one in files} == {path.name for path in folder.iterdir()}


def test_the_package_types_every_column(written: tuple[Path, list[File]]) -> None:
    folder, _ = written
    described = json.loads((folder / "datapackage.json").read_text())
    assert [one["name"] for one in described["resources"]] == list(TABLES)
    for one in described["resources"]:
        schema = pl.read_parquet_schema(folder / one["path"])
        assert [field["name"] for field in one["schema"]["fields"]] == list(schema)
    kinds = {
        field["name"]: field["type"] for field in described["resources"][0]["schema"]["fields"]
    }
    assert (kinds["value"], kinds["n"], kinds["counts"], kinds["date"]) == (
        "number", "integer", "boolean", "date",
    )  # fmt: skip


def test_the_page_lists_every_file_and_explains_every_column(
    written: tuple[Path, list[File]],
) -> None:
    _, files = written
    shown = markdown(data_page(files))
    for one in files:
        assert f'href="{one.name}"' in shown
    assert "reads&#95;per&#95;gbps" in shown
    assert "CC-BY-4.0" in shown

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.store import build
from sitegen.downloads import TABLES, write_downloads
from sitegen.package import CONTEXT, _published, columns_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, catalog: Catalog, rigs: list[Filed]) -> Path:
    made = tmp_path_factory.mktemp("package")
    build(made / "rigbook.duckdb", rigs, catalog, ())
    write_downloads(made / "rigbook.duckdb", None, made / "data")
    return made / "data"


def loaded(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.mark.parametrize("table", TABLES)
def test_every_column_has_a_meaning_in_both_descriptions(folder: Path, table: str) -> None:
    package, croissant = loaded(folder / "datapackage.json"), loaded(folder / "croissant.json")
    (resource,) = [one for one in package["resources"] if one["name"] == table]
    (records,) = [one for one in croissant["recordSet"] if one["@id"] == table]
    columns = list(pl.read_parquet_schema(folder / f"{table}.parquet"))
    for fields in (resource["schema"]["fields"], records["field"]):
        assert [field["name"] for field in fields] == columns
        assert [field["name"] for field in fields if not field["description"]] == []


def test_a_column_means_what_its_own_table_says() -> None:
    assert columns_of("rigs")["threads"].meaning == "logical, all sockets"
    assert columns_of("runs")["threads"].meaning == "that decode"
    assert columns_of("measurements")["threads"].meaning == "that decode"
    assert columns_of("bandwidth")["gbps"].unit == "GB/s (1e9 bytes)"


def test_croissant_names_files_that_are_there_by_their_sum(folder: Path) -> None:
    for one in loaded(folder / "croissant.json")["distribution"]:
        content = (folder / one["contentUrl"]).read_bytes()
        assert one["sha256"] == hashlib.sha256(content).hexdigest()


def test_croissant_uses_no_term_that_its_context_lacks(folder: Path) -> None:
    schema_org = {"name", "description", "license", "distribution", "contentUrl", "sha256",
                  "encodingFormat", "datePublished", "version"}  # fmt: skip

    def terms(node: object) -> set[str]:
        if isinstance(node, dict):
            return set(node).union(*map(terms, node.values()))
        return set().union(*map(terms, node)) if isinstance(node, list) else set()

    document = loaded(folder / "croissant.json")
    del document["@context"]
    used = {term for term in terms(document) if not term.startswith("@")}
    assert used - schema_org - set(CONTEXT) == set()


def test_the_data_set_is_dated_by_its_newest_source_or_not_at_all(
    folder: Path, tmp_path: Path
) -> None:
    document = loaded(folder / "croissant.json")
    assert document["datePublished"] == "2026-08-11"
    assert document["version"] == "2026.8.11"
    assert document["citeAs"].endswith("Name the sources of the rows that you use.")
    shutil.copytree(folder, tmp_path / "data")
    undated = pl.read_parquet(folder / "bundles.parquet").with_columns(date=None)
    undated.write_parquet(tmp_path / "data/bundles.parquet")
    assert _published(tmp_path / "data") == {}


@pytest.mark.croissant
def test_the_reference_reader_finds_no_fault_and_reads_every_table(folder: Path) -> None:
    program = """
import sys
import mlcroissant
found = mlcroissant.Dataset(jsonld=sys.argv[1])
assert not found.metadata.issues.errors, found.metadata.issues.report()
assert not found.metadata.issues.warnings, found.metadata.issues.report()
for one in found.metadata.record_sets:
    print(one.id, sum(1 for _ in found.records(one.id)))
"""
    words = [os.environ["RIGBOOK_CROISSANT_PYTHON"], "-c", program, str(folder / "croissant.json")]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    rows = {table: len(pl.read_parquet(folder / f"{table}.parquet")) for table in TABLES}
    assert dict(line.split() for line in ran.stdout.splitlines()) == {
        table: str(count) for table, count in rows.items()
    }
    assert "not standard" not in ran.stderr

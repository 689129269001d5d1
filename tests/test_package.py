import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.store import build
from sitegen.downloads import TABLES, write_downloads
from sitegen.package import CONTEXT, columns_of


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
                  "encodingFormat"}  # fmt: skip

    def terms(node: object) -> set[str]:
        if isinstance(node, dict):
            return set(node).union(*map(terms, node.values()))
        return set().union(*map(terms, node)) if isinstance(node, list) else set()

    document = loaded(folder / "croissant.json")
    del document["@context"]
    used = {term for term in terms(document) if not term.startswith("@")}
    assert used - schema_org - set(CONTEXT) == set()

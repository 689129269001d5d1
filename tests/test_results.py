from pathlib import Path

import pytest

from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.store import build
from sitegen.results import write_results

ROOT = Path(__file__).parents[1]


def test_pages_parts_charts_and_data_are_written_with_the_models_curve(
    tmp_path: Path, catalog: Catalog, rigs: list[Filed]
) -> None:
    build(tmp_path / "x.duckdb", rigs, catalog, ())
    model = ROOT / "models/fitted/model.json"
    made = write_results(tmp_path / "x.duckdb", model, tmp_path / "results")
    assert made.problems == ()
    found = tmp_path / "results"
    assert {path.name for path in found.iterdir()} == {
        "analysis.md", "catalogue.md", "charts", "coverage.md", "data", "parts", "reference",
        "rigs", "slugs", "variants",
    }  # fmt: skip
    drawn = list((found / "charts").glob("*.svg"))
    assert len(drawn) == 2 * made.charts > 0
    assert any("mark-area" in path.read_text() for path in drawn)
    assert (found / "data/model.json").read_bytes() == model.read_bytes()


def test_no_database_is_told_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="rigbook load"):
        write_results(tmp_path / "x.duckdb", None, tmp_path)

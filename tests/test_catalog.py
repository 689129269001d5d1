import shutil
from pathlib import Path

import pytest

from ingest.catalog import Catalog, fold, load_catalog
from ingest.problem import Problem

ROOT = Path(__file__).parents[1]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return shutil.copytree(ROOT / "data/catalog", tmp_path / "catalog")


def problems_after(copy: Path, file: str, old: str, new: str) -> list[Problem]:
    path = copy / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return load_catalog(copy)[1]


def test_the_committed_catalogue_has_no_problem(catalog: Catalog) -> None:
    assert catalog.slugs
    assert catalog.models


def test_a_variant_prices_each_layer_by_its_own_size(catalog: Catalog) -> None:
    model = catalog.models["deepseek-v4-flash-0731"]
    variant = model.variant("UD-IQ2_XXS")
    assert variant is not None
    bundles = variant.bundles_mib(model)
    assert (len(bundles), bundles[0], bundles[26], bundles[42]) == (43, 1840, 2400, 2144)


def test_a_variant_without_known_bytes_has_no_bundles(catalog: Catalog) -> None:
    model = catalog.models["deepseek-v4-flash-0731"]
    variant = model.variant("UD-IQ2_XXS")
    assert variant is not None
    assert variant.model_copy(update={"bundle_mib": None}).bundles_mib(model) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "where", "message"),
    [
        ("quantities.toml", "unit =", "units =", "quantities[0].units", "did you mean 'unit'"),
        ("quantities.toml", "[[quantities]]", "[[quantity]]", "quantity", "unknown table"),
        ("slugs.toml", "cards = 2", "cards = -2", "slugs[0].cards", "got -2"),
        ("slugs.toml", "cards = 2", "", "slugs[0].cards", "'cards' is missing"),
        ("quants.toml", "[[quants]]", "[[quants", "", "is not TOML"),
        ("slugs.toml", 'engine = "', 'engine = "x', "engine", "which the catalogue does not have"),
    ],
)
def test_each_mistake_is_named_with_its_place(
    copy: Path, file: str, old: str, new: str, where: str, message: str
) -> None:
    found = problems_after(copy, file, old, new)
    assert any(where in p.where and message in p.message and file in p.path for p in found), found


def test_a_missing_file_is_a_problem_not_a_crash(copy: Path) -> None:
    (copy / "gpus.toml").unlink()
    assert any("the file is missing" in p.message for p in load_catalog(copy)[1])


def test_an_id_that_stands_twice_is_a_problem(copy: Path) -> None:
    path = copy / "gpus.toml"
    first = path.read_text().split("[[gpus]]")[1]
    path.write_text(f"{path.read_text()}\n[[gpus]]{first}")
    assert any("stands 2 times" in p.message for p in load_catalog(copy)[1])


def test_a_model_file_is_named_by_its_id(copy: Path) -> None:
    (copy / "models/inkling-small.toml").rename(copy / "models/inkling.toml")
    assert any("should be the file's name, 'inkling'" in p.message for p in load_catalog(copy)[1])


def test_folding_ignores_case_and_white_space() -> None:
    assert fold(" DeepSeek-V4  Flash\n") == fold("deepseek-v4 flash")
    assert fold("Q4_K_M") != fold("Q4_K_S")

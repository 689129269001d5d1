"""Shared fixtures: the committed catalogue, an in-memory database, and what this machine has."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from capture.tree import Tree
from ingest.bundle import Bundle, Status
from ingest.catalog import Catalog, load_catalog
from ingest.folder import Filed
from ingest.store import create, fill

ROOT = Path(__file__).parents[1]
TOOLS = {"browser": "chromium", "node": "node", "postgres": "postgres", "engine": "llama-server"}


SHARED = ROOT.parent / "shared"
"""The collected files that the record was made from, where they lie beside the checkout."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not SHARED.is_dir():
        apart = [item for item in items if item.get_closest_marker("shared")]
        config.hook.pytest_deselected(items=apart)
        items[:] = [item for item in items if item not in apart]
    for item in items:
        for marker, tool in TOOLS.items():
            if item.get_closest_marker(marker) and not shutil.which(tool):
                item.add_marker(pytest.mark.skip(reason=f"needs {tool}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> object:
    """Where everything is installed (`.ci/run`), a skipped test is a failed one."""
    report = yield
    if report.skipped and os.environ.get("RIGBOOK_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and RIGBOOK_NO_SKIPS is set"
    return report


@pytest.fixture
def document() -> dict[str, Any]:
    """The valid bundle that every invalid one is an edit of."""
    loaded: dict[str, Any] = json.loads((ROOT / "tests/reports/valid.json").read_text())
    return loaded


def _filed(document: dict[str, Any], statuses: tuple[Status, ...] = ()) -> Filed:
    bundle = Bundle.model_validate(document)
    return Filed(f"{bundle.rig.machine}/undated-test-00000000", bundle, statuses, "0" * 64)


@pytest.fixture(scope="session")
def filed() -> Callable[..., Filed]:
    """File a bundle document as the store and the rules get it."""
    return _filed


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The committed catalogue, which must be free of problems."""
    found, problems = load_catalog(ROOT / "data/catalog")
    assert problems == []
    return found


@pytest.fixture
def database(catalog: Catalog, document: dict[str, Any]) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory database that holds the valid bundle."""
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, [_filed(document)], catalog)
        yield connection


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[str], Tree]:
    """Lay out one of the invented kernel trees in `tests/trees` below a folder of its own."""

    def laid_out(name: str) -> Tree:
        root = tmp_path / name
        for line in (ROOT / f"tests/trees/{name}.tsv").read_text(encoding="utf-8").splitlines():
            path, _, told = line.partition("\t")
            content: str = json.loads(told)
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            is_hex = content.startswith("hex:")
            target.write_bytes(bytes.fromhex(content[4:]) if is_hex else content.encode() + b"\n")
        return Tree(root)

    return laid_out

"""Imports point one way: rigbook → sitegen → models → launch → ingest, and capture beside them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "ingest": "ingest",
    "launch": "launch",
    "models": "models",
    "sitegen": "site/sitegen",
    "rigbook": "rigbook",
    "capture": "capture",
}
ALLOWED = {
    "ingest": {"ingest"},
    "launch": {"launch", "ingest"},
    "models": {"models", "launch", "ingest"},
    "sitegen": {"sitegen", "models", "launch", "ingest"},
    "rigbook": {"rigbook", "sitegen", "models", "launch", "ingest", "capture"},
    "capture": {"capture", "ingest"},
}
CAPTURE_MAY_USE = (
    "ingest.bundle",
    "ingest.catalog",
    "ingest.filing",
    "ingest.hardware",
    "ingest.misuse",
    "ingest.readers",
    "ingest.redact",
)


def imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module or ""


def breaches(package: str, source: str) -> list[str]:
    ours = [name for name in imported(source) if name.split(".")[0] in PACKAGES]
    wrong = [name for name in ours if name.split(".")[0] not in ALLOWED[package]]
    if package == "capture":
        wrong += [n for n in ours if n.startswith("ingest") and not n.startswith(CAPTURE_MAY_USE)]
    return wrong


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_only_what_stands_below_it(package: str) -> None:
    found = {
        str(path.relative_to(ROOT)): breaches(package, path.read_text())
        for path in (ROOT / PACKAGES[package]).rglob("*.py")
    }
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("ingest", "import models.physics"),
        ("launch", "from models import predict"),
        ("models", "from sitegen.charts import chart"),
        ("capture", "from ingest.store import build"),
    ],
)
def test_an_import_against_the_stream_is_seen(package: str, source: str) -> None:
    assert breaches(package, source)


def test_site_is_never_a_package() -> None:
    assert not (ROOT / "site/__init__.py").exists()

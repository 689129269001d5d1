"""ARCHITECTURE.md is held to the tree: what it names exists, what exists it names."""

import importlib
import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

import duckdb
import pytest

from ingest.bundle import Source
from ingest.catalog import Catalog
from ingest.filing import draft, write_draft
from ingest.load import load
from ingest.readers.reader import read as read_text
from models.assumptions import BEFORE
from models.facts import facts_of
from models.features import features
from sitegen.fitted import Fitted
from sitegen.page import write_pages
from sitegen.record import read
from sitegen.rig import rig_pages
from sitegen.variant import variant_pages

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "ARCHITECTURE.md").read_text()
SAMPLE = ROOT / "tests/reports/samples/llama-bench-offload.md"
DOTTED = re.compile(r"(?:ingest|launch|models|sitegen|rigbook|capture)(?:\.\w+)+")
DERIVED = ("build/", "site/docs/results/", "rigbook/<verb>.py")
"""Places that are named and are not committed, or stand for many."""


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`\s]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def spread(path: str) -> list[str]:
    """`a/{b,c}.py` → `a/b.py`, `a/c.py`."""
    parts = re.split(r"\{([^}]*)\}", path)
    return ["".join(one) for one in product(*(part.split(",") for part in parts))]


def paths(text: str) -> Iterator[str]:
    fenced = re.findall(r"^((?:data|models|site)/\S*)", text, flags=re.MULTILINE)
    for word in (*quoted(text), *fenced):
        named = "/" in word or word.endswith((".md", ".yml", ".py"))
        if named and not word.startswith(DERIVED):
            yield from spread(word)


def found(name: str) -> object:
    """Find a dotted name: the longest part that is a module, then attributes."""
    steps = name.split(".")
    for cut in range(len(steps), 0, -1):
        try:
            thing: object = importlib.import_module(".".join(steps[:cut]))
        except ModuleNotFoundError:
            continue
        for step in steps[cut:]:
            thing = getattr(thing, step)
        return thing
    raise AttributeError(name)


def exists(path: str) -> bool:
    return any(ROOT.glob(path.rstrip("/"))) or any((ROOT / "ingest").glob(path))


def test_every_file_it_names_exists() -> None:
    named = list(paths(PAGE))
    assert len(named) > 60
    assert [path for path in named if not exists(path)] == []


def test_every_function_it_names_exists() -> None:
    names = [word for word in quoted(PAGE) if DOTTED.fullmatch(word)]
    assert len(names) > 30
    for name in names:
        found(name)


def test_a_file_or_function_that_is_not_there_is_seen() -> None:
    assert not exists(next(paths("`ingest/nowhere.py`")))
    with pytest.raises(AttributeError):
        found("ingest.rows.no_such_function")


def test_every_folder_and_package_of_the_tree_is_named() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", "*.py", "data"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    files = [Path(name) for name in listed.stdout.split("\0") if name] or [
        path.relative_to(ROOT) for path in ROOT.glob("*/*.py")
    ]
    packages = {path.parent for path in files if path.name == "__init__.py"}
    data = {Path(*path.parts[:2]) for path in files if path.parts[0] == "data"}
    missing = [
        str(folder) for folder in packages | data
        if f"{folder}/" not in PAGE and f"{folder.name}  " not in PAGE
    ]  # fmt: skip
    assert sorted(missing) == []


AFTER_OR_BESIDE = {
    "rigbook.read.run",  # opens the file
    "models.physics.tokens_per_s",  # prices a row once many are there
    "sitegen.points.clouds",
    "sitegen.chart.svg",  # draws once three rigs are there
    "sitegen.mkdocs.run_mkdocs",
}
"""What one number alone does not pass; other tests hold these."""


def life() -> str:
    section = PAGE.split("## The life of one number")[1].split("\n## ")[0]
    return section.split("A prediction goes")[0]


def _followed(folder: Path, catalog: Catalog) -> str:
    """Send the sample from its text to the pages; give the pages' Markdown."""
    source = Source(kind="file", url="example.org/post", author="somebody")
    (one, *_) = read_text(SAMPLE.read_bytes(), source, catalog).understood
    filed = draft(one.bundle, "post", ("report.md", SAMPLE.read_text()))
    shutil.copytree(ROOT / "data/catalog", folder / "data/catalog")
    write_draft(folder / "data/reports", filed)
    loaded = load(folder / "data", folder / "x.duckdb")
    assert [str(p) for p in loaded.problems if p.severity == "error"] == []
    with duckdb.connect(str(folder / "x.duckdb"), read_only=True) as connection:
        features(connection, catalog, facts_of(catalog), BEFORE)
        record = read(connection)
    write_pages([*variant_pages(record, Fitted(None)), *rig_pages(record)], folder / "pages")
    return "".join(path.read_text() for path in sorted((folder / "pages").rglob("*.md")))


def test_the_life_of_one_number_passes_the_functions_told(tmp_path: Path, catalog: Catalog) -> None:
    called: set[str] = set()

    def note(frame: FrameType, event: str, _arg: Any) -> None:  # noqa: ANN401 - as sys has it
        if event == "call":
            called.add(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_name}")

    sys.setprofile(note)
    try:
        pages = _followed(tmp_path, catalog)
    finally:
        sys.setprofile(None)
    assert "17.62" in pages.replace("&#46;", ".")
    told = [word for word in quoted(life()) if DOTTED.fullmatch(word)]
    functions = {name for name in told if inspect.isfunction(found(name))}
    assert len(functions) > 20
    assert sorted(functions - called - AFTER_OR_BESIDE) == []

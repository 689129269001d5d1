"""A site built in part is, byte for byte, the site built whole."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.store import build
from rigbook.__main__ import main
from sitegen.build import build_site
from sitegen.partial import STAMP, change


def contents(root: Path) -> dict[str, bytes]:
    folder = root / "build/site"
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}  # fmt: skip


def searched(files: dict[str, bytes]) -> list[tuple[str, str]]:
    docs = json.loads(files.pop("search/search_index.json"))["docs"]
    return sorted((doc["location"], doc["text"]) for doc in docs)


@pytest.fixture
def root(tmp_path: Path, checkout: Callable[[Path, list[Filed]], Path], rigs: list[Filed]) -> Path:
    made = checkout(tmp_path, rigs)
    assert build_site(made, made / "build/rigbook.duckdb").problems == ()
    return made


def test_a_part_built_site_is_the_whole_one(
    root: Path, catalog: Catalog, rigs: list[Filed], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(root)
    build(root / "build/rigbook.duckdb", rigs[:-1], catalog, ())
    asked: list[Path | None] = []
    monkeypatch.setattr("sitegen.build.run_mkdocs", lambda *_: asked.append(None))
    assert build_site(root, root / "build/rigbook.duckdb").problems == ()
    assert asked == [], "the whole site was built"
    part = contents(root)
    monkeypatch.undo()
    (root / STAMP).unlink()
    assert build_site(root, root / "build/rigbook.duckdb").problems == ()
    whole = contents(root)
    assert "results/rigs/five-epyc-7543/index.html" in before
    assert "results/rigs/five-epyc-7543/index.html" not in part
    assert searched(part) == searched(whole)
    for files in (part, whole):
        for name in [name for name in files if name.startswith(("sitemap", "results/data/"))]:
            del files[name]
    assert part.keys() == whole.keys()
    assert [name for name in part if part[name] != whole[name]] == []


def test_another_theme_hand_written_page_or_lost_stamp_builds_everything(root: Path) -> None:
    results = root / "site/docs/results"
    same = change(root, results)
    assert same is not None
    assert same == ((), ())
    glossary = root / "site/docs/glossary.md"
    kept = glossary.read_text()
    glossary.write_text(f"{kept}\nMore.\n")
    assert change(root, results) is None
    glossary.write_text(kept)
    copied = root / "fresh"
    shutil.copytree(results, copied)
    (results / "coverage.md").write_text("not what the site was made of")
    assert change(root, copied) is None
    (root / STAMP).unlink()
    assert change(root, results) is None


SLUG = "llamacpp/deepseek-flash-dual-q8"


def test_one_slug_is_made_anew_and_every_other_page_stays(
    root: Path, catalog: Catalog, rigs: list[Filed], capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(root)
    build(root / "build/rigbook.duckdb", rigs[1:], catalog, ())
    command = ["site", "--root", str(root), "--db", str(root / "build/rigbook.duckdb"), "--only"]
    assert main([*command, SLUG]) == 0
    after = contents(root)
    page = f"results/slugs/{SLUG}/index.html"
    assert b"11.6" in before[page]
    assert b"one-epyc-7543" not in after[page]
    pages = [name for name in before if name.endswith(".html")]
    assert [name for name in pages if before[name] != after[name]] == [page]
    assert main([*command, "llamacpp/deepseek-flash-q8"]) == 2
    assert f"nearest: {SLUG}" in capsys.readouterr().err


def test_one_slug_needs_a_site_to_go_into(
    tmp_path: Path, checkout: Callable[[Path, list[Filed]], Path], rigs: list[Filed]
) -> None:
    made = checkout(tmp_path, rigs)
    with pytest.raises(FileNotFoundError, match="without --only first"):
        build_site(made, made / "build/rigbook.duckdb", only=SLUG)

"""Render only what changed: pages whose Markdown is as it was keep the HTML of the site before."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from ingest.problem import Problem
from sitegen import policy
from sitegen.mkdocs import run_mkdocs
from sitegen.rendering import RENDERED

STAMP = "build/site.stamp"
MOST_SHARE = 0.5
"""Of all pages: when more changed, building the whole site is as fast."""


class Change(NamedTuple):
    """Pages of the results, by name below the folder, that are not as they were."""

    changed: tuple[str, ...]
    gone: tuple[str, ...]


def stamp(root: Path, results: Path) -> dict[str, str]:
    """Name what the site was made of: what shapes all pages, and the results."""
    shared = hashlib.sha256()
    for name in ("mkdocs", "mkdocs-material", "markdown"):
        shared.update(f"{name} {version(name)}\n".encode())
    docs = root / "site/docs"
    own = [path for path in _files(docs) if _written_by_hand(path.relative_to(docs))]
    made_by = (Path(__file__).with_name(f"{name}.py") for name in ("policy", "rendering", "script"))
    for path in (root / "mkdocs.yml", *made_by, *own):
        if path.is_file():
            shared.update(path.name.encode() + b"\0" + path.read_bytes())
    pages = hashlib.sha256()
    for name, path in sorted(_pages(results)):
        pages.update(name.encode() + b"\0" + path.read_bytes())
    return {"shared": shared.hexdigest(), "pages": pages.hexdigest()}


def write_stamp(root: Path) -> None:
    """Note what the site that stands was made of."""
    made = stamp(root, root / "site/docs" / RENDERED)
    (root / STAMP).write_text(json.dumps(made), "utf-8")


def _written_by_hand(path: Path) -> bool:
    """Tell hand-written pages from rendered ones, which lie in a dot folder while being written."""
    return path.parts[0] != RENDERED and not path.parts[0].startswith(".")


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def _pages(results: Path) -> Iterator[tuple[str, Path]]:
    for path in results.rglob("*.md"):
        yield path.relative_to(results).as_posix(), path


def change(root: Path, fresh: Path) -> Change | None:
    """Compare fresh results with those of the site that stands; None: build everything.

    Only a site that was made of the results beside it, and of the same theme and pages, will do.
    """
    old, kept = root / "site/docs" / RENDERED, root / STAMP
    if not kept.exists() or not old.exists() or not (root / "build/site").exists():
        return None
    before = json.loads(kept.read_text("utf-8"))
    if before != {"shared": stamp(root, fresh)["shared"], "pages": stamp(root, old)["pages"]}:
        return None
    then, now = dict(_pages(old)), dict(_pages(fresh))
    changed = sorted(
        name
        for name, path in now.items()
        if name not in then or then[name].read_bytes() != path.read_bytes()
    )
    if len(changed) > MOST_SHARE * len(now):
        return None
    return Change(tuple(changed), tuple(sorted(then.keys() - now.keys())))


def render(root: Path, out: Path, what: Change) -> list[Problem]:
    """Make `out` the site that stands, with the changed pages rendered anew."""
    shutil.copytree(root / "build/site", out, copy_function=os.link, dirs_exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root / "build") as name:
        made = Path(name) / "site"
        changed = [f"{RENDERED}/{page}" for page in what.changed]
        problems = run_mkdocs(root / "mkdocs.yml", made, changed)
        if problems:
            return problems
        policy.guard_folder(made)
        gone = {f"{RENDERED}/{page}" for page in what.gone}
        anew = set(changed) | _hand_written(root)
        for page in anew:
            _replace(made / _html(page), out / _html(page))
        _merge_search(made, out, anew | gone)
    for page in gone:
        (out / _html(page)).unlink(missing_ok=True)
    _copy_files(root / "site/docs" / RENDERED, out / RENDERED)
    return []


def _hand_written(root: Path) -> set[str]:
    """List the hand-written pages: they take in rendered fragments, so they are always anew."""
    docs = root / "site/docs"
    names = (path.relative_to(docs) for path in docs.rglob("*.md"))
    return {name.as_posix() for name in names if _written_by_hand(name)}


def _html(page: str) -> str:
    """Name the file that mkdocs makes of a page."""
    stem = page.removesuffix(".md")
    place = stem.removesuffix("index") if stem.rpartition("/")[2] == "index" else f"{stem}/"
    return f"{place}index.html"


def _replace(source: Path, target: Path) -> None:
    """Put a file in place of one that may be linked into the old site: never write through."""
    target.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _copy_files(results: Path, target: Path) -> None:
    """Copy what mkdocs would: charts, data and redirects, anew since they may have changed."""
    for folder in ("charts", "data"):
        for path in (target / folder).glob("*.*"):
            if path.name != "index.html":  # the data page, which mkdocs made
                path.unlink()
    for path in results.rglob("*"):
        name = path.relative_to(results)
        if path.is_file() and path.suffix != ".md" and name.parts[0] != "parts":
            _replace(path, target / name)


def _merge_search(made: Path, out: Path, named: set[str]) -> None:
    """Take the entries of some pages out of the search index, and what was made of them in."""
    name = "search/search_index.json"
    index = json.loads((out / name).read_text("utf-8"))
    fresh = json.loads((made / name).read_text("utf-8"))["docs"]
    pages = {_html(page).removesuffix("index.html") for page in named}

    def is_of(entry: dict[str, str]) -> bool:
        return entry["location"].partition("#")[0] in pages

    kept = [entry for entry in index["docs"] if not is_of(entry)]
    index["docs"] = kept + [entry for entry in fresh if is_of(entry)]
    (out / name).unlink()
    (out / name).write_text(json.dumps(index, separators=(",", ":"), ensure_ascii=False), "utf-8")

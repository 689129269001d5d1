"""The whole site: results rendered, pages built beside the old ones, each swapped in whole."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ingest.problem import Problem, has_errors
from sitegen.links import link_problems
from sitegen.mkdocs import run_mkdocs
from sitegen.notebook_page import SCRIPT
from sitegen.partial import change, render, write_stamp
from sitegen.policy import guard_folder
from sitegen.redirect import read_redirects
from sitegen.reference_cli import Verb
from sitegen.results import Results, write_one, write_results
from sitegen.script import bundle_scripts
from sitegen.swap import swapped

_MIB = 1024 * 1024


class Built(NamedTuple):
    """What a build made, or what kept it from being made."""

    folder: Path
    pages: int
    charts: int
    mib: float
    problems: tuple[Problem, ...]


class _Unfit(Exception):  # noqa: N818 - never leaves this module
    """The fresh site has errors: the old one stays."""


def _built(root: Path) -> Path | None:
    """Find the model of this checkout; a site without one has charts without curves."""
    model = root / "build/model.json"
    return model if model.exists() else None


def _with_slug(root: Path, db: Path, model: Path | None, folder: Path, slug: str) -> Results:
    """Write the results that stand, with one slug's page anew."""
    before = root / "site/docs/results"
    if not before.exists() or not (root / "build/site").exists():
        raise FileNotFoundError(f"{before}: no site yet; run `rigbook site` without --only first")
    shutil.copytree(before, folder, copy_function=os.link, dirs_exist_ok=True)
    return write_one(db, model, folder, slug)


def _all(root: Path, db: Path, model: Path | None, folder: Path, verbs: Sequence[Verb]) -> Results:
    moved = read_redirects(root)
    return write_results(db, model, folder, moved, verbs=verbs, notebook=_notebook(root))


def _whole(config: Path, fresh: Path) -> list[Problem]:
    problems = run_mkdocs(config, fresh)
    bundle_scripts(fresh)
    guard_folder(fresh)
    return problems


def _notebook(root: Path) -> Path | None:
    """Find the notebook of this checkout."""
    script = root / "notebooks" / SCRIPT
    return script if script.exists() else None


def _refuse(problems: list[Problem]) -> None:
    if has_errors(problems):
        raise _Unfit


def build_site(
    root: Path,
    db: Path,
    model: Path | None = None,
    only: str | None = None,
    *,
    verbs: Sequence[Verb] = (),
) -> Built:
    """Build `root`'s site from the database; with errors the site before it stays as it was.

    `only` names a slug whose page alone is made anew; every other page stays as it is.
    Raises FileNotFoundError when there is no checkout at `root`, no database, no such model, or
    no site to put `only` into; Misuse when there is no such slug.
    """
    config = root / "mkdocs.yml"
    if not config.exists():
        raise FileNotFoundError(f"{config}: not there; run inside a checkout, or give --root")
    folder = root / "build/site"
    problems: list[Problem] = []
    fitted = model or _built(root)
    try:
        with swapped(root / "site/docs/results") as results:
            if only is None:
                made = _all(root, db, fitted, results, verbs)
            else:
                made = _with_slug(root, db, fitted, results, only)
            problems += made.problems
            _refuse(problems)
            what = change(root, results)
        with swapped(folder) as fresh:
            problems += render(root, fresh, what) if what else _whole(config, fresh)
            problems += link_problems(fresh)
            _refuse(problems)
        write_stamp(root)
    except _Unfit:
        return Built(folder, 0, 0, 0.0, tuple(problems))
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    pages = sum(path.suffix == ".html" for path in files)
    return Built(folder, pages, made.charts, size / _MIB, tuple(problems))

"""Check paths: bundle folders by schema and rules, the catalogue by its own."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ingest import passes, plausible, text, walls  # noqa: F401 - each registers its rules
from ingest.catalog import Catalog, load_catalog
from ingest.duplicates import duplicate_problems, duplicates
from ingest.folder import Filed, bundle_folders, read_folder
from ingest.problem import Problem
from ingest.rules import rule_problems
from ingest.shipped import shipped


class Checked(NamedTuple):
    """What was found: the catalogue, the bundles that can be trusted, every problem."""

    catalog: Catalog
    filed: tuple[Filed, ...]
    problems: tuple[Problem, ...]


def check(paths: Iterable[Path]) -> Checked:
    """Check everything at or below `paths`.

    A path that holds `catalog/` is checked against that catalogue, and the catalogue with it;
    otherwise the shipped catalogue is used. A path that is not there is a problem.
    """
    roots = list(paths)
    catalog, problems = load_catalog(_catalog_of(roots))
    filed: list[Filed] = []
    for root in roots:
        if not root.exists():
            problems.append(Problem(str(root), "", "there is nothing here; check the path"))
            continue
        folder = root.parent if root.is_file() else root
        for found in bundle_folders(folder):
            bundle, doubts = read_folder(found)
            problems += doubts
            if bundle is not None:
                problems += rule_problems(bundle, catalog)
                filed.append(bundle)
    problems += _twice(filed)
    problems += duplicate_problems(duplicates(filed, catalog))
    return Checked(catalog, tuple(filed), tuple(problems))


def _catalog_of(roots: Iterable[Path]) -> Path:
    for root in roots:
        for folder in (root, root / "catalog"):
            if (folder / "quantities.toml").exists():
                return folder
    return Path(shipped("catalog"))


def _twice(filed: Iterable[Filed]) -> list[Problem]:
    """List bundles whose id another folder has already."""
    first: dict[str, str] = {}
    problems = []
    for one in filed:
        other = first.setdefault(one.bundle.id, one.path)
        if other != one.path:
            problems.append(
                Problem(f"{one.path}/report.json", "id", f"the same bundle lies in {other}")
            )
    return problems

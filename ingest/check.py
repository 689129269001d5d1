"""Check paths: bundle folders by schema and rules, the catalogue by its own."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ingest import passes, plausible, text, walls  # noqa: F401 - each registers its rules
from ingest.catalog import Catalog, load_catalog
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
    catalog, problems = load_catalog(catalog_of(roots))
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
    problems += twice((one.path, one.bundle.id) for one in filed)
    return Checked(catalog, tuple(filed), tuple(problems))


def catalog_of(roots: Iterable[Path]) -> Path:
    """Find the catalogue to check by: the one at or in a root, else the shipped one."""
    for root in roots:
        for folder in (root, root / "catalog"):
            if (folder / "quantities.toml").exists():
                return folder
    return Path(shipped("catalog"))


def twice(named: Iterable[tuple[str, str]]) -> list[Problem]:
    """List folders whose bundle's id another folder has already, given as (folder, id)."""
    first: dict[str, str] = {}
    problems = []
    for path, identity in named:
        other = first.setdefault(identity, path)
        if other != path:
            problems.append(
                Problem(f"{path}/report.json", "id", f"the same bundle lies in {other}")
            )
    return problems

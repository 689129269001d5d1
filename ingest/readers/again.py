"""Stored raw texts read again: what a bundle would say now, against what it says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ingest.bundle import Bundle, canonical_json, leaves
from ingest.catalog import Catalog
from ingest.folder import bundle_folders, read_folder
from ingest.problem import Problem
from ingest.readers.reader import read

RAW_FILE = "report.md"
"""The pasted texts; collected rows (`rows.jsonl`) have their own importer."""

KEPT = ("id", "submitter", "sources")
"""Fixed when the bundle was made, or decided by a person: never changed by a reader."""


class Change(NamedTuple):
    """One place that reads differently now; None where nothing stands."""

    pointer: str
    before: Any
    after: Any


class Reread(NamedTuple):
    """One stored bundle that would change."""

    folder: Path
    bundle: Bundle
    changes: tuple[Change, ...]


class Told(NamedTuple):
    """Everything that was read again."""

    read: int
    changed: tuple[Reread, ...]
    problems: tuple[Problem, ...]


def reread(root: Path, catalog: Catalog) -> Told:
    """Read every stored text below `root` again."""
    count, changed, problems = 0, [], []
    for folder in bundle_folders(root):
        raw = folder / RAW_FILE
        if not raw.is_file():
            continue
        filed, doubts = read_folder(folder)
        problems += doubts
        if filed is None:
            continue
        count += 1
        found = read(raw.read_bytes(), filed.bundle.sources[0], catalog).understood
        if len(found) != 1:
            message = f"gives {len(found)} bundles now, not one; see `rigbook read {raw}`"
            problems.append(Problem(str(raw), "", message))
            continue
        now = merged(filed.bundle, found[0].bundle)
        changes = tuple(changes_of(filed.bundle, now))
        if changes:
            changed.append(Reread(folder, now, changes))
    return Told(count, tuple(changed), tuple(problems))


def merged(stored: Bundle, now: Bundle) -> Bundle:
    """Take what is read now, but keep what was fixed or decided: id, sources, names of the rig."""
    rig = now.rig.model_copy(update={"machine": stored.rig.machine, "state": stored.rig.state})
    kept = {name: getattr(stored, name) for name in KEPT}
    return now.model_copy(update={**kept, "rig": rig})


def changes_of(before: Bundle, after: Bundle) -> Iterator[Change]:
    """List the leaves that differ."""
    old, new = (
        dict(leaves(bundle.model_dump(mode="json", exclude_defaults=True)))
        for bundle in (before, after)
    )
    for pointer in sorted(old.keys() | new.keys()):
        if old.get(pointer) != new.get(pointer):
            yield Change(pointer, old.get(pointer), new.get(pointer))


def write(one: Reread) -> None:
    """Replace the stored bundle by what is read now; the raw text and its states stay."""
    beside = one.folder / ".report.json.part"
    beside.write_text(canonical_json(one.bundle), encoding="utf-8")
    beside.replace(one.folder / "report.json")

"""Where a bundle's folder lies, and how it is written: beside, then renamed, never half."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ingest.bundle import (
    Bundle,
    Provenance,
    Rig,
    Run,
    Source,
    Status,
    bundle_id,
    canonical_json,
)
from ingest.folder import FILES, ID_CHARS, bundle_folders
from ingest.problem import Problem

MAX_PART_CHARS = 80
"""A folder name must stay below the 255 bytes of common file systems, with room to spare."""

UNDATED = "undated"


class Draft(NamedTuple):
    """A bundle ready to be filed: its folder below the root, and its files by name."""

    folder: str
    files: dict[str, bytes]


class Parts(NamedTuple):
    """Everything of a bundle but its id: what is still joined before it is sealed."""

    rig: Rig
    sources: tuple[Source, ...]
    runs: tuple[Run, ...]
    provenance: dict[str, Provenance]
    lines: tuple[str, ...]
    statuses: tuple[Status, ...]


def path_part(text: str) -> str:
    """Fold `text` to one safe path segment of lower-case [a-z0-9._-]; never empty, `.` or `..`.

    Everything else becomes a hyphen; hyphens and dots at the ends go, so that no segment can
    climb out of its folder or hide.
    """
    folded = re.sub(r"[^a-z0-9._]+", "-", text.casefold())
    folded = re.sub(r"-{2,}|\.{2,}", "-", folded)[:MAX_PART_CHARS]
    return folded.strip("-._") or "unnamed"


def folder_of(bundle: Bundle, source: str) -> str:
    """Name the folder of `bundle` below the reports: `<machine>/<date>-<source>-<id8>`.

    `source` is a short name of its main source; the date is the earliest of its sources.
    """
    dates = [one.date for one in bundle.sources if one.date]
    date = min(dates).isoformat() if dates else UNDATED
    name = f"{date}-{path_part(source)}-{bundle.id[:ID_CHARS]}"
    return f"{path_part(bundle.rig.machine)}/{name}"


def draft(
    bundle: Bundle, source: str, raw: tuple[str, str], statuses: Iterable[Status] = ()
) -> Draft:
    """Lay out the files of `bundle`; `raw` is the raw text's file name and content."""
    name, text = raw
    files = {"report.json": canonical_json(bundle).encode(), name: text.encode()}
    lines = "".join(status.model_dump_json(exclude_defaults=True) + "\n" for status in statuses)
    if lines:
        files["status.jsonl"] = lines.encode()
    unknown = files.keys() - set(FILES)
    if unknown:
        raise ValueError(f"not part of a bundle: {', '.join(sorted(unknown))}")
    return Draft(folder_of(bundle, source), files)


def sealed(parts: Parts, short: str) -> tuple[Bundle, Draft]:
    """Give `parts` their id and lay out their folder; `short` names the source in its name."""
    text = "".join(f"{line}\n" for line in parts.lines)
    authors = {source.author for source in parts.sources if source.kind == "table"}
    bundle = Bundle(
        id=bundle_id([source.url for source in parts.sources], text),
        submitter=authors.pop() if len(authors) == 1 else None,
        sources=parts.sources,
        rig=parts.rig,
        runs=parts.runs,
        provenance=parts.provenance,
    )
    return bundle, draft(bundle, short, ("rows.jsonl", text), parts.statuses)


def write_draft(root: Path, one: Draft) -> bool:
    """Write one bundle folder whole; False when it lies there already, byte for byte.

    The folder is written beside its place and renamed into it, so that a kill at any moment
    leaves the old folder, the new one or none, but never half of one.
    """
    target = root / one.folder
    if root.resolve() not in target.resolve().parents:
        raise ValueError(f"{one.folder} would lie outside {root}")
    if target.is_dir() and _content(target) == one.files:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=".filing-", dir=target.parent))
    try:
        for name, content in one.files.items():
            (beside / name).write_bytes(content)
        beside.chmod(0o755)
        _swap(beside, target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return True


def _content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def _swap(beside: Path, target: Path) -> None:
    if not target.exists():
        beside.rename(target)
        return
    # A folder cannot replace a filled one in a single step: the files do, one rename each.
    for path in beside.iterdir():
        os.replace(path, target / path.name)
    for name in _content(target).keys() - set(FILES):
        (target / name).unlink()


def stray_folders(root: Path, drafts: Iterable[Draft]) -> list[Problem]:
    """List bundle folders below `root` that `drafts` no longer produce; they are left alone."""
    wanted = {root / one.folder for one in drafts}
    return [
        Problem(str(folder), "", "is no longer produced; remove it if its record is gone", "note")
        for folder in bundle_folders(root)
        if folder not in wanted
    ]

"""One folder a bundle: `<machine>/<date>-<source>-<id8>/{report.json, raw text, status.jsonl}`."""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from ingest.bundle import Bundle, Status, bundle_id
from ingest.problem import Problem
from ingest.shape import shape_problems

RAW_FILES = ("report.md", "rows.jsonl")
"""The raw text that a bundle was read from: a pasted report, or the collected rows."""

FILES = ("report.json", *RAW_FILES, "status.jsonl")

MAX_FILE_BYTES = 5_000_000
"""A pasted report is at most 65,536 characters; a log beside it rarely passes a megabyte."""

ID_CHARS = 8


class Filed(NamedTuple):
    """A bundle as it lies in `data/reports`: its folder, its states, a hash over its files.

    `raw` tells what it was read from: collected `rows`, a pasted `report`, or a report that holds
    the engine's own `log`.
    """

    path: str
    bundle: Bundle
    statuses: tuple[Status, ...]
    content_hash: str
    raw: Literal["rows", "report", "log"] | None = None


def bundle_folders(root: Path) -> Iterator[Path]:
    """List the folders at or below `root` that hold a `report.json`, in order."""
    yield from sorted(path.parent for path in root.rglob("report.json"))


def read_folder(folder: Path) -> tuple[Filed | None, list[Problem]]:
    """Read one bundle folder; None with its problems when it cannot be trusted."""
    return parse_folder(folder, *read_files(folder))


def parse_folder(
    folder: Path, contents: dict[str, bytes], problems: list[Problem]
) -> tuple[Filed | None, list[Problem]]:
    """Parse what `read_files` gave of a bundle folder, with the problems found there."""
    path = f"{folder.parent.name}/{folder.name}"
    bundle, found = _parse_bundle(str(folder / "report.json"), contents.get("report.json", b""))
    statuses, doubts = _parse_statuses(str(folder / "status.jsonl"), contents)
    problems = problems + found + doubts
    if bundle is None or problems:
        return None, problems
    problems = list(_name_problems(folder, bundle, contents))
    if problems:
        return None, problems
    return Filed(path, bundle, statuses, content_hash(contents), _raw_kind(contents)), []


def read_files(folder: Path) -> tuple[dict[str, bytes], list[Problem]]:
    """Read the files of a bundle folder by name, and list what may not lie there."""
    contents: dict[str, bytes] = {}
    problems = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            refusal = _refusal(entry)
            content = b"" if refusal else _content(entry.path)
            refusal = refusal or not_text(content)
            if refusal:
                problems.append(Problem(entry.path, "", refusal))
            else:
                contents[entry.name] = content
    return contents, problems


def _content(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _refusal(entry: os.DirEntry[str]) -> str | None:
    """Say why a file may not lie in a bundle folder; None if it may."""
    if not entry.is_file(follow_symlinks=False):
        return "should be a plain file, not a link or folder; remove it"
    if entry.name not in FILES:
        return f"is not part of a bundle; only {', '.join(FILES)} are"
    size = entry.stat(follow_symlinks=False).st_size
    if size > MAX_FILE_BYTES:
        return f"should be at most {MAX_FILE_BYTES:,} bytes, got {size:,}; cut the log"
    return None


_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""Control characters that no text file has; escape (0x1b) stays, terminals colour logs with it."""


def not_text(content: bytes) -> str | None:
    """Say why `content` is not plain text (an archive, say); None if it is."""
    found = _CONTROLS.search(content)
    if found:
        return f"should be plain text, but holds byte {found[0][0]:#04x}; archives are not read"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"should be UTF-8, but byte {error.start:,} is not; save it as UTF-8"
    return None


def _parse_bundle(path: str, content: bytes) -> tuple[Bundle | None, list[Problem]]:
    try:
        return Bundle.model_validate_json(content), []
    except ValidationError as error:
        return None, shape_problems(path, error, Bundle)


def _parse_statuses(
    path: str, contents: dict[str, bytes]
) -> tuple[tuple[Status, ...], list[Problem]]:
    statuses, problems = [], []
    for number, line in enumerate(contents.get("status.jsonl", b"").splitlines(), start=1):
        try:
            statuses.append(Status.model_validate_json(line))
        except ValidationError as error:
            problems += shape_problems(f"{path}:{number}", error, Status)
    return tuple(statuses), problems


def raw_text(contents: dict[str, bytes]) -> bytes | None:
    """Find the raw text among a folder's files, or None."""
    return next((contents[name] for name in RAW_FILES if name in contents), None)


_TIMED = re.compile(
    rb"eval time\s*=\s*[\d.]+ ms|Avg generation throughput:|\bprint_timing\b|prompt eval rate:"
)
"""What llama.cpp, vLLM and KTransformers print of each request, in their own logs."""


def _raw_kind(contents: dict[str, bytes]) -> Literal["rows", "report", "log"] | None:
    if "report.md" in contents:
        return "log" if _TIMED.search(contents["report.md"]) else "report"
    return "rows" if "rows.jsonl" in contents else None


def _name_problems(folder: Path, bundle: Bundle, contents: dict[str, bytes]) -> Iterator[Problem]:
    """Hold the folder's names against what the bundle says of itself."""
    path = str(folder / "report.json")
    if folder.parent.name != bundle.rig.machine:
        yield Problem(
            path,
            "rig.machine",
            f"should be its folder {folder.parent.name!r}, got"
            f" {bundle.rig.machine!r}; move the folder",
        )
    if not folder.name.endswith(f"-{bundle.id[:ID_CHARS]}"):
        yield Problem(
            path, "id", f"the folder's name should end in -{bundle.id[:ID_CHARS]}; rename it"
        )
    text = raw_text(contents)
    if text is not None:
        addresses = [source.url for source in bundle.sources]
        wanted = bundle_id(addresses, text.decode("utf-8", errors="replace"))
        if wanted != bundle.id:
            yield Problem(
                path,
                "id",
                f"should be {wanted}, the hash of its sources and raw text;"
                " the text or the sources were changed after it was made",
            )


def content_hash(contents: dict[str, bytes]) -> str:
    """Hash the files of a bundle folder, names and contents."""
    whole = hashlib.sha256()
    for name in sorted(contents):
        whole.update(name.encode() + b"\0" + hashlib.sha256(contents[name]).digest())
    return whole.hexdigest()

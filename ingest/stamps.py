"""Which machines' folders changed, told from what the file system says of them, unread.

A stamp holds the inode, size and times (modified, changed) of a folder and of every file in it.
Only equality counts, never order, so a clock that goes back changes nothing. A stamp taken within
`RACY_S` of a time in it is not trusted: the file may change again within one tick of the clock.
"""

import os
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

RACY_S = 2.0
"""The coarsest tick of a common file system: FAT keeps even seconds; ext4 and NFS are finer."""

REPORT = "report.json"


class Stamp(NamedTuple):
    """A folder's files by name, and the numbers the file system gives for it and for them."""

    names: tuple[str, ...]
    numbers: bytes


Stamps = Mapping[str, Stamp]
"""Every folder of one machine, by its path below the reports."""


def machines(reports: Path) -> list[str]:
    """List the machines' folders below `reports`."""
    with os.scandir(reports) as entries:
        return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))


def unchanged(reports: str, known: Stamps) -> bool:
    """Tell whether every folder of a machine still looks as `known` says."""
    return bool(known) and all(
        stamp.numbers and _numbers(f"{reports}/{path}", stamp.names) == stamp.numbers
        for path, stamp in known.items()
    )


def stamped(reports: Path, machine: str) -> dict[str, Stamp]:
    """Stamp every folder of a machine; to be called before its files are read."""
    found = {}
    for folder, _, names in os.walk(reports / machine):
        numbers = _numbers(folder, names)
        path = os.path.relpath(folder, reports)
        found[path] = Stamp(tuple(names), numbers if _settled(numbers) else b"")
    return found


def bundles(stamps: Stamps) -> Iterator[str]:
    """List the folders that hold a report."""
    return (path for path in sorted(stamps) if REPORT in stamps[path].names)


def _numbers(folder: str, names: Iterable[str]) -> bytes:
    """Give the numbers of a folder and its files, or nothing when one of them is gone."""
    numbers = array("q")
    try:
        for path in (folder, *(f"{folder}/{name}" for name in names)):
            told = os.lstat(path)
            numbers.extend((told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns))
    except FileNotFoundError:
        return b""
    return numbers.tobytes()


def _settled(numbers: bytes) -> bool:
    now, times = time.time_ns(), array("q", numbers)
    newest = [*times[2::4], *times[3::4]]
    return all(abs(now - one) > RACY_S * 1e9 for one in newest)

"""Whether a machine's folders changed, told from what the file system says of them, unread.

A stamp holds the inode, size and times (modified, changed) of every folder and file of a machine.
Only equality counts, never order, so a clock that goes back changes nothing. A stamp taken within
`RACY_S` of a time in it is not trusted: the file may change again within one tick of the clock.
"""

import os
import time
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

RACY_S = 2.0
"""The coarsest tick of a common file system: FAT keeps even seconds; ext4 and NFS are finer."""

REPORT = "report.json"


class Stamp(NamedTuple):
    """What a machine looked like: its folders and files, a path a line, and their numbers.

    No numbers mean that the stamp is not to be trusted.
    """

    paths: str
    numbers: bytes

    def stands(self, reports: str) -> bool:
        """Tell whether everything below `reports` still looks like this."""
        return bool(self.numbers) and self.numbers == _numbers(reports, self.paths.split("\n"))

    def bundles(self) -> list[str]:
        """List the folders that hold a report."""
        end = f"/{REPORT}"
        return sorted(p.removesuffix(end) for p in self.paths.split("\n") if p.endswith(end))


def machines(reports: Path) -> list[str]:
    """List the machines' folders below `reports`."""
    with os.scandir(reports) as entries:
        return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))


def stamped(reports: Path, machine: str) -> Stamp:
    """Stamp every folder and file of a machine; to be called before any is read."""
    paths: list[str] = []
    for folder, _, names in os.walk(reports / machine):
        inside = os.path.relpath(folder, reports)
        paths += (inside, *(f"{inside}/{name}" for name in names))
    numbers = _numbers(str(reports), paths)
    # A name with a line feed in it cannot be kept a line; the folder's check will refuse it.
    sound = _settled(numbers) and not any("\n" in path for path in paths)
    return Stamp("\n".join(paths), numbers if sound else b"")


def _numbers(reports: str, paths: Iterable[str]) -> bytes:
    """Give the numbers of every path, or nothing when one of them is gone."""
    numbers: list[int] = []
    try:
        for path in paths:
            told = os.lstat(f"{reports}/{path}")
            numbers += (told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    return array("Q", numbers).tobytes()


def _settled(numbers: bytes) -> bool:
    now, times = time.time_ns(), array("Q", numbers)
    newest = [*times[2::4], *times[3::4]]
    return all(abs(now - one) > RACY_S * 1e9 for one in newest)

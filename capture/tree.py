"""The kernel's files as a tree that can lie anywhere: `/` on a rig, a recorded one in a test."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MAX_BYTES = 4_000_000
"""/proc/cpuinfo of a 512-thread machine is about a megabyte; nothing read here is larger."""


class Tree(NamedTuple):
    """Kernel files below `root`."""

    root: Path

    def bytes(self, path: str) -> bytes | None:
        """Read a file; None where it is absent, unreadable for this user, or fails to answer."""
        try:
            with (self.root / path).open("rb") as file:
                return file.read(MAX_BYTES)
        except OSError:
            # sysfs files exist and yet answer ENODATA, EINVAL or EPERM: the same "not told".
            return None

    def text(self, path: str) -> str | None:
        """Read a file as text without its last newline; None where it is not told."""
        content = self.bytes(path)
        return None if content is None else content.decode("utf-8", errors="replace").strip()

    def number(self, path: str) -> int | None:
        """Read a file that holds one whole number, decimal or 0x; None for anything else."""
        text = self.text(path) or ""
        if re.fullmatch(r"-?[0-9]{1,20}", text):
            return int(text)
        return int(text, 16) if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", text) else None

    def forbidden(self, path: str) -> bool:
        """Tell whether a file is there but not for this user: root would add it."""
        target = self.root / path
        try:
            target.open("rb").close()
        except PermissionError:
            return True
        except OSError:
            return False
        return False

    def folders(self, pattern: str) -> Iterator[str]:
        """List paths that fit `pattern`, in the order of the numbers in them."""
        found = (str(path.relative_to(self.root)) for path in self.root.glob(pattern))
        yield from sorted(found, key=_by_number)


def _by_number(path: str) -> list[tuple[int, str]]:
    parts = re.split(r"([0-9]+)", path)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def cpu_list(text: str | None) -> tuple[int, ...]:
    """Read the kernel's list of processors: `0-3,8` → 0, 1, 2, 3, 8; () for anything else."""
    found: list[int] = []
    for part in (text or "").split(","):
        span = re.fullmatch(r"\s*([0-9]{1,5})(?:-([0-9]{1,5}))?\s*", part)
        if span:
            first = int(span[1])
            found += range(first, int(span[2] or first) + 1)
    return tuple(found)

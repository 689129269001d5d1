"""Size, NUMA nodes and page policy of the host memory, as the kernel tells them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from capture.field import Field
from capture.tree import Tree

KIB_PER_GIB = 1024**2


class MemInfo(NamedTuple):
    """/proc/meminfo in KiB; None where a line is not there."""

    total: int | None
    available: int | None
    swap_total: int | None
    swap_free: int | None
    shmem: int | None
    shmem_huge: int | None


def meminfo(text: str) -> MemInfo:
    """Read /proc/meminfo."""
    lines = dict(re.findall(r"^(\w+):\s+([0-9]{1,15}) kB$", text, re.MULTILINE))
    names = ("MemTotal", "MemAvailable", "SwapTotal", "SwapFree", "Shmem", "ShmemHugePages")
    return MemInfo(*(int(lines[name]) if name in lines else None for name in names))


def chosen(text: str | None) -> str | None:
    """Find the choice that the kernel marks: `always [madvise] never` → madvise."""
    found = re.search(r"\[([a-z_]+)\]", text or "")
    return found[1] if found else None


def thp(tree: Tree) -> str | None:
    """Describe the policy of transparent huge pages as a club-3090 report does."""
    folder = "sys/kernel/mm/transparent_hugepage"
    names = ("enabled", "shmem_enabled", "defrag")
    told = ((name, chosen(tree.text(f"{folder}/{name}"))) for name in names)
    return " · ".join(f"{name}={choice}" for name, choice in told if choice) or None


def memory_fields(tree: Tree) -> Iterator[Field]:
    """List what the kernel tells of the host memory."""
    total = meminfo(tree.text("proc/meminfo") or "").total
    nodes = len(list(tree.folders("sys/devices/system/node/node[0-9]*")))
    if total:
        yield Field("memory.gib", round(total / KIB_PER_GIB, 2), "measured", "/proc/meminfo")
    if nodes:
        yield Field("memory.numa_nodes", nodes, "measured", "sysfs node")
    yield Field("memory.thp", thp(tree), "measured", "sysfs transparent_hugepage")

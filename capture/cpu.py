"""Processor and topology, from sysfs and /proc/cpuinfo. Counts are over all sockets."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from capture.field import Field
from capture.tree import Tree, cpu_list

TOPOLOGY = "sys/devices/system/cpu"


class Core(NamedTuple):
    """One physical core: its socket, its number there, its logical processors, its NUMA node."""

    socket: int
    number: int
    threads: tuple[int, ...]
    node: int | None


class Topology(NamedTuple):
    """The online cores, and the bytes of all last-level caches together."""

    cores: tuple[Core, ...]
    llc_bytes: int | None

    @property
    def sockets(self) -> int:
        """Count the sockets."""
        return len({core.socket for core in self.cores})

    @property
    def threads(self) -> int:
        """Count the logical processors."""
        return sum(len(core.threads) for core in self.cores)


def topology(tree: Tree) -> Topology:
    """Read the online cores in order of socket and number; no cores where sysfs does not tell."""
    cores: dict[tuple[int, int, int], list[int]] = {}
    for cpu in cpu_list(tree.text(f"{TOPOLOGY}/online")):
        at = f"{TOPOLOGY}/cpu{cpu}/topology"
        core = tree.number(f"{at}/core_id")
        if core is not None:
            # Core ids restart in each die on some machines, and -1 stands for "one of one".
            socket = max(tree.number(f"{at}/physical_package_id") or 0, 0)
            die = tree.number(f"{at}/die_id") or 0
            cores.setdefault((socket, die, core), []).append(cpu)
    nodes = _nodes(tree)
    found = (
        Core(socket, number, tuple(threads), nodes.get(threads[0]))
        for (socket, _, number), threads in sorted(cores.items())
    )
    return Topology(tuple(found), _llc_bytes(tree))


def _nodes(tree: Tree) -> dict[int, int]:
    """Map each logical processor to its NUMA node."""
    return {
        cpu: int(re.sub(r"\D", "", folder.rpartition("/")[2]))
        for folder in tree.folders("sys/devices/system/node/node[0-9]*")
        for cpu in cpu_list(tree.text(f"{folder}/cpulist"))
    }


SIZE_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


def _llc_bytes(tree: Tree) -> int | None:
    """Add up the distinct caches of the highest level."""
    caches: dict[tuple[int, str], int] = {}
    for folder in tree.folders(f"{TOPOLOGY}/cpu[0-9]*/cache/index[0-9]*"):
        size = re.fullmatch(r"([0-9]{1,12})([KMG]?)", tree.text(f"{folder}/size") or "")
        level = tree.number(f"{folder}/level")
        shared = tree.text(f"{folder}/shared_cpu_list")
        if size and level and shared and tree.text(f"{folder}/type") != "Instruction":
            caches[level, shared] = int(size[1]) * SIZE_UNITS[size[2]]
    top = max((level for level, _ in caches), default=0)
    return sum(size for (level, _), size in caches.items() if level == top) or None


def cpu_name(cpuinfo: str) -> str | None:
    """Find the processor's name in /proc/cpuinfo; ARM names it only in some kernels."""
    found = re.search(r"^(?:model name|Model|Hardware)\s*:\s*(\S.*?)\s*$", cpuinfo, re.MULTILINE)
    return " ".join(found[1].split()) if found else None


def is_guest(cpuinfo: str) -> bool:
    """Tell whether the processor says that a hypervisor stands between (x86 only)."""
    flags = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    return bool(flags and " hypervisor " in f"{flags[1]} ")


def cpu_fields(tree: Tree) -> Iterator[Field]:
    """List what the kernel tells of the processor."""
    cpuinfo = tree.text("proc/cpuinfo") or ""
    found = topology(tree)
    way = "sysfs cpu topology"
    yield Field("cpu.model", cpu_name(cpuinfo), "measured", "/proc/cpuinfo")
    if found.cores:
        yield Field("cpu.sockets", found.sockets, "measured", way)
        yield Field("cpu.cores", len(found.cores), "measured", way)
        yield Field("cpu.threads", found.threads, "measured", way)

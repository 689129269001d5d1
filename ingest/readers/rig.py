"""What follows from the rig's own fields: generation, memory kind, and the keys of the box."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ingest.catalog import Catalog, CpuEntry
from ingest.filing import path_part
from ingest.hardware import find_cpu, find_gpu
from ingest.readers.item import Doubt, Fact, Item

DDR5_FROM_MTS = 4000
"""The slowest DDR5 runs at 4000 (JEDEC JESD79-5 starts at 3200, no board ships below 3600 but in
four-slot desktops, which the processor tells apart); the fastest common DDR4 at 3600."""

EITHER_KIND = ("alder-lake",)
"""Generations whose boards take DDR4 or DDR5 (ark.intel.com): the processor tells nothing."""


def inferred_facts(rig: dict[str, Any], catalog: Catalog) -> Iterator[Item]:
    """Derive what the processor's name tells: each fact is marked inferred, with its reason."""
    cpu = rig.get("cpu") or {}
    entry = find_cpu(catalog, str(cpu.get("model", "")))
    if entry:
        note = f"from the processor, {entry.id}"
        yield Fact("rig.cpu.generation", entry.generation, 0, 5, "inferred", note)
        if not cpu.get("cores") and not cpu.get("guest"):
            sockets = int(cpu.get("sockets") or 1)
            yield Fact("rig.cpu.cores", entry.cores * sockets, 0, 5, "inferred", note)
    yield from _memory(rig.get("memory") or {}, entry, int(cpu.get("sockets") or 1))


def _memory(memory: dict[str, Any], entry: CpuEntry | None, sockets: int) -> Iterator[Item]:
    mts = memory.get("mts")
    kind = _kind(entry, mts)
    if kind:
        told = entry is not None and entry.generation not in EITHER_KIND
        note = "from the processor" if told else "from the transfer rate"
        yield Fact("rig.memory.kind", kind, 0, 5, "inferred", note)
    total = memory.get("channels_total")
    if entry and total and total > entry.channels * sockets:
        most = entry.channels * sockets
        populated = min(memory.get("channels_populated", most), most)
        note = f"{total} slots were counted; {entry.id} has {entry.channels} channels"
        yield Doubt(0, note, "note")
        yield Fact("rig.memory.channels_total", most, 0, -1, "inferred", note)
        yield Fact("rig.memory.channels_populated", populated, 0, -1, "inferred", note)


def _kind(entry: CpuEntry | None, mts: float | None) -> str | None:
    either = entry is not None and entry.generation in EITHER_KIND
    if entry and entry.memory in ("DDR4", "DDR5") and not either:
        return entry.memory
    if mts is None:
        return None
    return "DDR5" if mts >= DDR5_FROM_MTS else "DDR4"


def rig_keys(rig: dict[str, Any], catalog: Catalog, author: str | None) -> tuple[str, str]:
    """Name the machine and its state from what stays and what changes in a box."""
    cpu = rig.get("cpu") or {}
    spelled = str(cpu.get("model", ""))
    entry = find_cpu(catalog, spelled)
    # As the record names them: by processor; by cards where the processor is not told.
    cards = "-".join(_cards(rig, catalog)) or "undescribed"
    box = entry.id if entry else path_part(spelled)[:40] if spelled else cards
    machine = path_part(f"{author or 'unknown'}-{box}")
    return machine, path_part("-".join(_state(rig, catalog)) or "undescribed")


def _state(rig: dict[str, Any], catalog: Catalog) -> Iterator[str]:
    memory = rig.get("memory") or {}
    if memory.get("kind"):
        yield str(memory["kind"])
    if memory.get("mts"):
        yield f"{memory['mts']:g}"
    if memory.get("channels_populated"):
        yield f"{memory['channels_populated']}ch"
    elif memory.get("gib"):
        yield f"{round(memory['gib'])}gib"
    if rig.get("gpus") and not isinstance(rig["gpus"], list):
        yield "no-gpu"
    yield from _cards(rig, catalog, capped=True)


def _cards(rig: dict[str, Any], catalog: Catalog, *, capped: bool = False) -> Iterator[str]:
    gpus = rig.get("gpus")
    if isinstance(gpus, list):
        counts = Counter((_capped if capped else _card)(gpu, catalog) for gpu in gpus)
        yield from (f"{n}x-{name}" for name, n in counts.items())


def _card(gpu: dict[str, Any], catalog: Catalog) -> str:
    mib = gpu.get("vram_mib")
    entry = find_gpu(catalog, gpu["name"], mib / 1024 if mib else None)
    return entry.id if entry else path_part(gpu["name"])[:30]


def _capped(gpu: dict[str, Any], catalog: Catalog) -> str:
    name = _card(gpu, catalog)
    power, default = gpu.get("power_w"), gpu.get("power_default_w")
    capped = power and default and power < default
    return f"{name}-{power:g}w" if capped else name

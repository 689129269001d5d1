"""Rows of one rig state → the rig that they tell of, and which of its fields are inferred."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ingest.bundle import Bandwidth, Cpu, Key, Memory, Rig
from ingest.catalog import Catalog
from ingest.hardware import find_cpu
from ingest.record import wording
from ingest.record.machine import REFERENCE, REFERENCE_CPU, Machine
from ingest.record.row import Merged
from ingest.record.run import words_of

# What a row's `inferred` words mean in bundle pointers.
POINTERS = {
    "cpu": "/rig/cpu/model",
    "sockets": "/rig/cpu/sockets",
    "physical_cores": "/rig/cpu/cores",
    "logical_cores": "/rig/cpu/threads",
    "ram_gb": "/rig/memory/gib",
    "ram_type": "/rig/memory/kind",
    "ram_mts": "/rig/memory/mts",
    "dimms": "/rig/memory/dimms",
    "channels_populated": "/rig/memory/channels_populated",
    "channels_total": "/rig/memory/channels_total",
    "gpus": "/rig/gpus",
    "triad_gbs": "/rig/memory/bandwidth",
}

_GUEST = re.compile(r"\bVM\b|KVM|WSL|cloud instance", re.IGNORECASE)
_INFERRED_WORD = re.compile(r"\s*\((?:[^()]*,\s*)?inferred[^()]*\)")


class Described(NamedTuple):
    """A rig, and the pointers of its fields that the sources do not state."""

    rig: Rig
    inferred: tuple[str, ...]


def described(group: Sequence[Merged], machine: Machine, state: Key, catalog: Catalog) -> Described:
    """Join what the rows of one rig state tell of it: the first row that tells a field wins."""
    row: dict[str, Any] = {}
    inferred: set[str] = set()
    for one in group:
        fresh = {key: v for key, v in one.row.items() if v is not None and key not in row}
        row |= fresh
        inferred |= {POINTERS[w] for w in words_of(one.row) if w in POINTERS and w in fresh}
        inferred |= {POINTERS[k] for k, v in fresh.items() if k in POINTERS and _is_guess(v)}
    cpu = _cpu(row, machine)
    if cpu.model == REFERENCE_CPU and not row.get("cpu"):
        inferred.add("/rig/cpu/model")
    if "inferred" in str(row.get("virtualization") or ""):
        inferred |= {"/rig/cpu/guest", "/rig/environment"}
    entry = find_cpu(catalog, cpu.model) if cpu.model else None
    if cpu.sockets is None and entry and entry.sockets_max == 1:
        cpu = cpu.model_copy(update={"sockets": 1})
        inferred.add("/rig/cpu/sockets")
    rig = Rig(
        machine=machine.key,
        state=state,
        cpu=cpu,
        memory=_memory(row, group),
        gpus=wording.gpus(row.get("gpus")),
        os=" ".join(str(row[key]) for key in ("os", "kernel") if row.get(key)) or None,
        environment=_plain(row.get("virtualization")),
    )
    return Described(rig, tuple(sorted(at for at in inferred if _filled(rig, at))))


def _is_guess(value: object) -> bool:
    return isinstance(value, str) and bool(_INFERRED_WORD.search(value))


def _plain(text: object) -> str | None:
    return _INFERRED_WORD.sub("", str(text or "")).strip() or None


def _cpu(row: dict[str, Any], machine: Machine) -> Cpu:
    model = row.get("cpu")
    told = str(row.get("virtualization") or "")
    guest = True if _GUEST.search(told) else False if "bare metal" in told else None
    return Cpu(
        model=REFERENCE_CPU if machine.key == REFERENCE else model,
        sockets=row.get("sockets"),
        cores=row.get("physical_cores"),
        threads=row.get("logical_cores"),
        guest=guest,
    )


def _memory(row: dict[str, Any], group: Iterable[Merged]) -> Memory:
    figures: list[Bandwidth] = []
    for one in group:
        figure = wording.bandwidth(one.row, club=one.club)
        if figure is not None and figure not in figures:
            figures.append(figure)
    return Memory(
        gib=row.get("ram_gb"),
        kind=_plain(row.get("ram_type")),
        mts=row.get("ram_mts"),
        dimms=str(row["dimms"]) if row.get("dimms") else None,
        channels_populated=row.get("channels_populated"),
        channels_total=row.get("channels_total"),
        bandwidth=tuple(figures),
    )


def _filled(rig: Rig, pointer: str) -> bool:
    value: Any = rig.model_dump(exclude_defaults=True)
    for step in pointer.split("/")[2:]:
        if not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return True

"""A reading as text for a person: the rig, each run with its numbers, then what to look at."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ingest.bundle import Measurement, Off, Rig, Run
from ingest.problem import count_line
from ingest.readers.reading import Inferred, Reading, Understood


def lines_of_reading(reading: Reading, most: int) -> Iterator[str]:
    """Write `reading`, at most `most` lines of each list."""
    for one in reading.understood:
        yield from _bundle(one)
        yield ""
    yield from _listed("inferred", _inferred(reading.understood), most)
    redacted = [f"line {one.line}: {one.kind}" for one in reading.redacted]
    yield from _listed("redacted", redacted, most)
    unread = [f"line {line.line}: {line.text}" for line in reading.unread]
    yield from _listed("not read", unread, most)
    yield from map(str, reading.problems)
    yield f"{len(reading.understood)} bundles: {count_line(reading.problems)}"


def _listed(title: str, rows: Sequence[str], most: int) -> Iterator[str]:
    if not rows:
        return
    yield f"{title} ({len(rows)}):"
    yield from (f"  {row}" for row in rows[:most])
    if len(rows) > most:
        yield f"  … {len(rows) - most} more; --json lists all"


def _inferred(understood: Iterable[Understood]) -> list[str]:
    return [_place(one, place) for one in understood for place in one.inferred]


def _place(one: Understood, place: Inferred) -> str:
    value: Any = one.bundle.model_dump(mode="json")
    for step in place.pointer.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    if isinstance(value, dict) and "quantity" in value:
        value = f"{value['value']:g}"
    shown = value if isinstance(value, str) else json.dumps(value)
    return f"{place.pointer} = {shown[:60]}{f' ({place.note})' if place.note else ''}"


def _bundle(one: Understood) -> Iterator[str]:
    bundle = one.bundle
    yield f"{one.format}: bundle {bundle.id[:8]}, machine {bundle.rig.machine}@{bundle.rig.state}"
    yield from (f"  {line}" for line in _rig(bundle.rig))
    for run in bundle.runs:
        yield from (f"  {line}" for line in _run(run))


def _rig(rig: Rig) -> Iterator[str]:
    cpu, memory = rig.cpu, rig.memory
    parts = [cpu.model, _counted(cpu.cores, "cores"), _counted(cpu.threads, "threads")]
    if any(parts):
        yield f"cpu     {', '.join(filter(None, parts))}{', guest' if cpu.guest else ''}"
    channels = (
        f"{memory.channels_populated} of {memory.channels_total} channels"
        if memory.channels_populated
        else None
    )
    parts = [
        f"{memory.gib:g} GiB" if memory.gib else None,
        memory.kind,
        f"{memory.mts:g} MT/s" if memory.mts else None,
        memory.dimms,
        channels,
    ]
    if any(parts):
        yield f"memory  {', '.join(filter(None, parts))}"
    for figure in memory.bandwidth:
        yield f"        {figure.gbps or figure.low:g} GB/s {figure.method}"
    if isinstance(rig.gpus, Off):
        yield "gpus    none"
    for gpu in rig.gpus if isinstance(rig.gpus, tuple) else ():
        vram = f", {gpu.vram_mib:g} MiB" if gpu.vram_mib else ""
        power = f", {gpu.power_w:g} W" if gpu.power_w else ""
        yield f"gpu     {gpu.name}{vram}{power}{f', {gpu.link}' if gpu.link else ''}"


def _counted(n: int | None, what: str) -> str | None:
    return None if n is None else f"{n} {what}"


def _run(run: Run) -> Iterator[str]:
    weights = f"{run.weights.model or run.weights.spelled or 'unknown model'}"
    quant = f" {run.weights.quant}" if run.weights.quant else ""
    engine = f" on {run.engine.name}" if run.engine.name else ""
    build = f" {run.engine.build}" if run.engine.build else ""
    yield f"run {run.id}: {run.slug or run.named or 'no slug'}: {weights}{quant}{engine}{build}"
    launch = run.launch.model_dump(mode="json", exclude_none=True, exclude={"argv"})
    told = [f"{key}={_short(value)}" for key, value in launch.items()]
    if told:
        yield f"  launch  {' '.join(told)}"
    for name, stage in run.stages.items():
        count = f" {stage.passed}/{stage.total}" if stage.total else ""
        yield f"  {name:<7} {stage.outcome}{count}{f': {stage.note}' if stage.note else ''}"
    yield from (f"  {_number(measurement)}" for measurement in run.measurements)
    for score in run.quality:
        yield f"  quality {score.pack} {score.passed:g}/{score.total}"


def _short(value: object) -> str:
    if isinstance(value, dict):
        inner = (f"{key}:{item}" for key, item in value.items() if item is not None)
        return "{" + ",".join(inner)[:80] + "}"
    return str(value)


def _number(m: Measurement) -> str:
    value = f"{m.value:g}" if m.value is not None else f"{m.low:g}-{m.high:g}"
    depth = m.nominal_tokens or m.context_tokens or m.prompt_tokens
    what = " ".join(
        filter(None, [m.quantity, m.workload, f"@{depth}" if depth else None, f"[{m.protocol}]"])
    )
    spread = f" ({m.low:g}-{m.high:g}, n={m.n})" if m.low is not None and m.n else ""
    line = f"  line {m.evidence.line}" if m.evidence.line else ""
    mark = "~" if m.how == "inferred" else " "
    return f"{mark}{value} {m.unit}{spread}  {what}{line}"

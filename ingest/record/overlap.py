"""Rows that tell again what the seed thread tells: joined to its bundles, never counted twice."""

from collections.abc import Iterable, Sequence

from ingest.bundle import Evidence, Measurement, Run, Source
from ingest.filing import Parts
from ingest.record.machine import Machine
from ingest.record.row import Merged, source_of
from ingest.record.run import measurements


def absorbed(
    seeded: Sequence[Parts], rows: Iterable[tuple[Merged, Machine]]
) -> tuple[list[Parts], list[tuple[Merged, Machine]]]:
    """Join each row that repeats a seed run to it; return the seed's parts and the other rows.

    `rows` are rows with their machine. A row repeats a run where machine, weights, workload
    and decode figure are the same, or where it is of the same source and tells no figure.
    """
    joined, rest = list(seeded), []
    for one, machine in rows:
        at = next((i for i, parts in enumerate(joined) if _repeats(parts, one, machine.key)), None)
        if at is None:
            rest.append((one, machine))
        else:
            joined[at] = _with(joined[at], one)
    return joined, rest


def _repeats(parts: Parts, one: Merged, machine: str) -> bool:
    if parts.rig.machine != machine:
        return False
    if one.row.get("decode_tps") is None and one.row.get("wall_tps") is None:
        same = source_of(one.rows[0]).url in {source.url for source in parts.sources}
        return same and one.row.get("ram_mts") in (None, parts.rig.memory.mts)
    return any(_same(run, one) for run in parts.runs)


def _same(run: Run, one: Merged) -> bool:
    named = one.named
    if (run.weights.model, run.weights.quant) != (named.model and named.model.id, named.quant):
        return False
    new = [m for m in measurements(one, Evidence()) if m.quantity == "decode"]
    return any(_tells(have, m) for have in run.measurements for m in new)


def _tells(have: Measurement, new: Measurement) -> bool:
    return (have.quantity, have.workload, have.protocol, have.value) == (
        new.quantity,
        new.workload,
        new.protocol,
        new.value,
    )


def _with(parts: Parts, one: Merged) -> Parts:
    """Add a row's sources and text, and the numbers that the seed's run does not have."""
    sources = list(parts.sources)
    for source in map(source_of, one.rows):
        if source not in sources:
            sources.append(source)
    lines = (*parts.lines, *(row.text for row in one.rows))
    evidence = Evidence(source=_index(sources, one), line=len(parts.lines) + 1)
    runs = tuple(_filled(run, one, evidence) if _same(run, one) else run for run in parts.runs)
    return parts._replace(sources=tuple(sources), lines=lines, runs=runs)


def _index(sources: Sequence[Source], one: Merged) -> int:
    return list(sources).index(source_of(one.rows[0]))


def _filled(run: Run, one: Merged, evidence: Evidence) -> Run:
    new = [
        m
        for m in measurements(one, evidence)
        if not any(_is_told(have, m) for have in run.measurements)
    ]
    return run.model_copy(update={"measurements": (*run.measurements, *new)})


def _is_told(have: Measurement, new: Measurement) -> bool:
    """Tell whether the seed has a number: of this workload, or the same one of no workload."""
    if (have.quantity, have.protocol, have.nominal_tokens) != (
        new.quantity,
        new.protocol,
        new.nominal_tokens,
    ):
        return False
    return have.workload == new.workload or (have.workload is None and have.value == new.value)

"""Rows of one rig state and source → one bundle with its raw rows and its flags."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date as Date  # noqa: N812 - like the bundle's
from typing import Any, NamedTuple

from ingest.bundle import (
    Evidence,
    Key,
    Measurement,
    Provenance,
    Rig,
    Run,
    Series,
    Status,
)
from ingest.catalog import Catalog
from ingest.filing import Parts, path_part
from ingest.record.machine import Machine
from ingest.record.rig import described
from ingest.record.row import Merged, source_of
from ingest.record.run import measurements, told

REVIEWED = Date(2026, 12, 1)
"""The day the rules that flag collected rows were reviewed; a status needs a date, and the same
input has to give the same bytes."""

BY = "importer"


class Part(NamedTuple):
    """A run as it grows row by row: inferred fields, doubts and numbers of its rows."""

    run: Run
    source: int
    inferred: tuple[str, ...]
    doubts: dict[int, tuple[str, ...]]
    measurements: list[Measurement]
    line: int


def parts_of(group: Sequence[Merged], machine: Machine, state: Key, catalog: Catalog) -> Parts:
    """Join the rows of one rig state and source; every row's text becomes a line."""
    sources = list(dict.fromkeys(source_of(row) for one in group for row in one.rows))
    lines: list[str] = []
    grown: list[Part] = []
    for one in group:
        source = sources.index(source_of(one.rows[0]))
        evidence = Evidence(source=source, line=len(lines) + 1)
        lines += [row.text for row in one.rows]
        _grow(grown, one, evidence, catalog)
    runs = _numbered([_whole(part) for part in grown])
    rig, inferred = described(group, machine, state, catalog)
    guessed = (*inferred, "/rig/machine") if machine.inferred else inferred
    provenance = dict(_rig_provenance(rig, guessed))
    for index, (part, run) in enumerate(zip(grown, runs, strict=True)):
        provenance |= _run_provenance(index, part, run)
    statuses = [s for index, part in enumerate(grown) for s in _flags(index, part)]
    return Parts(rig, tuple(sources), tuple(runs), provenance, tuple(lines), tuple(statuses))


def _grow(grown: list[Part], one: Merged, evidence: Evidence, catalog: Catalog) -> None:
    """Add a row to the run of its configuration that it does not contradict, or as a new run."""
    read = told(one, catalog)
    numbers = measurements(one, evidence)
    line = evidence.line or 1
    for part in grown:
        if part.run == read.run and numbers and not _contradicts(part.measurements, numbers):
            known = {_what(m): m.value for m in part.measurements}
            part.measurements.extend(m for m in numbers if _what(m) not in known)
            part.doubts[line] = read.doubts
            return
    doubts = {line: read.doubts}
    grown.append(Part(read.run, evidence.source, read.inferred, doubts, numbers, line))


def _what(m: Measurement) -> tuple[Any, ...]:
    """Name what a number is of; two values of one run for it would contradict each other."""
    return (
        m.quantity,
        m.workload,
        m.protocol,
        m.prompt_tokens,
        m.context_tokens,
        m.nominal_tokens,
        m.streams,
    )


def _contradicts(have: Iterable[Measurement], new: Iterable[Measurement]) -> bool:
    known = {_what(m): m.value for m in have}
    pairs = [(known[_what(m)], m) for m in new if _what(m) in known]
    # Equal decode figures would be one row told twice; rows of one file are never joined.
    return any(value != m.value or m.quantity in ("decode", "wall") for value, m in pairs)


def _whole(part: Part) -> Run:
    return part.run.model_copy(update={"measurements": tuple(part.measurements)})


# Launch fields that sweeps vary: the axis's name → where a run holds it.
_AXES = ("threads", "ubatch", "batch", "ctx", "kv")
MIN_SWEEP = 3
"""Two points are a pair, not a sweep."""


def _numbered(runs: Sequence[Run]) -> list[Run]:
    """Give the runs their ids, and their series where three or more differ in one axis only."""
    series: dict[int, Series] = {}
    for axis in _AXES:
        for members in _sweeps(runs, axis):
            fresh = [index for index in members if index not in series]
            if len(fresh) >= MIN_SWEEP:
                name = path_part(f"{axis}-{min(fresh) + 1}")
                series |= dict.fromkeys(fresh, Series(name=name, axis=axis))
    return [
        run.model_copy(update={"id": f"run-{index + 1}", "series": series.get(index)})
        for index, run in enumerate(runs)
    ]


def _sweeps(runs: Sequence[Run], axis: str) -> Iterator[list[int]]:
    groups: dict[str, list[int]] = {}
    for index, run in enumerate(runs):
        if getattr(run.launch, axis) is None:
            continue
        launch = run.launch.model_copy(update={axis: None})
        rest = run.model_copy(update={"launch": launch, "measurements": ()})
        groups.setdefault(rest.model_dump_json(), []).append(index)
    for members in groups.values():
        if len({getattr(runs[index].launch, axis) for index in members}) >= MIN_SWEEP:
            yield members


def _rig_provenance(rig: Rig, inferred: Iterable[str]) -> Iterator[tuple[str, Provenance]]:
    if rig.model_dump(exclude={"machine", "state"}, exclude_defaults=True):
        yield "/rig", Provenance(how="reported")
    for pointer in inferred:
        yield pointer, Provenance(how="inferred")


def _run_provenance(index: int, part: Part, run: Run) -> dict[str, Provenance]:
    at = f"/runs/{index}"
    told_at = Provenance(how="reported", source=part.source, line=part.line)
    guess = told_at.model_copy(update={"how": "inferred"})
    document = run.model_dump(mode="json", exclude_defaults=True)
    pointers = [pointer for pointer in part.inferred if _there(document, pointer)]
    pointers += ["/series"] if run.series else []
    return {at: told_at} | {f"{at}{pointer}": guess for pointer in pointers}


def _there(document: Any, pointer: str) -> bool:  # noqa: ANN401 - any part of a JSON document
    for step in pointer.split("/")[1:]:
        if not isinstance(document, dict) or step not in document:
            return False
        document = document[step]
    return True


def _flags(index: int, part: Part) -> Iterator[Status]:
    """Flag a run whose every row is doubtful for the same reasons, else the doubtful numbers."""
    at = f"/runs/{index}"
    reasons = set(part.doubts.values())
    if len(reasons) == 1:
        yield from _flagged(at, reasons.pop())
        return
    for position, number in enumerate(part.measurements):
        doubts = part.doubts.get(number.evidence.line or 0, ())
        yield from _flagged(f"{at}/measurements/{position}", doubts)


def _flagged(target: str, doubts: Sequence[str]) -> Iterator[Status]:
    if doubts:
        yield Status(target=target, state="flagged", reason="; ".join(doubts), date=REVIEWED, by=BY)

"""Figures of a public thread, kept as a table of states, runs and figures → bundles.

The table is the raw record: facts carry over, other people's sentences do not. One bundle comes of
each `[[state]]`, which is one rig state as one author told of it.
"""

import json
from typing import TypeVar

from ingest.bundle import (
    Evidence,
    Measurement,
    Model,
    Provenance,
    Rig,
    Run,
    Source,
    Status,
)
from ingest.filing import Parts
from ingest.seed_table import Figure, Seed, StateRow, Thread, dump, read_seed

__all__ = ["read_seed", "seed_parts"]

T = TypeVar("T", bound=Model)

STATE_LINE = 1
"""The raw text of a bundle starts with its state; the lines of its runs follow."""

VALUE_DIGITS = 6
"""A sum over cards is rounded here, far below any published digit, to shed binary fractions."""


def seed_parts(seed: Seed) -> list[Parts]:
    """Turn the table into bundles before they are sealed, one a state, in the table's order.

    Evidence and provenance point into `lines`, counted from 1.
    """
    return [_parts(seed, state) for state in seed.state]


def _parts(seed: Seed, state: StateRow) -> Parts:
    rows = [run for run in seed.run if run.state == state.id]
    lines = [_line(state=state)]
    provenance = _told("/rig", state.inferred, Evidence(line=STATE_LINE))
    statuses = _flag(seed.thread, "", state.flag)
    runs = []
    for i, row in enumerate(rows):
        figures = [figure for figure in seed.figure if figure.run == row.id]
        post, start = state.posts.index(row.post), len(lines) + 1
        lines += [_line(run=row, figure=figure) for figure in figures] or [_line(run=row)]
        provenance |= _told(f"/runs/{i}", row.inferred, Evidence(source=post, line=start))
        statuses += _flag(seed.thread, f"/runs/{i}", row.flag)
        measurements = []
        for j, figure in enumerate(figures):
            source = state.posts.index(figure.post or row.post)
            measurements.append(_measurement(figure, Evidence(source=source, line=start + j)))
            statuses += _flag(seed.thread, f"/runs/{i}/measurements/{j}", figure.flag)
        runs.append(_narrowed(row, Run, measurements=tuple(measurements)))
    sources = tuple(
        Source(kind=seed.thread.kind, url=seed.thread.url, author=state.author, post=post)
        for post in state.posts
    )
    rig = _narrowed(state, Rig)
    return Parts(rig, sources, tuple(runs), provenance, tuple(lines), tuple(statuses))


def _line(**rows: Model) -> str:
    dumps = {name: dump(row) for name, row in rows.items()}
    return json.dumps(dumps, ensure_ascii=False, sort_keys=True)


def _narrowed(row: Model, kind: type[T], **changed: object) -> T:
    """Take from a row of the table the fields that `kind` has."""
    return kind(**{**{name: getattr(row, name) for name in kind.model_fields}, **changed})


def _measurement(figure: Figure, evidence: Evidence) -> Measurement:
    value = round(sum(figure.cards), VALUE_DIGITS) if figure.cards else figure.value
    return _narrowed(figure, Measurement, value=value, evidence=evidence)


def _told(at: str, inferred: dict[str, str], where: Evidence) -> dict[str, Provenance]:
    """Mark the part at `at` as reported, and in it each inferred field with its reason."""
    place = where.model_dump()
    marks = {
        f"{at}{mark}": Provenance(how="inferred", note=why, **place)
        for mark, why in inferred.items()
    }
    return {at: Provenance(how="reported", **place), **marks}


def _flag(thread: Thread, target: str, reason: str | None) -> list[Status]:
    if reason is None:
        return []
    by, day = thread.recorded_by, thread.recorded
    return [Status(target=target, state="flagged", reason=reason, date=day, by=by, link=thread.url)]

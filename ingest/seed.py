"""Figures of a public thread, kept as a table of states, runs and figures → bundles.

The table (`data/seed/*.toml`) is the raw record: facts carry over, other people's sentences do
not. One bundle comes of each `[[state]]`, which is one rig state as one author told of it.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date as Date  # noqa: N812 - as the bundle spells it
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import Field, ValidationError

from ingest.bundle import (
    Bundle,
    Evidence,
    Key,
    Measurement,
    Model,
    Natural,
    NonNegative,
    Provenance,
    Rig,
    Run,
    Source,
    Status,
    Text,
    bundle_id,
    leaves,
)
from ingest.filing import Draft, draft
from ingest.problem import Problem
from ingest.shape import shape_problems

T = TypeVar("T", bound=Model)
Finding = tuple[str, str]

STATE_LINE = 1
"""The raw text of a bundle starts with its state; the lines of its runs follow."""

VALUE_DIGITS = 6
"""A sum over cards is rounded here, far below any published digit, to shed binary fractions."""


class Thread(Model):
    """The thread, and who wrote the table down when (flags carry that date)."""

    kind: Literal["thread"]
    url: Text
    recorded: Date
    recorded_by: Text


class StateRow(Rig):
    """One rig state as `author` told of it in `posts`.

    `inferred` maps JSON pointers below the row to why the thread does not say them outright.
    """

    id: Key
    author: Text
    posts: Annotated[tuple[Natural, ...], Field(min_length=1)]
    inferred: dict[str, Text] = Field(default_factory=dict)
    flag: Text | None = None


class RunRow(Run):
    """One configuration on a state; with `shared`, it begins with what the state's runs share."""

    state: Key
    post: Natural
    shared: bool = True
    inferred: dict[str, Text] = Field(default_factory=dict)
    flag: Text | None = None


class Figure(Measurement):
    """One number of a run. `cards` gives a sum by card; `post` is the run's unless it is given."""

    run: Key
    post: Natural | None = None
    cards: tuple[NonNegative, ...] = ()
    flag: Text | None = None


class Seed(Model):
    """The whole table."""

    thread: Thread
    state: tuple[StateRow, ...]
    run: tuple[RunRow, ...]
    figure: tuple[Figure, ...]


class SeedBundle(NamedTuple):
    """A bundle before it is finished: more rows of the same thread may still be merged in.

    `lines` is its raw text, which evidence and provenance point into, counted from 1.
    """

    rig: Rig
    sources: tuple[Source, ...]
    runs: tuple[Run, ...]
    provenance: dict[str, Provenance]
    lines: tuple[str, ...]
    statuses: tuple[Status, ...] = ()


def read_seed(path: Path) -> tuple[Seed | None, list[Problem]]:
    """Read and check one table; all its problems are listed, and None stands for a bad one."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None, [Problem(str(path), "", "the file is missing; restore it")]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return None, [Problem(str(path), "", f"is not TOML: {error}")]
    try:
        # By way of JSON, so that strict types still take a list for a tuple and a text for a date.
        text = json.dumps(_with_shared(document), default=str)
        seed = Seed.model_validate_json(text, strict=True)
    except ValidationError as error:
        return None, shape_problems(str(path), error, Seed)
    problems = [Problem(str(path), place, message) for place, message in _findings(seed)]
    return (None if problems else seed), problems


def _with_shared(document: dict[str, Any]) -> dict[str, Any]:
    """Move what each state's runs share into those runs."""
    states, runs = document.get("state"), document.get("run")
    if not _tables(states) or not _tables(runs):
        return document
    shared = {str(state.get("id")): state.get("run", {}) for state in states}
    bare = [{key: state[key] for key in state if key != "run"} for state in states]
    full = [_begun(shared.get(str(run.get("state")), {}), run) for run in runs]
    return {**document, "state": bare, "run": full}


def _tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _begun(shared: object, run: dict[str, Any]) -> dict[str, Any]:
    """Begin `run` with `shared`; what the run tells itself is no longer inferred."""
    if not isinstance(shared, dict) or run.get("shared") is False:
        return run
    told = {at for at, _ in leaves(run)}
    marks = shared.get("inferred")
    if isinstance(marks, dict):
        kept = {at: why for at, why in marks.items() if at not in told}
        shared = {**shared, "inferred": kept}
    return _merged(shared, run)


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    both = {
        key: _merged(base[key], over[key])
        for key in base.keys() & over.keys()
        if isinstance(base[key], dict) and isinstance(over[key], dict)
    }
    return {**base, **over, **both}


def _findings(seed: Seed) -> Iterator[Finding]:
    """List what the shape of the table cannot show: names that hang loose, fields filled twice."""
    states = {state.id: state for state in seed.state}
    runs = {run.id: run for run in seed.run}
    yield from _repeated("state", [state.id for state in seed.state])
    yield from _repeated("run", [run.id for run in seed.run])
    for i, state in enumerate(seed.state):
        yield from _loose_marks(f"state[{i}]", state, state.inferred)
    for i, run in enumerate(seed.run):
        yield from _loose_marks(f"run[{i}]", run, run.inferred)
        yield from _run_findings(f"run[{i}]", run, states, runs)
    for i, figure in enumerate(seed.figure):
        yield from _figure_findings(f"figure[{i}]", figure, states, runs)


def _repeated(table: str, ids: list[str]) -> Iterator[Finding]:
    counts = Counter(ids)
    for i, name in enumerate(ids):
        if counts[name] > 1:
            yield f"{table}[{i}].id", f"{name!r} stands {counts[name]} times; give each its own"


def _loose_marks(at: str, row: Model, inferred: Iterable[str]) -> Iterator[Finding]:
    filled = [pointer for pointer, _ in leaves(_dump(row))]
    for mark in inferred:
        if not any(f"{pointer}/".startswith(f"{mark}/") for pointer in filled):
            yield f"{at}.inferred", f"{mark!r} points at nothing; remove it or fill the field"


def _run_findings(
    at: str, run: RunRow, states: dict[str, StateRow], runs: dict[str, RunRow]
) -> Iterator[Finding]:
    if run.measurements:
        yield f"{at}.measurements", "should be rows of [[figure]]; move them there"
    if run.state not in states:
        yield f"{at}.state", f"there is no state {run.state!r}; name one of {sorted(states)}"
    else:
        yield from _strange_post(at, run.post, states[run.state])
    first = runs.get(run.rerun_of or run.id)
    if first is None or first.state != run.state:
        yield f"{at}.rerun_of", f"{run.rerun_of!r} is no run of this state; name one of its runs"


def _strange_post(at: str, post: int, state: StateRow) -> Iterator[Finding]:
    if post not in state.posts:
        known = ", ".join(map(str, state.posts))
        yield f"{at}.post", f"state {state.id!r} lists the posts {known}, got {post}; add it there"


def _figure_findings(
    at: str, figure: Figure, states: dict[str, StateRow], runs: dict[str, RunRow]
) -> Iterator[Finding]:
    if figure.evidence != Evidence():
        yield f"{at}.evidence", "is filled from the post and the line; remove it"
    if figure.value is not None and figure.cards:
        yield f"{at}.cards", "stands beside value, which is its sum; keep one of them"
    if figure.value is None and not figure.cards and None in {figure.low, figure.high}:
        yield at, "has no number; fill value, cards, or low and high"
    if figure.run not in runs:
        yield f"{at}.run", f"there is no run {figure.run!r}; add it or correct the name"
    elif figure.post is not None and runs[figure.run].state in states:
        yield from _strange_post(at, figure.post, states[runs[figure.run].state])


def seed_bundles(seed: Seed) -> list[SeedBundle]:
    """Turn the table into bundles, one a state, in the table's order."""
    return [_seed_bundle(seed, state) for state in seed.state]


def _seed_bundle(seed: Seed, state: StateRow) -> SeedBundle:
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
    return SeedBundle(rig, sources, tuple(runs), provenance, tuple(lines), tuple(statuses))


def _dump(row: Model) -> dict[str, Any]:
    return row.model_dump(mode="json", exclude_defaults=True)


def _line(**rows: Model) -> str:
    dumps = {name: _dump(row) for name, row in rows.items()}
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


def finish(parts: SeedBundle) -> tuple[Bundle, Draft]:
    """Name a bundle by its sources and raw text, and lay out its folder."""
    text = "".join(f"{line}\n" for line in parts.lines)
    addresses = [source.url for source in parts.sources]
    bundle = Bundle(
        id=bundle_id(addresses, text),
        sources=parts.sources,
        rig=parts.rig,
        runs=parts.runs,
        provenance=parts.provenance,
    )
    return bundle, draft(bundle, short_name(addresses[0]), ("rows.jsonl", text), parts.statuses)


def short_name(url: str) -> str:
    """Shorten a thread's address to what tells it apart: repository, kind and number."""
    return "-".join(url.rstrip("/").split("/")[-3:])

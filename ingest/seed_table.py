"""The table of a public thread's figures (`data/seed/*.toml`): its rows and its checks."""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date as Date  # noqa: N812 - as the bundle spells it
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from ingest.bundle import (
    Evidence,
    Key,
    Measurement,
    Model,
    Natural,
    NonNegative,
    Rig,
    Run,
    Text,
    leaves,
)
from ingest.problem import Problem
from ingest.shape import shape_problems

Finding = tuple[str, str]


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


def read_seed(path: Path) -> tuple[Seed | None, list[Problem]]:
    """Read and check one table; all its problems are listed, and None stands for a bad one."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        return None, [Problem(str(path), "", f"cannot be read ({error.strerror}); restore it")]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return None, [Problem(str(path), "", f"is not TOML: {error}")]
    loose = list(_loose_states(document))
    try:
        # By way of JSON, so that strict types still take a list for a tuple and a text for a date.
        text = json.dumps(_with_shared(document), default=str)
        seed = Seed.model_validate_json(text, strict=True)
    except ValidationError as error:
        return None, _problems(path, loose) + shape_problems(str(path), error, Seed)
    problems = _problems(path, [*loose, *_findings(seed)])
    return (None if problems else seed), problems


def _problems(path: Path, findings: Iterable[Finding]) -> list[Problem]:
    return [Problem(str(path), place, message) for place, message in findings]


def _loose_states(document: dict[str, Any]) -> Iterator[Finding]:
    """List runs of no state first: they miss what it shares, and so look wrong all over."""
    states, runs = _tables(document.get("state")), _tables(document.get("run"))
    known = [str(state.get("id")) for state in states or []]
    for i, run in enumerate(runs or []):
        name = str(run.get("state"))
        if "state" in run and name not in known:
            yield f"run[{i}].state", f"there is no state {name!r}; name one of {sorted(known)}"


def _with_shared(document: dict[str, Any]) -> dict[str, Any]:
    """Move what each state's runs share into those runs."""
    states, runs = _tables(document.get("state")), _tables(document.get("run"))
    if states is None or runs is None:
        return document
    shared = {str(state.get("id")): state.get("run", {}) for state in states}
    bare = [{key: state[key] for key in state if key != "run"} for state in states]
    full = [_begun(shared.get(str(run.get("state")), {}), run) for run in runs]
    return {**document, "state": bare, "run": full}


def _tables(value: object) -> list[dict[str, Any]] | None:
    """Give a list of tables as it is; None for anything else, which the shape check names."""
    if isinstance(value, list) and all(isinstance(row, dict) for row in value):
        return value
    return None


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
    filled = [pointer for pointer, _ in leaves(dump(row))]
    for mark in inferred:
        if not any(f"{pointer}/".startswith(f"{mark}/") for pointer in filled):
            yield f"{at}.inferred", f"{mark!r} points at nothing; remove it or fill the field"


def _run_findings(
    at: str, run: RunRow, states: dict[str, StateRow], runs: dict[str, RunRow]
) -> Iterator[Finding]:
    if run.measurements:
        yield f"{at}.measurements", "should be rows of [[figure]]; move them there"
    if run.state in states:
        yield from _strange_post(at, run.post, states[run.state])
    first = runs.get(run.rerun_of or "")
    if run.rerun_of and (first is None or first.state != run.state):
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


def dump(row: Model) -> dict[str, Any]:
    """Write a row with what it fills alone, as it stands in raw text."""
    return row.model_dump(mode="json", exclude_defaults=True)

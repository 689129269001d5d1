"""Runs that were published twice: exact copies, and re-posts of one run in another place.

Nothing is deleted: the later one stays readable and names the one it repeats. The view `comparable`
leaves it out, and the view `run_sources` gives the first the sources of both.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import date as Date  # noqa: N812 - as in the bundle
from functools import partial
from itertools import combinations
from typing import Any, Literal, NamedTuple

from ingest.bundle import Off, Rig, Run
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.hardware import find_cpu, find_gpu
from ingest.problem import Problem, Severity
from ingest.rows import RUN_ID_CHARS

DIGITS = 3
"""Figures are published to about three digits; what agrees in them is one figure."""

TELLING = (
    "decode", "wall", "decode-engine", "prefill", "prefill-engine", "ttft", "aggregate",
    "acceptance", "hit_rate", "tokens_per_pass",
)  # fmt: skip
"""Figures that two runs hardly have in common but by repetition: a size of memory tells nothing."""

SAME_STATE, OTHER_PLACE = 2, 3
"""Figures that must agree, in one rig state and in two that only look alike.

Two runs of one machine agree in one figure by chance, hardly in two; machines of one kind in two.
"""


class Duplicate(NamedTuple):
    """A run that repeats one published before it, and how many figures they share."""

    run_id: str
    duplicate_of: str
    kind: Literal["exact", "near"]
    shared: int
    path: str
    other_path: str


class _Told(NamedTuple):
    """A run as it is compared: where and when it was told, what it was, what it measured."""

    run_id: str
    place: str
    path: str
    bundle: str
    slug: str | None
    date: Date
    state: str
    machine: dict[str, Any]
    identity: dict[str, Any]
    figures: dict[tuple[Any, ...], float]
    content: Callable[[], str]


def duplicates(filed: Iterable[Filed], catalog: Catalog) -> list[Duplicate]:
    """Find every run that repeats one of another bundle, the earlier one first."""
    told = [one for bundle in filed for one in _told(bundle, catalog)]
    # The one that says which slug it was says more; of two that do, the earlier counts.
    told.sort(key=lambda one: (one.slug is None, one.date, one.run_id))
    found: dict[str, Duplicate] = {}
    for first, second in _candidates(told):
        repeated = _compared(first, second)
        # A repeat of a repeat names the first of them all: pairs come in order of age.
        if repeated and second.run_id not in found and first.run_id not in found:
            found[second.run_id] = repeated
    return list(found.values())


def _candidates(told: list[_Told]) -> Iterator[tuple[_Told, _Told]]:
    """List the pairs of different bundles that share a figure, each once, in order of age."""
    at = {one.run_id: index for index, one in enumerate(told)}
    sharing: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for one in told:
        for key, value in one.figures.items():
            if key[1] in TELLING:
                sharing[*key, value].append(at[one.run_id])
    pairs = {
        pair
        for places in sharing.values()
        for pair in combinations(places, 2)
        if told[pair[0]].bundle != told[pair[1]].bundle
    }
    for a, b in sorted(pairs):
        yield told[a], told[b]


def _compared(first: _Told, second: _Told) -> Duplicate | None:
    keys = first.figures.keys() & second.figures.keys()
    same_figures = [key for key in keys if first.figures[key] == second.figures[key]]
    shared = [key for key in same_figures if key[1] in TELLING]
    at_home = first.state == second.state
    alike = at_home or _compatible(first.machine, second.machine)
    if (
        len(same_figures) < len(keys)
        or not alike
        or not _compatible(first.identity, second.identity)
    ):
        return None
    exact = first.content() == second.content()
    same = first.identity == second.identity
    enough = 1 if exact or (at_home and same) else SAME_STATE if at_home else OTHER_PLACE
    if len(shared) < enough:
        return None
    kind: Literal["exact", "near"] = "exact" if exact else "near"
    return Duplicate(
        second.run_id,
        first.run_id,
        kind,
        len(shared),
        second.place,
        f"{first.path}: {first.run_id}",
    )


def _compatible(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether nothing that both tell differs, and something is told by both."""
    both = [key for key in one if one[key] is not None and other.get(key) is not None]
    return bool(both) and all(one[key] == other[key] for key in both)


def _told(filed: Filed, catalog: Catalog) -> Iterator[_Told]:
    bundle = filed.bundle
    dates = [source.date for source in bundle.sources if source.date]
    machine = _machine(bundle.rig, catalog)
    for index, run in enumerate(bundle.runs):
        yield _Told(
            run_id=f"{bundle.id[:RUN_ID_CHARS]}/{run.id}",
            place=f"{filed.path}/report.json:runs[{index}]",
            path=filed.path,
            bundle=bundle.id,
            slug=run.slug,
            date=min(dates, default=Date.max),
            state=f"{bundle.rig.machine}@{bundle.rig.state}",
            machine=machine,
            identity=_identity(run),
            figures=_figures(run),
            content=partial(_content, bundle.rig, run),
        )


def _machine(rig: Rig, catalog: Catalog) -> dict[str, Any]:
    """Say what tells machines apart whatever they are called."""
    cpu = find_cpu(catalog, rig.cpu.model) if rig.cpu.model else None
    gpus: list[str] | None = None
    if isinstance(rig.gpus, Off):
        gpus = []
    elif rig.gpus is not None:
        entries = [(find_gpu(catalog, gpu.name), gpu.name) for gpu in rig.gpus]
        gpus = sorted(entry.id if entry else name for entry, name in entries)
    return {"cpu": cpu.id if cpu else rig.cpu.model, "gpus": gpus, "mts": rig.memory.mts}


def _identity(run: Run) -> dict[str, Any]:
    """Say what tells runs of one machine apart."""
    launch = run.launch.model_dump(mode="json", exclude={"argv"})
    return {
        "model": run.weights.model,
        "quant": run.weights.quant,
        "engine": run.engine.name,
        "build": run.engine.build,
        "outcome": run.outcome.state,
        **launch,
    }


def _figures(run: Run) -> dict[tuple[Any, ...], float]:
    """Key each figure by all that makes it comparable; round it as publishers do."""
    return {
        (run.weights.model, m.quantity, m.workload, m.protocol, m.context_tokens,
         m.nominal_tokens, m.streams): float(f"{m.value:.{DIGITS}g}")
        for m in run.measurements
        if m.value
    }  # fmt: skip


def _content(rig: Rig, run: Run) -> str:
    """Hash everything of a run but what depends on where it was told."""
    kept = (
        rig.model_dump(mode="json", exclude={"machine", "state"}),
        run.model_dump(
            mode="json", exclude={"id": True, "measurements": {"__all__": {"evidence", "how"}}}
        ),
    )
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def duplicate_problems(found: Iterable[Duplicate]) -> list[Problem]:
    """Tell a submitter of each repeat: an exact copy is doubtful, a re-post worth a note."""
    problems = []
    for one in found:
        path, _, where = one.path.partition(":")
        severity: Severity = "flag" if one.kind == "exact" else "note"
        message = (
            f"repeats {one.other_path} ({one.kind}, {one.shared} figures); it counts once, with"
            " both sources: if it is a new run, tell what differs"
        )
        problems.append(Problem(path, where, message, severity))
    return problems

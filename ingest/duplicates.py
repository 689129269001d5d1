"""Runs that were published twice: exact copies, and re-posts of one run in another place.

Nothing is deleted: the later one stays readable and names the one it repeats. The view `comparable`
leaves out the figures that repeat, and the view `run_sources` gives the first the sources of both.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date as Date  # noqa: N812 - as in the bundle
from itertools import combinations
from typing import Any, Literal, NamedTuple

from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.problem import Problem, Severity
from ingest.rows import Row, bundle_rows

DIGITS = 3
"""Figures are published to about three digits; what agrees in them is one figure."""

TELLING = (
    "decode", "wall", "decode-engine", "prefill", "prefill-engine", "ttft", "aggregate",
    "acceptance", "hit_rate", "tokens_per_pass",
)  # fmt: skip
"""Figures that two runs hardly have in common but by repetition: a size of memory tells nothing."""

COMMON = 50
"""A figure that more runs than this have in common tells nothing either."""

SAME_STATE, OTHER_PLACE = 2, 3
"""Figures that must agree, in one rig state and in two that only look alike.

Two runs of one machine agree in one figure by chance, hardly in two; machines of one kind in two.
"""

MACHINE = ("cpu", "gpu_names", "mts")
"""What tells machines apart whatever they are called."""

IDENTITY = (
    "model", "quant", "engine", "engine_build", "outcome", "threads", "threads_batch", "batch",
    "ubatch", "ctx", "kv", "gpus_used", "sockets_used", "numa", "tensor_parallel", "thinking",
    "offload", "layers_on_cpu", "drafter", "drafter_depth", "drafter_device", "expert_cache",
    "cache_mib",
)  # fmt: skip
"""What tells runs of one machine apart."""

KEY = ("quantity", "workload", "protocol", "context_tokens", "nominal_tokens", "streams")
"""What makes two figures of like runs the same figure."""

Figure = tuple[Any, ...]
"""A model, the fields of `KEY`, and a value to `DIGITS` digits."""


class Duplicate(NamedTuple):
    """A run that repeats one published before it, and how many figures they share.

    `place` and `other_place` are folders below the reports with the position of the run.
    """

    run_id: str
    duplicate_of: str
    kind: Literal["exact", "near"]
    shared: int
    place: tuple[str, int]
    other_place: tuple[str, int]


class _Told(NamedTuple):
    """A run as it is compared: where and when it was told, what it was, what it measured."""

    run_id: str
    place: tuple[str, int]
    bundle: str
    slug: str | None
    date: Date
    state: str
    machine: dict[str, Any]
    identity: dict[str, Any]
    figures: dict[tuple[Any, ...], float]
    exactly: dict[tuple[Any, ...], float]


def duplicates(tables: Mapping[str, Sequence[Row]]) -> list[Duplicate]:
    """Find every run that repeats one of another bundle.

    `tables` holds rows of bundles, runs, rig_states and measurements. The one that says which slug
    it was says more; of two that do, the earlier counts.
    """
    return firsts(alike(tables))


def alike(
    tables: Mapping[str, Sequence[Row]], common: Collection[Figure] = ()
) -> Iterator[Duplicate]:
    """Find every pair of runs that are one, in order; `common` are figures that tell nothing."""
    told = sorted(_told(tables), key=lambda one: (one.slug is None, one.date, one.run_id))
    for first, second in _candidates(told, common):
        repeated = _compared(first, second)
        if repeated:
            yield repeated


def firsts(pairs: Iterable[Duplicate]) -> list[Duplicate]:
    """Pick the pairs that name the first of all: a repeat of a repeat says nothing new."""
    found: dict[str, Duplicate] = {}
    for one in pairs:
        if one.run_id not in found and one.duplicate_of not in found:
            found[one.run_id] = one
    return list(found.values())


def _candidates(told: list[_Told], common: Collection[Figure]) -> Iterator[tuple[_Told, _Told]]:
    """List the pairs of different bundles that share a telling figure, each once, in order."""
    sharing: dict[Figure, list[int]] = defaultdict(list)
    for index, one in enumerate(told):
        for key, value in one.figures.items():
            if key[0] in TELLING:
                sharing[one.identity["model"], *key, value].append(index)
    pairs = {
        pair
        for figure, places in sharing.items()
        if len(places) <= COMMON and figure not in common
        for pair in combinations(places, 2)
        if told[pair[0]].bundle != told[pair[1]].bundle
    }
    for a, b in sorted(pairs):
        yield told[a], told[b]


def _compared(first: _Told, second: _Told) -> Duplicate | None:
    keys = first.figures.keys() & second.figures.keys()
    agreeing = [key for key in keys if first.figures[key] == second.figures[key]]
    shared = sum(key[0] in TELLING for key in agreeing)
    at_home = first.state == second.state
    alike = at_home or _compatible(first.machine, second.machine)
    if len(agreeing) < len(keys) or not alike or not _compatible(first.identity, second.identity):
        return None
    same = first.identity == second.identity
    exact = same and first.machine == second.machine and first.exactly == second.exactly
    enough = 1 if exact or (at_home and same) else SAME_STATE if at_home else OTHER_PLACE
    if shared < enough:
        return None
    kind: Literal["exact", "near"] = "exact" if exact else "near"
    return Duplicate(second.run_id, first.run_id, kind, shared, second.place, first.place)


def _compatible(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether nothing that both tell differs, and something is told by both."""
    both = [key for key in one if one[key] is not None and other.get(key) is not None]
    return bool(both) and all(one[key] == other[key] for key in both)


def _told(tables: Mapping[str, Sequence[Row]]) -> Iterator[_Told]:
    bundles = {row["bundle_id"]: row for row in tables.get("bundles", ())}
    states = {row["state_id"]: row for row in tables.get("rig_states", ())}
    figures: dict[str, dict[tuple[Any, ...], float]] = defaultdict(dict)
    for row in tables.get("measurements", ()):
        if row["value"]:
            figures[row["run_id"]][tuple(row[name] for name in KEY)] = row["value"]
    for run in tables.get("runs", ()):
        bundle, state = bundles[run["bundle_id"]], states[run["state_id"]]
        exactly = figures[run["run_id"]]
        yield _Told(
            run_id=run["run_id"],
            place=(bundle["path"], run["position"]),
            bundle=run["bundle_id"],
            slug=run["slug"],
            date=bundle["date"] or Date.max,
            state=run["state_id"],
            machine={name: state[name] for name in MACHINE},
            identity={name: run.get(name) for name in IDENTITY},
            figures={key: float(f"{value:.{DIGITS}g}") for key, value in exactly.items()},
            exactly=exactly,
        )


def of_bundles(filed: Iterable[Filed], catalog: Catalog) -> list[Duplicate]:
    """Find the repeats among bundles that lie in no database."""
    tables: dict[str, list[Row]] = defaultdict(list)
    for one in filed:
        for table, rows in bundle_rows(one, catalog).items():
            tables[table] += rows
    return duplicates(tables)


def duplicate_problems(found: Iterable[Duplicate]) -> list[Problem]:
    """Tell a submitter of each repeat: an exact copy is doubtful, a re-post worth a note."""
    problems = []
    for one in found:
        (path, position), (other, at) = one.place, one.other_place
        severity: Severity = "flag" if one.kind == "exact" else "note"
        message = (
            f"repeats runs[{at}] of {other} ({one.kind}, {one.shared} figures); it counts once,"
            " with both sources: if it is a new run, tell what differs"
        )
        problems.append(Problem(f"{path}/report.json", f"runs[{position}]", message, severity))
    return problems

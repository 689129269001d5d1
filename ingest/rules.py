"""The rules that a bundle must hold to, each a small function whose docstring says the rule.

A rule gets a filed bundle and the catalogue and yields (place, message). It never raises and never
stops at the first finding. Rules whose breach makes a number meaningless are errors; doubts are
flags.
"""

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date as Date  # noqa: N812 - a field of the bundle is named `date`
from typing import NamedTuple

from ingest.bundle import Bundle, Run
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.problem import Problem, Severity

Finding = tuple[str, str]
Check = Callable[[Filed, Catalog], Iterator[Finding]]


class Rule(NamedTuple):
    """One rule: its name (the function's), how grave a breach is, and the check."""

    name: str
    severity: Severity
    check: Check


RULES: list[Rule] = []


def rule(severity: Severity) -> Callable[[Check], Check]:
    """Register a check as a rule of `severity`."""

    def register(check: Check) -> Check:
        RULES.append(Rule(check.__name__, severity, check))
        return check

    return register


def rule_problems(filed: Filed, catalog: Catalog) -> list[Problem]:
    """Run every rule over one bundle."""
    path = f"{filed.path}/report.json"
    return [
        Problem(path, place, message, rule.severity)
        for rule in RULES
        for place, message in rule.check(filed, catalog)
    ]


def _runs(bundle: Bundle) -> Iterator[tuple[str, Run]]:
    for i, run in enumerate(bundle.runs):
        yield f"runs[{i}]", run


def _unknowns(
    named: Iterable[tuple[str, str | None]], table: Collection[str], what: str
) -> Iterator[Finding]:
    """List the names that the catalogue's `what` does not have, each with the nearest it has."""
    for place, name in named:
        if name is not None and name not in table:
            near = difflib.get_close_matches(name, table, n=3)
            hint = f"; nearest: {', '.join(near)}" if near else f"; see data/catalog/{what}"
            yield place, f"the catalogue has no {name!r}{hint}"


@rule("error")
def known_quantity(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A measurement's quantity is one of `quantities.toml`."""
    named = ((f"{at}.quantity", m.quantity) for at, m in filed.bundle.measured)
    return _unknowns(named, catalog.quantities, "quantities.toml")


@rule("error")
def known_protocol(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A measurement's protocol is one of `protocols.toml`."""
    named = ((f"{at}.protocol", m.protocol) for at, m in filed.bundle.measured)
    return _unknowns(named, catalog.protocols, "protocols.toml")


@rule("error")
def known_workload(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A measurement's workload is one of `protocols.toml`, or null."""
    named = ((f"{at}.workload", m.workload) for at, m in filed.bundle.measured)
    return _unknowns(named, catalog.workloads, "protocols.toml")


@rule("error")
def known_method(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A bandwidth names the method it was measured with, one of `bandwidth.toml`."""
    figures = enumerate(filed.bundle.rig.memory.bandwidth)
    named = ((f"rig.memory.bandwidth[{i}].method", figure.method) for i, figure in figures)
    return _unknowns(named, catalog.bandwidth, "bandwidth.toml")


@rule("error")
def known_model(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A run's model is a catalogue id, or null where the spelling is not mapped."""
    named = ((f"{at}.weights.model", run.weights.model) for at, run in _runs(filed.bundle))
    return _unknowns(named, catalog.models, "models/")


@rule("error")
def known_quant(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A run's quant is one of `quants.toml`, or null where the spelling is not mapped."""
    named = ((f"{at}.weights.quant", run.weights.quant) for at, run in _runs(filed.bundle))
    return _unknowns(named, catalog.quants, "quants.toml")


@rule("error")
def known_engine(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A run's engine is one of `protocols.toml`, or null where the spelling is not mapped."""
    named = ((f"{at}.engine.name", run.engine.name) for at, run in _runs(filed.bundle))
    return _unknowns(named, catalog.engines, "protocols.toml")


@rule("error")
def known_slug(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A run's slug is one of `slugs.toml`, or null; the name the text used goes to `named`."""
    named = ((f"{at}.slug", run.slug) for at, run in _runs(filed.bundle))
    return _unknowns(named, catalog.slugs, "slugs.toml")


@rule("error")
def slug_serves_its_weights(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A run has a slug only when weights are the catalogue's: a container's name is no proof."""
    for at, run in _runs(filed.bundle):
        slug = catalog.slugs.get(run.slug or "")
        served = (run.weights.model, run.weights.quant)
        if slug and served != (slug.model, slug.quant):
            yield (
                f"{at}.slug",
                (
                    f"{slug.id} serves {slug.model} {slug.quant}, but this run served"
                    f" {served[0]} {served[1]}; set slug to null and keep the name in `named`"
                ),
            )


@rule("error")
def unit_of_the_quantity(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A measurement is in the one unit that its quantity has."""
    for at, m in filed.bundle.measured:
        quantity = catalog.quantities.get(m.quantity)
        if quantity and m.unit != quantity.unit:
            yield f"{at}.unit", f"{m.quantity} is in {quantity.unit}, got {m.unit!r}; convert it"


@rule("error")
def possible_value(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A value lies in the range outside which its quantity is impossible."""
    for at, m in filed.bundle.measured:
        quantity = catalog.quantities.get(m.quantity)
        for field in ("value", "low", "high"):
            value = getattr(m, field)
            if quantity and value is not None and not quantity.low <= value <= quantity.high:
                yield (
                    f"{at}.{field}",
                    (
                        f"{m.quantity} lies between {quantity.low:g} and {quantity.high:g}"
                        f" {quantity.unit}, got {value:g}; read the source again"
                    ),
                )


@rule("error")
def a_number_is_there(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """A measurement has a value or a range; a run without numbers has no measurements."""
    for at, m in filed.bundle.measured:
        if m.value is None and (m.low is None or m.high is None):
            yield at, "has neither a value nor low and high; fill one or drop the measurement"


@rule("error")
def ordered_range(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """A range is in order: low ≤ value ≤ high."""
    figures = enumerate(filed.bundle.rig.memory.bandwidth)
    ranges = [(at, m.low, m.value, m.high) for at, m in filed.bundle.measured]
    ranges += [(f"rig.memory.bandwidth[{i}]", b.low, b.gbps, b.high) for i, b in figures]
    for at, *parts in ranges:
        present = [part for part in parts if part is not None]
        if present != sorted(present):
            yield at, f"low ≤ value ≤ high should hold, got {', '.join(f'{p:g}' for p in present)}"


@rule("error")
def distinct_runs(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """Run ids are distinct within a bundle, and a rerun names an existing run."""
    ids = Counter(run.id for run in filed.bundle.runs)
    for at, run in _runs(filed.bundle):
        if ids[run.id] > 1:
            yield f"{at}.id", f"{run.id!r} stands {ids[run.id]} times; give each run its own"
        if run.rerun_of is not None and run.rerun_of not in ids:
            yield f"{at}.rerun_of", f"there is no run {run.rerun_of!r}; name one of {sorted(ids)}"


@rule("error")
def sourced(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """Evidence and provenance point at a source that the bundle lists."""
    bundle, count = filed.bundle, len(filed.bundle.sources)
    pointed = [(f"{at}.evidence.source", m.evidence.source) for at, m in bundle.measured]
    pointed += [(f"provenance[{at!r}].source", p.source) for at, p in bundle.provenance.items()]
    for at, source in pointed:
        if source >= count:
            yield at, f"there are {count} sources, counted from 0; got {source}"


@rule("error")
def provenance_for_every_field(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """Every filled field outside measurements says how it was learned."""
    for pointer, told in filed.bundle.origins.items():
        if told is None:
            yield (
                f"provenance[{pointer!r}]",
                "is missing; say whether the field was measured, reported or inferred",
            )


def _resolves(document: object, pointer: str) -> bool:
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict) and name in document:
            document = document[name]
        elif isinstance(document, list) and name.isdigit() and int(name) < len(document):
            document = document[int(name)]
        else:
            return False
    return pointer == "" or pointer.startswith("/")


@rule("error")
def provenance_of_something(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """Provenance points at a field that is there."""
    for pointer in filed.bundle.provenance:
        if not _resolves(filed.bundle.document, pointer):
            yield f"provenance[{pointer!r}]", "points at nothing; remove it or fill the field"


@rule("error")
def status_of_something(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """A line of `status.jsonl` targets the bundle, a run or a measurement that exists."""
    for line, status in enumerate(filed.statuses, start=1):
        if not _resolves(filed.bundle.document, status.target):
            yield f"status.jsonl:{line}", f"target {status.target!r} points at nothing; correct it"


@rule("error")
def channels_fit_the_board(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """No more channels are populated than there are, and no fewer threads than cores."""
    memory, cpu = filed.bundle.rig.memory, filed.bundle.rig.cpu
    pairs: list[tuple[str, int | None, str, int | None]] = [
        ("rig.memory.channels_populated", memory.channels_populated, "channels_total",
         memory.channels_total),
        ("rig.cpu.cores", cpu.cores, "threads", cpu.threads),
        ("rig.cpu.sockets", cpu.sockets, "cores", cpu.cores),
    ]  # fmt: skip
    for at, small, name, large in pairs:
        if small is not None and large is not None and small > large:
            yield at, f"should be at most {name} ({large}), got {small}"


@rule("error")
def not_from_the_future(filed: Filed, _: Catalog) -> Iterator[Finding]:
    """No source is dated after the day of the check."""
    today = Date.today()  # noqa: DTZ011 - a calendar date, in the checker's own zone
    for i, source in enumerate(filed.bundle.sources):
        if source.date and source.date > today:
            yield f"sources[{i}].date", f"{source.date} is in the future; correct the year"


@rule("error")
def rated_is_not_measured(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A rated bandwidth is not a measurement."""
    for i, figure in enumerate(filed.bundle.rig.memory.bandwidth):
        method = catalog.bandwidth.get(figure.method)
        told = filed.bundle.origin(f"/rig/memory/bandwidth/{i}/gbps")
        if method and not method.measured and told and told.how == "measured":
            yield f"rig.memory.bandwidth[{i}]", f"{figure.method} is not a measurement; mark it"


@rule("flag")
def variant_in_the_catalogue(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """The catalogue knows what the served file holds; else no bytes, and no fit."""
    for at, run in _runs(filed.bundle):
        model = catalog.models.get(run.weights.model or "")
        quant = run.weights.quant
        if model and quant and model.kind == "moe" and model.variant(quant) is None:
            yield f"{at}.weights", f"models/{model.id}.toml has no variant {quant}; add it"


@rule("flag")
def engine_of_the_slug(filed: Filed, catalog: Catalog) -> Iterator[Finding]:
    """A slug's run was served by the slug's engine or a build of its family."""
    engines = catalog.engines
    for at, run in _runs(filed.bundle):
        slug, engine = catalog.slugs.get(run.slug or ""), engines.get(run.engine.name or "")
        if slug and engine and engines[slug.engine].family != engine.family:
            yield f"{at}.engine", f"{slug.id} is served by {slug.engine}, got {engine.id}"

"""A part's findings → a bundle: fields by rank, measurements with units, provenance by pointer."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from ingest.bundle import Bundle, Source, bundle_id
from ingest.catalog import Catalog
from ingest.readers.argv import pinned_layers
from ingest.readers.document import Document, Filled, filled
from ingest.readers.identity import identify
from ingest.readers.item import Clue, Doubt, Fact, Item, Number
from ingest.readers.part import Part
from ingest.readers.rig import inferred_facts, rig_keys

MAX_RUNS = 500
"""A sweep has some dozens of points; a paste with more is a log to be cut."""

MAX_NUMBERS = 5_000
MAX_TEXT_CHARS = 2_000
"""As `ingest.bundle.Text`."""


class Assembled(NamedTuple):
    """A bundle, or None with the reasons; doubts by line."""

    bundle: Bundle | None
    doubts: tuple[Doubt, ...]


class Context(NamedTuple):
    """What the text itself does not say: where it came from, and the catalogue."""

    catalog: Catalog
    source: Source
    text: str


def assemble(part: Part, context: Context) -> Assembled:
    """Build the bundle of one part."""
    doubts = [item for run in (part.rig, *part.runs) for item in run if isinstance(item, Doubt)]
    clues = [item for run in (part.rig, *part.runs) for item in run if isinstance(item, Clue)]
    source = _dated(context.source, clues)
    rig = _rig(part, context.catalog, source.author)
    runs = [_run(index, items, context.catalog) for index, items in enumerate(part.runs[:MAX_RUNS])]
    if len(part.runs) > MAX_RUNS:
        doubts.append(Doubt(part.first, f"{len(part.runs)} runs: only {MAX_RUNS} were taken"))
    doubts += [doubt for one in (rig, *runs) for doubt in one.doubts]
    document = {
        "id": bundle_id([source.url], context.text),
        "submitter": source.author,
        "sources": [source.model_dump(mode="json", exclude_none=True)],
        "rig": rig.document["rig"],
        "runs": [run.document for run in runs],
    }
    provenance = dict(_provenance(rig, ""))
    for index, run in enumerate(runs):
        provenance |= _provenance(run, f"/runs/{index}")
    return _validated(document, provenance, doubts)


def _dated(source: Source, clues: Iterable[Clue]) -> Source:
    dates = [clue.value for clue in clues if clue.kind == "date"]
    if source.date or not dates:
        return source
    fields = source.model_dump(mode="json", exclude_none=True)
    try:
        return Source.model_validate({**fields, "date": dates[0]})
    except ValidationError:
        return source


def _rig(part: Part, catalog: Catalog, author: str | None) -> Filled:
    facts = [
        item
        for run in (part.rig, *part.runs)
        for item in run
        if isinstance(item, Fact) and item.at.startswith("rig.")
    ]
    first = filled(facts).document.get("rig") or {}
    inferred = list(inferred_facts(first, catalog))
    rig = filled([*facts, *(item for item in inferred if isinstance(item, Fact))])
    doubts = [*rig.doubts, *(item for item in inferred if isinstance(item, Doubt))]
    document = rig.document.get("rig") or {}
    _drop_unnamed(document)
    machine, state = rig_keys(document, catalog, author)
    whole = {"rig": {"machine": machine, "state": state, **document}}
    return Filled(whole, rig.facts, tuple(doubts))


def _drop_unnamed(rig: Document) -> None:
    """Leave out cards of which only a power limit is known."""
    gpus = rig.get("gpus")
    if isinstance(gpus, list) and not all("name" in gpu for gpu in gpus):
        for gpu in gpus:
            gpu.setdefault("name", "unstated")


def _run(index: int, items: Sequence[Item], catalog: Catalog) -> Filled:
    clues = [item for item in items if isinstance(item, Clue)]
    facts = [item for item in items if isinstance(item, Fact) and not item.at.startswith("rig.")]
    identity = list(identify(clues, catalog))
    facts += [item for item in identity if isinstance(item, Fact)]
    doubts = [item for item in identity if isinstance(item, Doubt)]
    run = filled([*facts, *_implied(clues, facts)])
    document = run.document
    document.setdefault("id", f"run-{index + 1}")
    more = _placed(document, catalog)
    facts_by_place = {**run.facts, **{fact.at: fact for fact in more}}
    doubts += [*run.doubts, *_denials(clues, document), *_undetected(clues, document)]
    document["measurements"] = list(_measurements(items, catalog, doubts))
    return Filled(document, facts_by_place, tuple(doubts))


def _implied(clues: Sequence[Clue], facts: Sequence[Fact]) -> Iterator[Fact]:
    """Facts that follow from several clues together."""
    kinds = {clue.kind: clue for clue in clues}
    places = {fact.at for fact in facts}
    if "cache_cap_unset" in kinds and "no_pool" in kinds:
        # The flag was not given and no pool was made: off, not unknown.
        off = {"kind": "none"}
        yield Fact("launch.expert_cache", off, kinds["no_pool"].line, 4, "inferred")
    drafts = kinds.get("drafts")
    drafted = (drafts and drafts.value != "0") or "drafter_on" in kinds or "drafted" in kinds
    depth = "launch.drafter.depth" in places
    if (drafted or depth) and "launch.drafter.kind" not in places | {"launch.drafter"}:
        line = (
            next(kinds[k].line for k in ("drafter_on", "drafts", "drafted") if k in kinds)
            if drafted
            else 0
        )
        yield Fact("launch.drafter.kind", "unstated", line, 6, "inferred", "drafts were accepted")
    if "cache_on" in kinds and not any(at.startswith("launch.expert_cache") for at in places):
        yield Fact("launch.expert_cache.note", "mode=auto", kinds["cache_on"].line)
    pools = dict(clue.value.split("=") for clue in clues if clue.kind == "pool")
    if pools:
        mib = sum(map(int, pools.values()))
        yield Fact("launch.expert_cache.mib", mib, kinds["pool"].line)


def _denials(clues: Sequence[Clue], document: Document) -> Iterator[Doubt]:
    """The capture layer denies a drafter that the launch or the log shows."""
    denied = next((clue for clue in clues if clue.kind == "no_drafter_output"), None)
    drafter = (document.get("launch") or {}).get("drafter") or {}
    if denied and drafter.get("kind", "none") != "none":
        yield Doubt(denied.line, "no drafter output was found, but a drafter ran: unknown, not off")


def _undetected(clues: Sequence[Clue], document: Document) -> Iterator[Doubt]:
    """The capture layer looks for llama.cpp's flags only, and misses other engines' offload."""
    denied = next((clue for clue in clues if clue.kind == "no_offload_detected"), None)
    offload = (document.get("launch") or {}).get("offload")
    if denied and offload:
        yield Doubt(
            denied.line, f"no CPU offload was detected, but the launch has {offload['kind']}"
        )


def _placed(document: Document, catalog: Catalog) -> list[Fact]:
    """Count the layers whose experts are in host RAM, from the rules and the model's layers."""
    launch = document.get("launch") or {}
    offload = launch.get("offload") or {}
    model = catalog.models.get((document.get("weights") or {}).get("model", ""))
    rules = offload.get("rules")
    if not rules or not model or not model.moe_layers or "layers_on_cpu" in offload:
        return []
    pinned = pinned_layers(rules) & set(model.moe_blocks())
    offload["layers_on_cpu"] = model.moe_layers - len(pinned)
    note = f"{model.moe_layers} expert layers, {len(pinned)} pinned to cards"
    return [Fact("launch.offload.layers_on_cpu", 0, 0, 0, "inferred", note)]


def _measurements(
    items: Iterable[Item], catalog: Catalog, doubts: list[Doubt]
) -> Iterator[dict[str, Any]]:
    seen: dict[tuple[object, ...], Number] = {}
    for item in items:
        if not isinstance(item, Number) or len(seen) >= MAX_NUMBERS:
            continue
        quantity = catalog.quantities[item.fields["quantity"]]
        value = item.fields["value"]
        if not quantity.low <= value <= quantity.high:
            doubts.append(
                Doubt(item.line, f"{quantity.id} {value:g} {quantity.unit} is impossible")
            )
            continue
        key = tuple(item.fields.get(name) for name in _SAME)
        other = seen.setdefault(key, item)
        if other is not item:
            if other.fields["value"] != value:
                doubts.append(
                    Doubt(
                        item.line,
                        f"{quantity.id} was {other.fields['value']:g} on line {other.line}",
                    )
                )
            continue
        yield {**item.fields, "unit": quantity.unit, "evidence": {"line": item.line}}


_SAME = (
    *("quantity", "workload", "protocol", "prompt_tokens", "context_tokens", "nominal_tokens"),
    *("streams", "statistic"),
)


def _provenance(one: Filled, prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for at, fact in one.facts.items():
        entry = {"how": fact.how, "line": fact.line or None, "note": fact.note}
        pointer = f"{prefix}/{at.replace('.', '/')}"
        yield pointer, {key: value for key, value in entry.items() if value is not None}


MAX_REPAIRS = 40


def _validated(document: Document, provenance: dict[str, Any], doubts: list[Doubt]) -> Assembled:
    """Validate; a field that cannot stand is dropped and told, one after the other."""
    for _ in range(MAX_REPAIRS):
        told = {at: entry for at, entry in provenance.items() if _resolves(document, at)}
        try:
            bundle = Bundle.model_validate({**document, "provenance": told})
        except ValidationError as error:
            # Backwards, so that a place that goes does not move those still to be dropped.
            doubts += [
                _dropped(document, detail["loc"], detail["msg"])
                for detail in reversed(error.errors())
            ]
        else:
            return Assembled(bundle, tuple(doubts))
    return Assembled(None, tuple(doubts))


def _dropped(document: Document, location: tuple[int | str, ...], why: str) -> Doubt:
    place: Any = document
    path = []
    for step in location:
        if isinstance(place, dict | list) and _has(place, step):
            path.append(step)
            place = place[step]  # type: ignore[index]
    holder: Any = document
    for step in path[:-1]:
        holder = holder[step]
    if path:
        del holder[path[-1]]
    return Doubt(0, f"{'.'.join(map(str, location))}: {why}: left out")


def _has(place: dict[str, Any] | list[Any], step: int | str) -> bool:
    if isinstance(place, dict):
        return step in place
    return isinstance(step, int) and step < len(place)


def _resolves(document: object, pointer: str) -> bool:
    for step in pointer.split("/")[1:]:
        if isinstance(document, dict) and step in document:
            document = document[step]
        elif isinstance(document, list) and step.isdigit() and int(step) < len(document):
            document = document[int(step)]
        else:
            return False
    return True

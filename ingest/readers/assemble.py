"""A part's findings → a bundle: fields by rank, measurements with units, provenance by pointer."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from ingest.bundle import Bundle, Source, bundle_id
from ingest.catalog import Catalog
from ingest.readers.document import Document, Filled, filled
from ingest.readers.identity import identify
from ingest.readers.implied import denials, implied, placed, undetected
from ingest.readers.item import Clue, Doubt, Fact, Item
from ingest.readers.measured import measurements
from ingest.readers.part import Part
from ingest.readers.rig import inferred_facts, rig_keys

MAX_RUNS = 500
"""A sweep has some dozens of points; a paste with more is a log to be cut."""


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
    source = _dated(context.source.model_copy(update={"author": part.author}), clues)
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
    run = filled([*facts, *implied(clues, facts)])
    document = run.document
    document.setdefault("id", f"run-{index + 1}")
    more = placed(document, catalog, clues)
    facts_by_place = {**run.facts, **{fact.at: fact for fact in more}}
    doubts += [*run.doubts, *denials(clues, document), *undetected(clues, document)]
    document["measurements"] = list(measurements(items, catalog, doubts))
    return Filled(document, facts_by_place, tuple(doubts))


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

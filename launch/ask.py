"""One question to the planner, and its answer: a slug or a GGUF, a rig, and what is wished."""

from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

from ingest.catalog import Catalog, ModelEntry, load_catalog
from ingest.misuse import Misuse
from ingest.shipped import shipped
from launch.alternatives import needs_of
from launch.config import Launchers, load_launchers
from launch.entry import checked_entry
from launch.line import Server
from launch.machine import Machine
from launch.payload import gguf_payload
from launch.plan import CONTEXT, Cards, Plan, Wish, make_plan
from launch.rig import cards_of, named_cards, numbers, reference_cards
from launch.shards import is_url, read_weights
from launch.source import Sources
from launch.subject import Subject, slug_subject
from launch.tensors import table_of
from launch.verdict import Memory

NEWEST = "b11434"
"""The newest build whose flags are known: the one that a GGUF's line is written for."""


class Ask(NamedTuple):
    """What a person asks, as typed; None where nothing was said."""

    slug: str | None = None
    gguf: str | None = None
    weights: str | None = None
    gpus: tuple[str, ...] = ()
    free_vram: str | None = None
    devices: str | None = None
    ram_gib: float | None = None
    models: str = "/models"
    build: str | None = None
    wish: Wish = Wish()


class Shelf(NamedTuple):
    """What ships with Rigbook: the catalogue and the reference configs."""

    catalog: Catalog
    launchers: Launchers


class Rig(NamedTuple):
    """Cards and memory, and what was assumed of them."""

    cards: Cards
    memory: Memory
    notes: tuple[str, ...] = ()


def shipped_shelf() -> Shelf:
    """Read the catalogue and the configs that ship."""
    catalog, _ = load_catalog(Path(shipped("catalog")))
    launchers, _ = load_launchers(Path(shipped("launchers")), catalog)
    return Shelf(catalog, launchers)


def plan_for(ask: Ask, shelf: Shelf, rig: Rig | None = None) -> Plan:
    """Answer. Raises Misuse for what does not exist, PlanError for what cannot be planned."""
    subject = subject_of(ask, shelf)
    rig = rig or rig_of(ask, shelf, subject)
    wish = ask.wish._replace(build=_build(ask, shelf))
    model = subject.slug.model if subject.slug else None
    smaller = needs_of(model, shelf.catalog, shelf.launchers, rig.cards) if model else ()
    plan = make_plan(subject, rig.cards, rig.memory, wish, smaller)
    return plan._replace(notes=(*rig.notes, *plan.notes))


def _build(ask: Ask, shelf: Shelf) -> str | None:
    flags = shelf.launchers.flags
    build = flags.nearest(ask.build) if ask.build else None
    if ask.build and build is None:
        raise Misuse(f"--build {ask.build}: unknown; known: {', '.join(flags.builds)}")
    return build


def subject_of(ask: Ask, shelf: Shelf) -> Subject:
    """Find the slug, or read the GGUF."""
    if ask.gguf:
        with Sources() as sources:
            weights = read_weights(ask.gguf, sources.open)
        table = table_of(weights)
        payload = gguf_payload(weights, table)
        model = weights.files[0]
        if is_url(model):
            model = f"{ask.models}/{PurePosixPath(urlsplit(model).path).name}"
        entry = checked_entry(weights, table, shelf.catalog)
        server = Server(build=NEWEST, model=model, ctx=_native(entry))
        return Subject(payload, server, tensors=weights.tensors, entry=entry)
    slug = shelf.catalog.slugs.get(ask.slug or "")
    if slug is None:
        near = get_close_matches(ask.slug or "", shelf.launchers.configs, n=3, cutoff=0.3)
        raise Misuse(f"--slug: no slug {ask.slug!r}; nearest: {', '.join(near) or 'none'}")
    subject = slug_subject(slug, shelf.catalog, shelf.launchers, ask.models)
    if not ask.weights:
        return subject
    return subject._replace(server=subject.server._replace(model=ask.weights))


def _native(entry: ModelEntry | None) -> int | None:
    """Give the context that a model was made for where it is below the usual one."""
    native = entry.native_ctx if entry else None
    return native if native and native < CONTEXT else None


NO_CARD_HERE = (
    "no NVIDIA card is seen on this machine: everything runs on the host; --gpu names others"
)


def rig_here(ask: Ask, shelf: Shelf, subject: Subject, here: Machine) -> Rig:
    """Take memory and cards of a machine as they are now, unless others were typed."""
    memory = here.memory._replace(total_gib=ask.ram_gib or here.memory.total_gib)
    if ask.gpus or ask.free_vram:
        return rig_of(ask, shelf, subject)._replace(memory=memory)
    if not here.cards:
        return Rig(Cards(), memory, (NO_CARD_HERE,))
    devices = ask.devices.split(",") if ask.devices else None
    return Rig(cards_of([], [card.free_mib for card in here.cards], devices), memory)


def rig_of(ask: Ask, shelf: Shelf, subject: Subject) -> Rig:
    """Take the rig as typed; without a card, the slug's reference cards, and say so."""
    devices = ask.devices.split(",") if ask.devices else None
    free = numbers(ask.free_vram, "--free-vram") if ask.free_vram else None
    entries = named_cards(ask.gpus, shelf.catalog)
    memory = Memory(ask.ram_gib)
    if entries or free:
        return Rig(cards_of(entries, free, devices), memory)
    if subject.slug:
        note = "no card given: the slug's reference cards are assumed"
        return Rig(reference_cards(subject.slug, shelf.catalog), memory, (note,))
    return Rig(Cards(), memory, ("no card given: everything runs on the host",))

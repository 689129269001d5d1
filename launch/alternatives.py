"""The other ways to serve a model: its slugs, drafter depths and batches, each planned."""

from collections.abc import Iterator
from typing import NamedTuple

from ingest.catalog import Catalog
from launch.config import Launchers
from launch.plan import Cards, Plan, Wish, make_plan
from launch.subject import PlanError, Subject, slug_subject
from launch.verdict import Memory

DEPTHS = (0, 2, 5)
UBATCHES = (2048, 4096)


class Alternative(NamedTuple):
    """One way: a slug (None for a GGUF) with a drafter depth and a batch, and its plan."""

    slug: str | None
    depth: int
    ubatch: int
    plan: Plan


def alternatives(
    model: str, catalog: Catalog, launchers: Launchers, cards: Cards, memory: Memory
) -> list[Alternative]:
    """Plan every slug of a model that these cards could serve, at each depth and batch."""
    found = []
    for slug_id in sorted(launchers.configs):
        slug = catalog.slugs[slug_id]
        if slug.model != model or slug.cards > max(len(cards.free_mib), 1):
            continue
        subject = slug_subject(slug, catalog, launchers, "/models")
        for depth, ubatch in _settings(drafts=subject.server.draft is not None):
            plan = make_plan(subject, cards, memory, Wish(depth=depth, ubatch=ubatch))
            found.append(Alternative(slug_id, depth, ubatch, plan))
    return found


def gguf_alternatives(subject: Subject, cards: Cards, memory: Memory) -> list[Alternative]:
    """Plan a GGUF at each batch. No drafter is known for it."""
    return [
        Alternative(None, depth, ubatch, make_plan(subject, cards, memory, Wish(ubatch=ubatch)))
        for depth, ubatch in _settings(drafts=False)
    ]


def _settings(*, drafts: bool) -> Iterator[tuple[int, int]]:
    for depth in DEPTHS if drafts else (0,):
        for ubatch in UBATCHES:
            yield depth, ubatch


def needs_of(
    model: str, catalog: Catalog, launchers: Launchers, cards: Cards
) -> tuple[tuple[str, float], ...]:
    """List what host memory each slug of a model needs on these cards, in GiB."""
    found = []
    for slug_id in launchers.configs:
        slug = catalog.slugs[slug_id]
        if slug.model == model:
            try:
                subject = slug_subject(slug, catalog, launchers, "/models")
                plan = make_plan(subject, cards, Memory(), Wish())
            except PlanError:
                continue
            if plan.card.fits is not False:
                found.append((slug_id, plan.need.total_gib))
    return tuple(found)

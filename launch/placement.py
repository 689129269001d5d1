"""Which expert bundles sit on which card: the reference launcher's rule.

A card takes bundles while they fit beside what the engine, the drafter and a deep prefill need.
Layers go to the outer edges first: with a layer split the engine does not say where it cut the
stack, and starting from the ends makes sure that a bundle sits on the card that owns the dense
tensors of its layer. Pass one size for every layer to get the reference's scalar bundle; pass real
sizes to have wide layers priced right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ingest.catalog import ModelEntry, Residency, Variant

MARGIN_MIB = 1024.0
"""Headroom of a deep prefill: 556 MiB died on 90K tokens, 896 MiB survived 188K (club-3090)."""

DRIVER_MIB = 410.0
"""What driver and context take of a card's nominal memory: free is about the total less 0.4 GiB."""


class Costs(NamedTuple):
    """What a card spends before it holds any expert, in MiB."""

    reserve_mib: float = 18000.0
    draft_mib: float = 0.0
    first_card_extra_mib: float = 768.0
    margin_mib: float = MARGIN_MIB

    def on(self, card: int) -> float:
        """Add up the costs of card number `card`, margin included."""
        extra = self.first_card_extra_mib if card == 0 else 0.0
        return self.reserve_mib + self.draft_mib + extra + self.margin_mib


class Placement(NamedTuple):
    """Where the routed experts of each layer (block index) lie."""

    on_cards: tuple[tuple[int, ...], ...]
    on_cpu: tuple[int, ...]
    pinned_mib: float
    host_mib: float


def free_mib(vram_gib: float) -> float:
    """Estimate the free memory of an idle card of nominal size `vram_gib`."""
    return max(0.0, vram_gib * 1024 - DRIVER_MIB)


def place(
    bundles_mib: Mapping[int, float], cards_free_mib: Sequence[float], costs: Costs
) -> Placement:
    """Pin bundles to cards by the reference rule; the rest stays in host memory.

    `bundles_mib` maps the blocks of the residency window to their size, in order of the blocks. The
    reference grants nothing below two cards.
    """
    taken: set[int] = set()
    on_cards: list[tuple[int, ...]] = []
    for card, free in enumerate(cards_free_mib if len(cards_free_mib) > 1 else ()):
        order = candidates(list(bundles_mib), card, len(cards_free_mib))
        pinned = _pin([b for b in order if b not in taken], bundles_mib, free - costs.on(card))
        taken.update(pinned)
        on_cards.append(pinned)
    on_cpu = tuple(block for block in bundles_mib if block not in taken)
    return Placement(
        tuple(on_cards),
        on_cpu,
        pinned_mib=sum(bundles_mib[block] for block in sorted(taken)),
        host_mib=sum(bundles_mib[block] for block in on_cpu),
    )


def candidates(blocks: Sequence[int], card: int, cards: int) -> list[int]:
    """List the blocks that `card` of `cards` may take, first choice first.

    The first card climbs from the bottom, the last descends from the top, one between spreads from
    the middle of its share; none takes more than its share.
    """
    share = len(blocks) // cards
    if card == 0:
        return list(blocks[:share])
    if card == cards - 1:
        return list(blocks[::-1][:share])
    centre = (2 * card + 1) * len(blocks) // (2 * cards)
    steps = (step // 2 if step % 2 == 0 else -(step // 2 + 1) for step in range(share))
    return [blocks[centre + step] for step in steps if 0 <= centre + step < len(blocks)]


def _pin(
    order: Sequence[int], bundles_mib: Mapping[int, float], room_mib: float
) -> tuple[int, ...]:
    pinned: list[int] = []
    for block in order:
        room_mib -= bundles_mib[block]
        if room_mib < 0:
            break
        pinned.append(block)
    return tuple(pinned)


def bundles_of(model: ModelEntry, variant: Variant) -> dict[int, float]:
    """Map each mixture-of-experts block of `variant` to its MiB; empty where bytes are unknown."""
    sizes = variant.bundles_mib(model)
    return dict(zip(model.moe_blocks(), sizes, strict=True)) if sizes else {}


def place_slug(
    model: ModelEntry,
    variant: Variant,
    residency: Residency | None,
    cards_free_mib: Sequence[float],
    *,
    drafter: bool = True,
) -> Placement:
    """Place `variant` as its slug's launcher would; no residency leaves all on the host."""
    bundles = bundles_of(model, variant)
    if residency is None:
        return place(bundles, (), Costs())
    costs = Costs(
        residency.reserve_mib,
        residency.draft_mib if drafter else 0.0,
        residency.first_card_extra_mib,
    )
    window = range(residency.first_layer, residency.first_layer + residency.window_layers)
    return place_window(bundles, window, cards_free_mib, costs)


def place_window(
    bundles_mib: Mapping[int, float],
    window: range,
    cards_free_mib: Sequence[float],
    costs: Costs,
) -> Placement:
    """Place the layers of a residency window; layers outside of it stay on the host."""
    inside = {block: mib for block, mib in bundles_mib.items() if block in window}
    placed = place(inside, cards_free_mib, costs)
    outside = [block for block in bundles_mib if block not in window]
    return placed._replace(
        on_cpu=tuple(sorted((*placed.on_cpu, *outside))),
        host_mib=placed.host_mib + sum(bundles_mib[block] for block in outside),
    )

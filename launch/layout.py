"""Placement on the cards actually used: any number, any sizes, every layer at its own price.

Each card owns a run of layers (`-ts` says how many), with their dense part and their cache, and
takes bundles of its own layers only: no hidden state crosses cards for an expert. Of all ways to
deal the layers, the one is taken that pins most; among equals the one nearest to an even load. More
room can so never pin less.
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from ingest.catalog import Residency
from launch.budget import Budget
from launch.landing import Split
from launch.payload import Payload
from launch.placement import Costs, Placement, place_window


class Layout(NamedTuple):
    """A placement with the split it relies on.

    `layers` counts each card's layers, the output layer among the last card's. `used_mib` is what
    each card holds, margin excluded, `spare_mib` what is left beyond the margin. `short_mib` is
    what all cards together lack to hold the dense part; then nothing is placed.
    """

    placement: Placement
    layers: tuple[int, ...]
    used_mib: tuple[float, ...]
    spare_mib: tuple[float, ...]
    short_mib: float

    @property
    def fits(self) -> bool:
        """Tell whether the cards can hold the dense part."""
        return self.short_mib <= 0


class _Deal(NamedTuple):
    """A partial deal: what it pins, how far from even it is, and the layers of each card."""

    pinned_mib: float
    unevenness: float
    layers: tuple[int, ...]

    def better_than(self, other: "_Deal | None") -> bool:
        return other is None or (-self.pinned_mib, self.unevenness, self.layers) < (
            -other.pinned_mib, other.unevenness, other.layers)  # fmt: skip


def lay_out(
    payload: Payload, cards_free_mib: Sequence[float], budget: Budget, *, pin: bool = True
) -> Layout:
    """Deal the layers to the cards, and pin bundles where room is left (none without `pin`).

    A card without room for a single layer is left out: it gets none, and costs nothing.
    """
    fixed = [budget.fixed_on(card) for card in range(len(cards_free_mib))]
    room = [free - spent for free, spent in zip(cards_free_mib, fixed, strict=True)]
    per_layer = (budget.dense_mib + budget.kv_mib) / (payload.blocks + 1)
    pinnable = payload if pin else payload._replace(bundles_mib={})
    layers = deal(pinnable, room, per_layer)
    if layers is None:
        have = sum(max(0.0, one) for one in room)
        short = max(budget.dense_mib + budget.kv_mib - have, per_layer)
        return Layout(_placement(payload, ()), (), (), (), short if room else 0.0)
    return loaded(
        payload, _pin_all(pinnable, room, per_layer, layers), layers, cards_free_mib, budget
    )


def loaded(
    payload: Payload,
    on_cards: Sequence[tuple[int, ...]],
    layers: Sequence[int],
    cards_free_mib: Sequence[float],
    budget: Budget,
) -> Layout:
    """Add up what each card holds."""
    per_layer = (budget.dense_mib + budget.kv_mib) / (payload.blocks + 1)
    used, spare = [], []
    for card, (blocks, count) in enumerate(zip(on_cards, layers, strict=True)):
        load = count * per_layer + sum(payload.bundles_mib[block] for block in blocks)
        load += budget.fixed_on(card) - budget.margin_mib if count else 0.0
        used.append(load)
        spare.append(cards_free_mib[card] - load - budget.margin_mib)
    return Layout(_placement(payload, on_cards), tuple(layers), tuple(used), tuple(spare), 0.0)


def even_layers(payload: Payload, cards: int) -> tuple[int, ...]:
    """Count the layers of each card where all have one share, as with `-ts 1,1`."""
    split = Split(tuple(map(str, range(cards))), (1.0,) * cards, payload.blocks)
    owners = [split.device_of(block) for block in (*range(payload.blocks), None)]
    return tuple(owners.count(device) for device in split.devices)


def deal(
    payload: Payload, room_mib: Sequence[float], per_layer_mib: float
) -> tuple[int, ...] | None:
    """Choose how many layers each card owns; None if the cards cannot hold them all."""
    total = payload.blocks + 1
    whole = sum(max(0.0, room) for room in room_mib) or 1.0
    states: dict[int, _Deal] = {0: _Deal(0.0, 0.0, ())}
    for card, room in enumerate(room_mib):
        ideal = total * max(0.0, room) / whole
        best: dict[int, _Deal] = {}
        for start, so_far in states.items():
            for count in range(total - start + 1):
                left = room - count * per_layer_mib
                if left < 0 and count:
                    break
                blocks = _take(payload, start, count, left, last=card == len(room_mib) - 1)
                mine = sum(payload.bundles_mib[block] for block in blocks)
                reached = _Deal(
                    so_far.pinned_mib + mine,
                    so_far.unevenness + (count - ideal) ** 2,
                    (*so_far.layers, count),
                )
                if reached.better_than(best.get(start + count)):
                    best[start + count] = reached
        states = best
    return states[total].layers if total in states and room_mib else None


def _take(
    payload: Payload, start: int, count: int, room_mib: float, *, last: bool
) -> tuple[int, ...]:
    """Pin bundles of a run of layers, outermost first.

    The last card, a lone one too, descends from the top, so that the host keeps the first layers.
    """
    pinnable = payload.bundles_mib.keys() - payload.idle
    own = [block for block in range(start, start + count) if block in pinnable]
    return pinned(own[::-1] if last else own, payload.bundles_mib, room_mib)


def _pin_all(
    payload: Payload, room_mib: Sequence[float], per_layer_mib: float, layers: Sequence[int]
) -> list[tuple[int, ...]]:
    starts = [sum(layers[:card]) for card in range(len(layers))]
    last = len(layers) - 1
    return [
        _take(payload, starts[card], count, room - count * per_layer_mib, last=card == last)
        for card, (count, room) in enumerate(zip(layers, room_mib, strict=True))
    ]


def reference_placement(
    payload: Payload, residency: Residency, cards_free_mib: Sequence[float], *, drafter: bool
) -> Placement:
    """Place as the reference launcher does: one size for every bundle, every card of the host."""
    scalar = dict.fromkeys(payload.bundles_mib, residency.bundle_mib)
    costs = Costs(
        residency.reserve_mib,
        residency.draft_mib if drafter else 0.0,
        residency.first_card_extra_mib,
    )
    window = range(residency.first_layer, residency.first_layer + residency.window_layers)
    placed = place_window(scalar, window, cards_free_mib, costs)
    return _placement(payload, placed.on_cards)


def split_of(layers: Sequence[int], blocks: int, devices: tuple[str, ...]) -> Split:
    """Describe the split that `-ts` makes of these counts."""
    return Split(devices, tuple(map(float, layers)), blocks)


def pinned(order: Sequence[int], bundles_mib: dict[int, float], room_mib: float) -> tuple[int, ...]:
    """Take the bundles that pin most in the room; among equals the first of `order`.

    Exact for up to `MAX_WIDTHS` widths of bundles. Beyond, the best of four orders.
    """
    runs: dict[float, list[int]] = {}
    for block in order:
        runs.setdefault(bundles_mib[block], []).append(block)
    if len(runs) > 1 and len(runs) <= MAX_WIDTHS:
        tried = [_filled(order, bundles_mib, room_mib), _widest(runs, room_mib)]
    elif len(runs) > MAX_WIDTHS:
        narrow = sorted(order, key=bundles_mib.__getitem__)
        orders = (order, order[::-1], narrow, narrow[::-1])
        tried = [_filled(one, bundles_mib, room_mib) for one in orders]
    else:
        tried = [_filled(order, bundles_mib, room_mib)]
    return max(tried, key=lambda taken: sum(bundles_mib[block] for block in sorted(taken)))


MAX_WIDTHS = 3
"""Quants mix at most three widths of expert bundles (data/catalog/models)."""


def _widest(runs: dict[float, list[int]], room_mib: float) -> tuple[int, ...]:
    """Choose how many bundles of each width to take so that they pin most; try every count."""
    *others, last = sorted(runs)
    best: tuple[float, tuple[int, ...]] = (0.0, (0,) * len(runs))
    for counts in product(*(range(len(runs[width]) + 1) for width in others)):
        left = room_mib - sum(n * width for n, width in zip(counts, others, strict=True))
        if left < 0:
            continue
        count = min(int(left / last), len(runs[last]))
        mine = room_mib - left + count * last
        if mine > best[0]:
            best = (mine, (*counts, count))
    widths = (*others, last)
    return tuple(b for n, width in zip(best[1], widths, strict=True) for b in runs[width][:n])


def _filled(
    order: Sequence[int], bundles_mib: dict[int, float], room_mib: float
) -> tuple[int, ...]:
    taken: list[int] = []
    smallest = min((bundles_mib[block] for block in order), default=0.0)
    for block in order:
        if room_mib < smallest:
            break
        if bundles_mib[block] <= room_mib:
            taken.append(block)
            room_mib -= bundles_mib[block]
    return tuple(taken)


def _placement(payload: Payload, on_cards: Sequence[tuple[int, ...]]) -> Placement:
    taken = {block for blocks in on_cards for block in blocks}
    on_cpu = tuple(block for block in payload.bundles_mib if block not in taken)
    return Placement(
        tuple(on_cards),
        on_cpu,
        pinned_mib=sum(payload.bundles_mib[block] for block in sorted(taken)),
        host_mib=sum(payload.bundles_mib[block] for block in on_cpu),
    )

"""Lint of memory: a line that cannot boot, or that boots and dies on its first deep prefill."""

from collections.abc import Iterator

from ingest.problem import Problem, Severity
from launch.budget import (
    FIRST_CARD_EXTRA_MIB,
    Shape,
    compute_mib,
    drafter_mib,
    prefill_margin_mib,
)
from launch.command import Command
from launch.finding import Known, Lint, found
from launch.landing import Split, simulate
from launch.lint_rules import rules_of
from launch.payload import Payload, stand_in_tensors
from launch.placement import MARGIN_MIB
from launch.rules import CPU, RuleError

DIED_MIB = 556.0
"""A card left with this much died on a prefill of 90K tokens; 896 MiB survived 188K (measured)."""
DEFAULT_UBATCH = 512
"""llama.cpp's own physical batch."""


def card_memory(command: Command, known: Known) -> Iterator[Problem]:
    """Find cards that the line fills beyond what a deep prefill needs."""
    payload, free = known.payload, known.cards_free_mib
    ctx = command.get("-c") or ""
    if payload is None or not free or not ctx.isdecimal() or int(ctx) == 0:
        return
    shape = _shape(command, int(ctx))
    try:
        loads = _loads(command, known, payload, shape)
    except RuleError:
        return
    margin = prefill_margin_mib(shape)
    for card, (load, have) in enumerate(zip(loads, free, strict=True)):
        left = have - load
        if left >= margin:
            continue
        severity: Severity = "error" if left < DIED_MIB * margin / MARGIN_MIB else "flag"
        what = "does not boot" if left < 0 else "may boot, but a deep prefill will not fit"
        yield found(
            command,
            "-c",
            f"card {card} {what}: about {load:,.0f} of {have:,.0f} MiB taken, {left:,.0f} left "
            f"of the {margin:,.0f} that a prefill needs ({DIED_MIB:.0f} died on 90K tokens, 896 "
            "survived at 204,800 x 4096); less context, a smaller -ub, or fewer experts on this "
            "card",
            severity,
        )


def _shape(command: Command, ctx: int) -> Shape:
    ubatch = command.get("-ub") or ""
    return Shape(ctx, int(ubatch) if ubatch.isdecimal() else DEFAULT_UBATCH, command.get("-ctk"))


def _loads(command: Command, known: Known, payload: Payload, shape: Shape) -> list[float]:
    """Estimate what each card holds by the line: layers, cache, buffers, experts, drafter."""
    cards = len(known.cards_free_mib)
    devices = _devices(command, cards)
    said = [float(part) for part in (command.get("-ts") or "").split(",") if part]
    shares = tuple(said) if len(said) == cards and sum(said) > 0 else (1.0,) * cards
    layers = command.get("-ngl") or ""
    split = Split(devices, shares, payload.blocks, int(layers) if layers.isdecimal() else 999)
    landing = simulate(stand_in_tensors(payload), rules_of(command), split)
    weights = landing.mib_by_device()
    kv_layer = payload.kv_mib(shape.ctx, shape.kv) / payload.blocks
    owners = [split.device_of(block) for block in range(payload.blocks)]
    draft = _draft_mib(command, known, cards, shape)
    loads = []
    for card, device in enumerate(devices):
        load = weights.get(device, 0.0) + kv_layer * owners.count(device) + compute_mib(shape)
        load += FIRST_CARD_EXTRA_MIB if card == 0 else 0.0
        loads.append(load + draft)
    return loads


def _draft_mib(command: Command, known: Known, cards: int, shape: Shape) -> float:
    """Price a drafter: its context on every card, its weights unless they stay on the host."""
    if command.get("-md") is None:
        return 0.0
    on_host = command.get("-devd") == "none"
    return drafter_mib(known.drafter_mib, cards, shape, on_host=on_host)


def _devices(command: Command, cards: int) -> tuple[str, ...]:
    """Name the cards as the line does: by `-dev`, by its rules in order of number, or as CUDA."""
    said = command.get("-dev")
    if said and said.count(",") + 1 == cards:
        return tuple(said.split(","))
    named = sorted({rule.buffer for rule in rules_of(command)} - {CPU})
    return tuple(named) if len(named) == cards else tuple(f"CUDA{n}" for n in range(cards))


MEMORY_RULES: tuple[Lint, ...] = (card_memory,)

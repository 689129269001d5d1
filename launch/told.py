"""A plan told: lines for a person, a document for a program."""

from typing import Any

from launch.landing import lines as landing_lines
from launch.landing import ranges
from launch.plan import Plan


def lines(plan: Plan) -> list[str]:
    """Describe a plan: what it rests on, whether it fits, what lands where."""
    placement = plan.layout.placement
    on_cards = sum(map(len, placement.on_cards))
    told = [
        (
            f"{plan.subject.slug.id if plan.subject.slug else plan.subject.payload.name}: "
            f"{on_cards} expert bundles on cards, {len(placement.on_cpu)} on the host · "
            f"context {plan.shape.ctx:,}, ubatch {plan.shape.ubatch}, "
            f"cache {plan.shape.kv or 'f16'}"
        ),
        f"basis: {plan.basis}{_assumed(plan)}",
        *_fit_lines(plan),
        *(f"note: {note}" for note in plan.notes),
    ]
    if plan.card.fits is False:  # nothing lands on cards that cannot hold it
        return told
    on = "" if plan.subject.tensors else ", on stand-in tensors of the catalogue's sizes"
    told.append(f"simulated, first rule that fits wins{on}:")
    return told + [f"  {line}" for line in landing_lines(plan.landing)]


def _assumed(plan: Plan) -> str:
    names = plan.subject.payload.inferred
    return f" (inferred: {', '.join(names)})" if names else ""


def _fit_lines(plan: Plan) -> list[str]:
    word = {True: "fits", False: "DOES NOT FIT", None: "unknown"}
    told = []
    for fit in (plan.host, plan.card):
        told.append(f"{word[fit.fits]}: {fit.said}")
        if fit.remedy:
            told.append(f"  → {fit.remedy}")
    return told


def document(plan: Plan) -> dict[str, Any]:
    """Put a plan into one JSON document (without its line and its predictions)."""
    placement, layout = plan.layout.placement, plan.layout
    return {
        "slug": plan.subject.slug.id if plan.subject.slug else None,
        "model": plan.subject.payload.name,
        "basis": plan.basis,
        "inferred": list(plan.subject.payload.inferred),
        "shape": plan.shape._asdict(),
        "fits": plan.fits,
        "host": {**plan.host._asdict(), **plan.need._asdict(), "total_gib": plan.need.total_gib},
        "cards": {
            **plan.card._asdict(),
            "devices": list(plan.cards.devices),
            "free_mib": list(plan.cards.free_mib),
            "used_mib": list(layout.used_mib),
            "layers": list(layout.layers),
            "short_mib": layout.short_mib,
        },
        "placement": {
            "on_cards": [sorted(blocks) for blocks in placement.on_cards],
            "on_cpu": list(placement.on_cpu),
            "said": " · ".join(
                f"{device}: blk {ranges(sorted(blocks)) or 'none'}"
                for device, blocks in zip(plan.cards.devices, placement.on_cards, strict=False)
            ),
            "pinned_mib": placement.pinned_mib,
            "host_mib": placement.host_mib,
        },
        "landing_mib": plan.landing.mib_by_device(),
        "rules": [str(use.rule) for use in plan.landing.uses],
        "notes": list(plan.notes),
    }

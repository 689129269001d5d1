"""Speeds of the ways to serve what was planned: each alternative with its prediction."""

import argparse
from typing import TYPE_CHECKING, Any

from ingest.hardware import counted
from launch.alternatives import Alternative, alternatives, gguf_alternatives
from launch.verdict import Memory
from models.facts import Facts, variant_facts, variant_key
from models.predict import predict
from models.record import load_model
from models.request import GpuRequest, Request

if TYPE_CHECKING:
    from launch.ask import Shelf
    from launch.plan import Plan
    from models.record import FittedModel

TOLD = ("tokens_per_s", "low", "high", "level", "basis", "rigs", "rows", "limit", "layers_on_cpu")
"""What of an answer stands beside an alternative."""


def ranking(args: argparse.Namespace, shelf: "Shelf", plan: "Plan") -> list[dict[str, Any]]:
    """Predict each alternative; those that fit first, then by speed. [] where nothing is known."""
    if args.triad is None or args.cores is None:
        return []
    model, memory = load_model(None), Memory(args.ram)
    slug = plan.subject.slug
    if slug is None:
        return _of_gguf(args, shelf, plan, model)
    asked = _asked(args, plan)
    ways = alternatives(slug.model, shelf.catalog, shelf.launchers, plan.cards, memory)
    return _sorted([_row(model, one, asked._replace(slugs=(one.slug or "",))) for one in ways])


def _of_gguf(
    args: argparse.Namespace, shelf: "Shelf", plan: "Plan", model: "FittedModel"
) -> list[dict[str, Any]]:
    """Predict a GGUF from what its header says that a token reads."""
    entry = plan.subject.entry
    facts = variant_facts(shelf.catalog, entry, entry.variants[0]) if entry else None
    if entry is None or facts is None:
        return []
    name, quant = entry.id, entry.variants[0].quant
    model = model._replace(facts=_with(model.facts, name, quant, facts))
    asked = _asked(args, plan)._replace(model=name, quant=quant)
    ways = gguf_alternatives(plan.subject, plan.cards, Memory(args.ram))
    return _sorted([_row(model, one, asked) for one in ways])


def _with(known: Facts, name: str, quant: str, facts: Facts) -> Facts:
    """Add a variant, of a model and a quant that the catalogue need not have."""
    return {
        **known,
        "models": {**known["models"], name: facts},
        "quants": {quant: {"kernel": facts["kernel"]}, **known["quants"]},
        "variants": {**known["variants"], variant_key(name, quant): facts},
    }


def _asked(args: argparse.Namespace, plan: "Plan") -> Request:
    cards = tuple(GpuRequest(*counted(text)) for text in args.gpu)
    if not plan.cards.devices:
        cards = (GpuRequest("none"),)
    return Request(
        triad_gbps=args.triad,
        cores=args.cores,
        ram_gib=args.ram,
        gpus=cards,
        workload=args.workload,
    )


def _row(model: "FittedModel", one: Alternative, asked: Request) -> dict[str, Any]:
    layers = len(set(one.plan.layout.placement.on_cpu) - one.plan.subject.payload.idle)
    depth = one.depth if one.slug else None
    asked = asked._replace(depth=depth, cpu_layers=layers, ubatch=one.ubatch)
    (answer,) = predict(model, None, asked, advise=True)
    row = {"slug": one.slug, "depth": one.depth, "ubatch": one.ubatch, "fits": one.plan.fits}
    nearest = [near._asdict() for near in answer.nearest]
    reading = answer.prefill._asdict() if answer.prefill else None
    told = {key: getattr(answer, key) for key in TOLD}
    return row | told | {"prefill": reading, "nearest": nearest}


def rows_of(plan: "Plan") -> list[dict[str, Any]]:
    """List the rows of the record that were measured on the slug, fastest first."""
    slug = plan.subject.slug
    rows = [row for row in load_model(None).anchors if slug and row["slug"] == slug.id]
    told = [{key: row[key] for key in ("rig", "workload", "tokens_per_s", "url")} for row in rows]
    return sorted(told, key=lambda row: -float(row["tokens_per_s"]))


def lines_of(rows: list[dict[str, Any]]) -> list[str]:
    """Write what was measured on a slug: how much, how fast, and by whom first."""
    if not rows:
        return ["measured on it: nothing in the record"]
    rigs = len({row["rig"] for row in rows})
    best, least = rows[0], rows[-1]
    count = f"{len(rows)} {'row' if len(rows) == 1 else 'rows'}"
    of = f"{rigs} {'rig' if rigs == 1 else 'rigs'}"
    span = f"{least['tokens_per_s']:.1f} to {best['tokens_per_s']:.1f} t/s"
    return [f"measured on it: {count} of {of}, {span}; fastest: {best['url']}"]


def _sorted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row["fits"] is False, -row["tokens_per_s"]))


def line_of(row: dict[str, Any]) -> str:
    """Write one alternative for a person."""
    fits = {True: "fits", False: "DOES NOT FIT", None: "memory unknown"}[row["fits"]]
    reading = row["prefill"]
    prefill = f"prefill {reading['tokens_per_s']:,.0f} t/s  " if reading else ""
    return (
        f"  {row['tokens_per_s']:5.1f} t/s ({row['low']:.1f} to {row['high']:.1f}, "
        f"{row['level']:.0%}, {row['basis']}, {row['rows']} rows of {row['rigs']} rigs)  "
        f"{prefill}{row['slug'] or 'this file'}  depth {row['depth']}, ubatch {row['ubatch']}, "
        f"{row['layers_on_cpu']} layers on the host: {fits}"
    )

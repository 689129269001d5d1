"""The model as the predictor page reads it: one compact file, written from `model.json`.

Nothing is worked out here: tables turn into columns, which compress well, and the constants of the
formulas go along, so that the browser holds formulas but no numbers of its own.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from launch import budget, gate, placement
from models import (
    advice,
    ceiling,
    estimate,
    expert_cache,
    facts,
    interval,
    nearest,
    parameters,
    physics,
    predict,
    prefill,
    rig,
)
from models import what_if as changes
from models.record import FittedModel
from models.request import FASTEST, LEVELS, RANGES
from models.setup import BARE, SEVERAL_SOCKETS
from sitegen.address import rig_page
from sitegen.record import Record

SCHEMA = "rigbook.browser/1"

CPU = (
    "name", "match", "cores", "core_speed", "intel", "channels", "mts_max", "platform",
    "read_cap_gbps",
)  # fmt: skip
GPU = ("name", "match", "vram_gib", "gbps")
VARIANT = (
    "model", "quant", "kernel", "routed_gb", "routed_gweights", "dense_gb", "dense_gweights",
    "moe_layers", "layers", "first_moe_layer", "moe_layer_step", "expert_share", "bundle_mib",
    "bundle_mib_by_layer", "embedding_gib", "kv_mib_per_1k", "native_ctx", "inferred",
)  # fmt: skip
SLUG = (
    "model", "quant", "cards", "gpu", "ctx", "ubatch", "drafter", "expert_cache", "residency",
    "host_ram_gib", "status",
)  # fmt: skip
ANCHOR = (
    "rig", "slug", "model", "quant", "read_gbps", "cores", "verified", "cpu_share", "dense_on_cpu",
    "cache_on", "workload", "tokens_per_s", "url",
)  # fmt: skip
"""The fields that predictions read, by table."""

CONSTANTS: dict[str, Any] = {
    "reuse": physics.REUSE,
    "several_sockets": SEVERAL_SOCKETS,
    "yield_cap": physics.YIELD_CAP,
    "core_speed": parameters.CORE_SPEED,
    "sd_core_speed": rig.SD_CORE_SPEED,
    "sd_method": rig.SD_METHOD,
    "knee": estimate.KNEE,
    "deepest": advice.DEEPEST,
    "gb_per_gib": facts.GB_PER_GIB,
    "gb_per_mib": facts.GB_PER_MIB,
    "reserve_gib": expert_cache.RESERVE_GIB,
    "compute_gib": expert_cache.COMPUTE_GIB,
    "host_drafter_gib": expert_cache.HOST_DRAFTER_GIB,
    "driver_mib": placement.DRIVER_MIB,
    "costs": placement.Costs()._asdict(),
    "overhead_gib": gate.OVERHEAD_GIB,
    "comfort_gib": gate.COMFORT_GIB,
    "near_ram": predict.NEAR_RAM,
    "ubatch": prefill.UBATCH,
    "prompt_tokens": prefill.PROMPT_TOKENS,
    "step_tokens": ceiling.STEP_TOKENS,
    "mask_bytes": budget.MASK_BYTES,
    "compute_mib": budget.COMPUTE_MIB,
    "first_decode_mib": budget.FIRST_DECODE_MIB,
    "first_card_extra_mib": budget.FIRST_CARD_EXTRA_MIB,
    "margin_cells": budget.MARGIN_CELLS,
    "z": {f"{level:g}": z for level, z in interval.Z.items()},
    "slope_error": changes.SLOPE_ERROR,
    "shown": nearest.SHOWN,
    "far": nearest.FAR,
    "same": nearest.SAME,
    "other_quant": nearest.OTHER_QUANT,
    "other_model": nearest.OTHER_MODEL,
    "bare": BARE,
    "ranges": RANGES,
    "levels": LEVELS,
    "fastest": FASTEST,
    "what_if": {name: [field, kind.__name__] for name, (field, kind) in changes.FIELDS.items()},
}
"""Name → number: every constant of the formulas, from the module that owns it."""


def columns(rows: Iterable[Mapping[str, Any]], fields: Iterable[str]) -> dict[str, list[Any]]:
    """Turn rows into columns."""
    kept = list(rows)
    return {field: [row[field] for row in kept] for field in fields}


def browser_document(model: FittedModel, record: Record | None = None) -> dict[str, Any]:
    """Gather what the page needs of a model; a record adds pages to link and words of methods."""
    known = model.facts
    machines = record.machines if record else {}
    methods = record.methods if record else {}
    errors = model.evaluation["scores"]["Rigbook"]["all"]
    return {
        "schema": SCHEMA,
        "version": model.version,
        "fitted_on": model.fitted_on,
        "error": {"median_ape": errors["median_ape"], "p80_ape": errors["p80_ape"]},
        "parameters": {name: entry["value"] for name, entry in sorted(model.parameters.items())},
        "effects": model.effects,
        "components": model.components,
        "prefill": {part: model.prefill[part] for part in ("parameters", "interval")},
        "intervals": model.intervals,
        "ships": model.ships,
        "roofline": model.roofline,
        "defaults": model.defaults,
        "constants": CONSTANTS,
        "methods": known["methods"],
        "cpus": columns(known["cpus"].values(), CPU),
        "gpus": {"id": list(known["gpus"]), **columns(known["gpus"].values(), GPU)},
        "variants": columns(known["variants"].values(), VARIANT),
        "slugs": {"id": list(known["slugs"]), **columns(known["slugs"].values(), SLUG)},
        "anchors": columns(model.anchors, ANCHOR),
        "rig_pages": {
            row["rig"]: rig_page(row["rig"]) for row in model.anchors if row["rig"] in machines
        },
        "told": {name: methods[name]["meaning"] for name in known["methods"] if name in methods},
    }


def browser_json(model: FittedModel, record: Record | None = None) -> str:
    """Write the file; the same model and record give the same bytes."""
    document = browser_document(model, record)
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n"

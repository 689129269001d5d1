"""The JSON Schema of `model.json`, for readers in any language."""

from typing import Any

from models.record import SCHEMA, FittedModel

_NUMBER = {"type": "number"}
_BY_NAME = {"type": "object", "additionalProperties": _NUMBER}

_PARTS: dict[str, Any] = {
    "version": {"type": "string", "description": "schema major, then the first of the data hash"},
    "fitted_on": {
        "type": "object",
        "properties": {
            "rigs": {"type": "integer"},
            "rows": {"type": "integer"},
            "data_hash": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        },
        "required": ["rigs", "rows", "data_hash"],
    },
    "parameters": {
        "description": "the speed model's numbers; kernel.* and method.* are indexed by name order",
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {
                "value": {"type": "number", "exclusiveMinimum": 0},
                "prior": {"type": "number", "exclusiveMinimum": 0},
                "sd": {"type": "number", "exclusiveMinimum": 0},
                "unit": {"type": "string"},
                "meaning": {"type": "string"},
            },
            "required": ["value", "prior", "sd", "unit", "meaning"],
        },
    },
    "effects": {**_BY_NAME, "description": "log added for a model and for a variant (model/quant)"},
    "components": {
        "description": "variance (log²) that two configurations on one machine share",
        "type": "object",
        "properties": dict.fromkeys(("stratum", "rig", "model", "variant", "row"), _NUMBER),
        "required": ["stratum", "rig", "model", "variant", "row"],
    },
    "intervals": {
        "description": "stratum (`-sockets` added on several), level: logs of measured / predicted",
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "additionalProperties": {
                "type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2
            },
        },
    },
    "ships": {
        "description": "stratum: which predictor answers",
        "type": "object",
        "additionalProperties": {"enum": ["learned", "roofline"]},
    },
    "roofline": {**_BY_NAME, "description": "stratum: constant of the plain roofline"},
    "defaults": {
        "description": "what is assumed for acceptance and cache hits",
        "type": "object",
        "required": ["acceptance", "hit_rate"],
    },
    "facts": {
        "description": "catalogue facts that predictions need",
        "type": "object",
        "required": ["models", "quants", "variants", "slugs", "cpus", "gpus", "kernels", "methods"],
    },
    "anchors": {
        "description": "the rows that were fitted, as neighbours",
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "left_out_tokens_per_s": {
                    "type": "number",
                    "description": "predicted by a model that never saw the row's machine",
                },
            },
            "required": ["rig", "tokens_per_s", "left_out_tokens_per_s", "url"],
        },
    },
    "prefill": {
        "description": "prefill of long prompts: parameters, logs that bracket, error",
        "type": "object",
        "required": ["parameters", "interval", "error"],
    },
    "evaluation": {
        "description": "errors and coverage on machines left out",
        "type": "object",
        "required": ["scores", "coverage", "ships"],
    },
}  # fmt: skip


def model_schema() -> dict[str, Any]:
    """Give the JSON Schema (2020-12) of a model file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A fitted decode model of Rigbook",
        "type": "object",
        "properties": {"schema": {"const": SCHEMA}, **_PARTS},
        "required": ["schema", *FittedModel._fields],
        "additionalProperties": False,
    }

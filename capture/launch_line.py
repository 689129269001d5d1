"""Arguments of a server → the launch as far as they tell; an engine's defaults stay unknown."""

import re
from collections.abc import Sequence
from typing import Any

from capture.process import public_argv, value_of
from ingest.bundle import OFF, Drafter, Launch, Offload

COUNTS: dict[str, tuple[str, ...]] = {
    "threads": ("-t", "--threads"),
    "threads_batch": ("-tb", "--threads-batch"),
    "batch": ("-b", "--batch-size", "--max-num-batched-tokens"),
    "ubatch": ("-ub", "--ubatch-size"),
    "ctx": ("-c", "--ctx-size", "--max-model-len", "--context-length"),
    "tensor_parallel": ("-tp", "--tensor-parallel-size", "--tp-size"),
}
"""llama.cpp, vLLM and SGLang, in that order, as their `--help` of 2026 names them."""

CACHE_K, CACHE_V = ("-ctk", "--cache-type-k", "--kv-cache-dtype"), ("-ctv", "--cache-type-v")
RULES, EXPERT_LAYERS = ("-ot", "--override-tensor"), ("-ncmoe", "--n-cpu-moe")
DRAFT_MODEL = ("-md", "--model-draft", "--spec-draft-model")
DRAFT_KIND = ("--spec-type",)
DRAFT_DEPTH = ("--spec-draft-n-max", "--draft-max", "--draft-n", "--draft")
MOST = 10_000_000


def launch_of(argv: Sequence[str], engine: str | None) -> Launch:
    """Read a launch out of arguments; `engine` decides what an absent flag means."""
    told: dict[str, Any] = {name: _count(value_of(argv, flags)) for name, flags in COUNTS.items()}
    return Launch(
        argv=public_argv(argv),
        **told,
        kv=_cache(argv),
        numa=value_of(argv, ("--numa",)),
        offload=_offload(argv, engine),
        drafter=_drafter(argv, engine),
    )


def _count(text: str | None) -> int | None:
    """Read a positive number; 0, -1 and `auto` leave the choice to the engine."""
    found = int(text) if text and re.fullmatch(r"[0-9]{1,8}", text) else 0
    return found if 0 < found <= MOST else None


def _cache(argv: Sequence[str]) -> str | None:
    key, value = value_of(argv, CACHE_K), value_of(argv, CACHE_V)
    if key and value and key != value:
        return f"{key}/{value}"
    return key or value


def _offload(argv: Sequence[str], engine: str | None) -> Offload | None:
    if engine != "llama.cpp":
        return None
    layers, rules = value_of(argv, EXPERT_LAYERS), value_of(argv, RULES)
    if value_of(argv, ("-ngl", "--n-gpu-layers", "--gpu-layers")) == "0":
        return Offload(kind="cpu-only")
    if "--cpu-moe" in argv or "-cmoe" in argv:
        return Offload(kind="experts")
    if layers is not None and re.fullmatch(r"[0-9]{1,4}", layers):
        return Offload(kind="experts", layers_on_cpu=int(layers))
    if rules and "CPU" in rules:
        return Offload(kind="experts", rules=rules[:2000])
    return None


def _drafter(argv: Sequence[str], engine: str | None) -> Any:  # noqa: ANN401 - Off, Drafter or None
    if engine != "llama.cpp":
        return None
    kind, model = value_of(argv, DRAFT_KIND), value_of(argv, DRAFT_MODEL)
    if kind == "none" or (kind is None and model is None):
        return OFF
    if kind is None:
        # Builds from mid-2026 load a draft model and do not draft without --spec-type.
        return None
    return Drafter(kind=kind[:100], depth=_count(value_of(argv, DRAFT_DEPTH)))

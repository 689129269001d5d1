"""A llama.cpp launch line as words → facts on the launch."""

import re
from collections.abc import Iterator, Sequence

from ingest.readers.item import Clue, Fact, Item

# flag → field of `launch` that takes a whole number
WHOLE = {
    "-t": "threads",
    "--threads": "threads",
    "-tb": "threads_batch",
    "--threads-batch": "threads_batch",
    "-b": "batch",
    "--batch-size": "batch",
    "-ub": "ubatch",
    "--ubatch-size": "ubatch",
    "-c": "ctx",
    "--ctx-size": "ctx",
    "--max-model-len": "ctx",
    "-tp": "tensor_parallel",
    "--tensor-parallel-size": "tensor_parallel",
}
KV = ("-ctk", "--cache-type-k", "--kv-cache-dtype")
MODEL = ("-m", "--model")
RULES = ("-ot", "--override-tensor")
DEPTH = ("--spec-draft-n-max", "--draft-max", "--draft", "--draft-n")
SPLIT = ("-ts", "--tensor-split")
EXPERTS_ON_CPU = ("-ncmoe", "--n-cpu-moe")
ALL_EXPERTS_ON_CPU = ("-cmoe", "--cpu-moe")


def facts_of(words: Sequence[str], line: int, rank: int = 0) -> Iterator[Item]:
    """Read the flags of one launch line; flags that no field holds are passed over."""
    for flag, value in _pairs(words):
        if flag in WHOLE and value.isdecimal() and int(value):
            yield Fact(f"launch.{WHOLE[flag]}", int(value), line, rank)
        elif flag in KV:
            yield Fact("launch.kv", value, line, rank)
        elif flag in MODEL:
            yield Clue("model_path", value, line)
        elif flag in RULES:
            yield from placement(value, line, rank)
        elif flag in EXPERTS_ON_CPU and value.isdecimal() and int(value):
            yield Fact("launch.offload.kind", "experts", line, rank)
            yield Fact("launch.offload.layers_on_cpu", int(value), line, rank)
        elif flag in SPLIT:
            yield from split(value, line, rank)
    if any(word in ALL_EXPERTS_ON_CPU for word in words):
        yield Fact("launch.offload.kind", "experts", line, rank)
    yield from _drafter(words, line, rank)


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for index, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if word.startswith("--") and equals:
            yield flag, value
        elif word.startswith("-") and index + 1 < len(words):
            yield word, words[index + 1]


_LAYERS = re.compile(r"blk\\?\.\(?([0-9|]{1,400})\)?\\?\.[^=,]{1,200}=CUDA([0-9]{1,2})", re.ASCII)
NO_LAYER = 99999
"""The launcher's placeholder for "no layer on this card"."""


def pinned_layers(rules: str) -> set[int]:
    """List the layers whose experts the placement rules keep on a card."""
    found = {int(n) for match in _LAYERS.finditer(rules) for n in match[1].split("|") if n}
    return {layer for layer in found if layer < NO_LAYER}


def placement(rules: str, line: int, rank: int = 0) -> Iterator[Item]:
    """Read `-ot` rules: experts that go to the CPU."""
    if "exps" in rules and "=CPU" in rules:
        yield Fact("launch.offload.kind", "experts", line, rank)
        yield Fact("launch.offload.rules", rules[:2000], line, rank)


def split(value: str, line: int, rank: int = 0) -> Iterator[Item]:
    """Read `-ts 1,1`: one entry a card that the run uses."""
    parts = re.split(r"[,/;]", value[:200])
    used = [part for part in parts if part.strip("0. ")]
    if used and all(part.replace(".", "").isdecimal() for part in used):
        yield Fact("launch.gpus_used", len(used), line, rank)


def _drafter(words: Sequence[str], line: int, rank: int) -> Iterator[Item]:
    flags = dict(_pairs(words))
    kind = flags.get("--spec-type")
    if kind in ("none", "off"):
        yield Fact("launch.drafter", {"kind": "none"}, line, rank)
        return
    if kind is None and not any(flag in flags for flag in ("-md", "--model-draft")):
        return
    yield Fact("launch.drafter.kind", drafter_kind(kind or "draft-model"), line, rank)
    for flag in DEPTH:
        if flags.get(flag, "").isdecimal():
            yield Fact("launch.drafter.depth", int(flags[flag]), line, rank)
            break
    if flags.get("-devd") in ("none", "cpu", "CPU"):
        yield Fact("launch.drafter.device", "cpu", line, rank)
    elif str(flags.get("-devd")).startswith("CUDA"):
        yield Fact("launch.drafter.device", "gpu", line, rank)


def drafter_kind(spelled: str) -> str:
    """Name a drafter the one way: `draft-dspark` → dspark, `MTP` → mtp."""
    return spelled.strip().casefold().removeprefix("draft-")[:100] or "unstated"

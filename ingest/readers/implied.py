"""What several findings of one run say together, and where they contradict each other."""

from collections.abc import Iterator, Sequence

from ingest.catalog import Catalog
from ingest.readers.argv import pinned_layers
from ingest.readers.document import Document
from ingest.readers.item import Clue, Doubt, Fact


def implied(clues: Sequence[Clue], facts: Sequence[Fact]) -> Iterator[Fact]:
    """Facts that follow from several clues together."""
    kinds = {clue.kind: clue for clue in clues}
    places = {fact.at for fact in facts}
    if "cache_cap_unset" in kinds and "no_pool" in kinds:
        # The flag was not given and no pool was made: off, not unknown.
        off = {"kind": "none"}
        yield Fact("launch.expert_cache", off, kinds["no_pool"].line, 4, "inferred")
    drafts = kinds.get("drafts")
    drafted = (drafts and drafts.value != "0") or "drafter_on" in kinds or "drafted" in kinds
    depth = "launch.drafter.depth" in places
    if (drafted or depth) and "launch.drafter.kind" not in places | {"launch.drafter"}:
        line = (
            next(kinds[k].line for k in ("drafter_on", "drafts", "drafted") if k in kinds)
            if drafted
            else 0
        )
        yield Fact("launch.drafter.kind", "unstated", line, 6, "inferred", "drafts were accepted")
    if "cache_on" in kinds and not any(at.startswith("launch.expert_cache") for at in places):
        yield Fact("launch.expert_cache.note", "mode=auto", kinds["cache_on"].line)
    yield from _cards(facts)
    pools = dict(clue.value.split("=") for clue in clues if clue.kind == "pool")
    if pools:
        mib = sum(map(int, pools.values()))
        yield Fact("launch.expert_cache.mib", mib, kinds["pool"].line)


def _cards(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Each rank of tensor parallelism is a card."""
    ways = next((fact for fact in facts if fact.at == "launch.tensor_parallel"), None)
    if ways:
        note = "one card for each rank of tensor parallelism"
        yield Fact("launch.gpus_used", ways.value, ways.line, 6, "inferred", note)


def denials(clues: Sequence[Clue], document: Document) -> Iterator[Doubt]:
    """The capture layer denies a drafter that the launch or the log shows."""
    denied = next((clue for clue in clues if clue.kind == "no_drafter_output"), None)
    drafter = (document.get("launch") or {}).get("drafter") or {}
    if denied and drafter.get("kind", "none") != "none":
        yield Doubt(denied.line, "no drafter output was found, but a drafter ran: unknown, not off")


def undetected(clues: Sequence[Clue], document: Document) -> Iterator[Doubt]:
    """The capture layer looks for llama.cpp's flags only, and misses other engines' offload."""
    denied = next((clue for clue in clues if clue.kind == "no_offload_detected"), None)
    offload = (document.get("launch") or {}).get("offload")
    if denied and offload:
        yield Doubt(
            denied.line, f"no CPU offload was detected, but the launch has {offload['kind']}"
        )


def _told_pins(clues: Sequence[Clue]) -> set[int]:
    """List the layers that a person says stay on cards, beside the rules or in place of them."""
    spans = [clue.value.split("-") for clue in clues if clue.kind == "pinned"]
    return {layer for first, last in spans for layer in range(int(first), int(last) + 1)}


def placed(document: Document, catalog: Catalog, clues: Sequence[Clue] = ()) -> list[Fact]:
    """Count the layers whose experts are in host RAM, from the rules and the model's layers."""
    launch = document.get("launch") or {}
    offload = launch.get("offload") or {}
    model = catalog.models.get((document.get("weights") or {}).get("model", ""))
    rules = offload.get("rules")
    if not rules or not model or not model.moe_layers or "layers_on_cpu" in offload:
        return []
    pinned = (pinned_layers(rules) | _told_pins(clues)) & set(model.moe_blocks())
    offload["layers_on_cpu"] = model.moe_layers - len(pinned)
    note = f"{model.moe_layers} expert layers, {len(pinned)} pinned to cards"
    return [Fact("launch.offload.layers_on_cpu", 0, 0, 0, "inferred", note)]

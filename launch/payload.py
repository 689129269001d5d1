"""What is to be placed: the bytes of a model by block, from the catalogue or from a GGUF."""

from typing import NamedTuple

from ingest.catalog import ModelEntry, Variant
from launch.gguf import Tensor
from launch.placement import bundles_of
from launch.shards import Weights
from launch.tensors import MIB, Table

HALF_BYTES = 2
"""Bytes of a cached value at f16."""
KV_FACTOR = {
    "f32": 2.0,
    "f16": 1.0,
    "bf16": 1.0,
    "q8_0": 34 / 64,
    "q5_1": 24 / 64,
    "q5_0": 22 / 64,
    "q4_1": 20 / 64,
    "q4_0": 18 / 64,
}
"""Bytes of a cache type against f16, by block layout."""


class Payload(NamedTuple):
    """The bytes of one variant. `blocks` counts all of them, dense ones too.

    `dense_mib` is all that goes to the cards whatever happens to the experts. `inferred` names what
    was assumed. `prediction_mib` stays on the host and is not read, nor are the bundles of `idle`.
    """

    name: str
    bundles_mib: dict[int, float]
    blocks: int
    dense_mib: float
    embedding_mib: float
    kv_mib_per_1k: float
    inferred: tuple[str, ...] = ()
    prediction_mib: float = 0.0
    idle: frozenset[int] = frozenset()

    def kv_mib(self, ctx: int, kv: str | None) -> float:
        """Size the cache of a context."""
        return self.kv_mib_per_1k * ctx / 1000 * KV_FACTOR.get(kv or "f16", 1.0)

    @property
    def experts_mib(self) -> float:
        """Add up the routed experts."""
        return sum(self.bundles_mib.values())


def catalogue_payload(model: ModelEntry, variant: Variant) -> Payload | None:
    """Take the bytes of a catalogue entry; None where its routed bytes are unknown."""
    bundles = bundles_of(model, variant)
    if not bundles:
        return None
    inferred = [name for name in ("kv_mib_per_1k",) if model.kv_mib_per_1k is None]
    inferred += [n for n in ("dense_gib", "embedding_gib") if getattr(variant, n) is None]
    inferred += [name for name in variant.inferred if name not in inferred]
    return Payload(
        name=f"{model.id} {variant.quant}",
        bundles_mib=bundles,
        blocks=model.layers or max(bundles) + 1,
        dense_mib=(variant.dense_gib or 0.0) * 1024,
        embedding_mib=(variant.embedding_gib or 0.0) * 1024,
        kv_mib_per_1k=model.kv_mib_per_1k or model.kv_mib_per_1k_at_most or 0.0,
        inferred=tuple(inferred),
        prediction_mib=(variant.prediction_gib or 0.0) * 1024,
    )


def gguf_payload(weights: Weights, table: Table) -> Payload:
    """Take the bytes of a GGUF's tensor table."""
    bundles = table.bundles_mib()
    stated = weights.setting("block_count")
    kv = kv_mib_per_1k(weights)
    return Payload(
        name=str(weights.metadata.get("general.name") or weights.files[0]),
        bundles_mib=bundles,
        blocks=stated if type(stated) is int and stated > 0 else max(bundles, default=-1) + 1,
        dense_mib=table.dense_bytes / MIB,
        embedding_mib=table.embedding_bytes / MIB,
        kv_mib_per_1k=kv or 0.0,
        inferred=() if kv is not None else ("kv_mib_per_1k",),
        idle=frozenset(block for block in bundles if table.predicts(block)),
    )


def kv_mib_per_1k(weights: Weights) -> float | None:
    """Size the cache of 1000 tokens at f16 from the metadata; None where it does not say.

    Every layer counts as full attention, which is the safe side for models with windows. With
    latent attention (MLA) one compressed row and its rotary part stand for all heads.
    """
    blocks = weights.setting("block_count")
    if type(blocks) is not int:
        return None
    latent, rotary = (
        weights.setting("attention.kv_lora_rank"),
        weights.setting("rope.dimension_count"),
    )
    if type(latent) is int and type(rotary) is int:
        values = blocks * (latent + rotary)
    else:
        heads = weights.setting("attention.head_count_kv")
        width = _width(weights, "key") + _width(weights, "value")
        per_layer = [h for h in heads if type(h) is int] if isinstance(heads, list) else []
        if type(heads) is int:
            # Hybrids with linear attention keep a cache on every n-th layer only.
            every = weights.setting("full_attention_interval")
            per_layer = [heads] * (blocks // every if type(every) is int and every > 0 else blocks)
        values = sum(per_layer) * width
    return values * HALF_BYTES * 1000 / MIB if values else None


def _width(weights: Weights, what: str) -> int:
    """Give the width of a head's keys or values; the engine's default is embedding / heads."""
    said = weights.setting(f"attention.{what}_length")
    if type(said) is int:
        return said
    embedding, heads = weights.setting("embedding_length"), weights.setting("attention.head_count")
    if type(embedding) is int and type(heads) is int and heads > 0:
        return embedding // heads
    return 0


def stand_in_tensors(payload: Payload) -> tuple[Tensor, ...]:
    """Name tensors that add up to the payload, where no GGUF is at hand to simulate with."""
    share = payload.dense_mib / (payload.blocks + 1)
    rows = [("token_embd.weight", payload.embedding_mib), ("output.weight", share)]
    for block in range(payload.blocks):
        rows += [(f"blk.{block}.attn_output.weight", share)]
        third = payload.bundles_mib.get(block, 0.0) / 3
        rows += [
            (f"blk.{block}.ffn_{matrix}_exps.weight", third)
            for matrix in ("gate", "up", "down")
            if third
        ]
    return tuple(Tensor(name, (1,), "unknown", 0, round(mib * MIB)) for name, mib in rows)

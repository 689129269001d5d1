"""What the tensors of a model are for: routed, shared, embedding or dense; per layer, per type."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from launch.gguf import GgufError, Tensor
from launch.shards import Weights

_ROUTED = re.compile(r"\.ffn_(up|down|gate|gate_up)_(ch|)exps")
"""llama.cpp's own pattern for routed experts (`LLM_FFN_EXPS_REGEX` in common.h, build 11434)."""
_SHARED = re.compile(r"\.ffn_\w*shexp")
_EMBEDDING = re.compile(r"^(token_embd|per_layer_token_embd)\.")
_BLOCK = re.compile(r"^blk\.(\d+)\.")
MIB = 1 << 20


class Layer(NamedTuple):
    """The bytes of one block by role."""

    block: int
    routed_bytes: int
    shared_bytes: int
    dense_bytes: int
    routed_types: tuple[str, ...]


class Table(NamedTuple):
    """The tensor table of a model, summed up.

    `dense_bytes` is everything read for every token outside the routed experts, shared experts
    included; `embedding_bytes` the look-up tables, of which a token reads a row. Blocks from
    `first_prediction_block` on predict further tokens, and plain decoding skips them.
    """

    layers: tuple[Layer, ...]
    routed_bytes: int
    shared_bytes: int
    dense_bytes: int
    embedding_bytes: int
    type_bytes: dict[str, int]
    experts: int | None
    experts_per_token: int | None
    first_prediction_block: int | None

    @property
    def is_moe(self) -> bool:
        """Tell whether there are routed experts."""
        return self.routed_bytes > 0

    def bundles_mib(self) -> dict[int, float]:
        """Map each block with routed experts to their MiB."""
        return {row.block: row.routed_bytes / MIB for row in self.layers if row.routed_bytes}

    def predicts(self, block: int | None) -> bool:
        """Tell whether a block only predicts further tokens."""
        first = self.first_prediction_block
        return block is not None and first is not None and block >= first

    def read_per_token_bytes(self) -> float | None:
        """Count the routed bytes that one token of plain decoding reads; None if not stated."""
        if not self.experts or not self.experts_per_token:
            return None
        read = sum(row.routed_bytes for row in self.layers if not self.predicts(row.block))
        return read * self.experts_per_token / self.experts


def role(name: str) -> str:
    """Name what a tensor is for: routed, shared, embedding or dense."""
    if _ROUTED.search(name):
        return "routed"
    if _SHARED.search(name):
        return "shared"
    return "embedding" if _EMBEDDING.search(name) else "dense"


def block_of(name: str) -> int | None:
    """Find the block that a tensor belongs to; None if it is outside the stack."""
    found = _BLOCK.match(name)
    return int(found[1]) if found else None


def table_of(weights: Weights) -> Table:
    """Sum up the tensors of a model. Raises GgufError if its counts contradict its tensors."""
    roles: Counter[str] = Counter()
    types: Counter[str] = Counter()
    for tensor in weights.tensors:
        roles[role(tensor.name)] += tensor.size_bytes
        types[tensor.kind] += tensor.size_bytes
    experts, used = _count(weights, "expert_count"), _count(weights, "expert_used_count")
    if experts and used and used > experts:
        raise GgufError(f"{weights.files[0]}: uses {used} of {experts} experts: corrupt")
    return Table(
        layers=_layers(weights.tensors),
        routed_bytes=roles["routed"],
        shared_bytes=roles["shared"],
        dense_bytes=roles["dense"] + roles["shared"],
        embedding_bytes=roles["embedding"],
        type_bytes=dict(types.most_common()),
        experts=experts,
        experts_per_token=used,
        first_prediction_block=_first_prediction_block(weights),
    )


def _count(weights: Weights, key: str) -> int | None:
    value = weights.setting(key)
    return value if type(value) is int and value > 0 else None


def _first_prediction_block(weights: Weights) -> int | None:
    blocks, predicting = _count(weights, "block_count"), _count(weights, "nextn_predict_layers")
    return blocks - predicting if blocks and predicting and predicting < blocks else None


def _layers(tensors: Iterable[Tensor]) -> tuple[Layer, ...]:
    sums: dict[int, Counter[str]] = {}
    kinds: dict[int, Counter[str]] = {}
    for tensor in tensors:
        block = block_of(tensor.name)
        if block is None:
            continue
        what = role(tensor.name)
        sums.setdefault(block, Counter())[what] += tensor.size_bytes
        if what == "routed":
            kinds.setdefault(block, Counter())[tensor.kind] += tensor.size_bytes
    return tuple(
        Layer(
            block,
            found["routed"],
            found["shared"],
            found["dense"],
            tuple(kind for kind, _ in kinds.get(block, Counter()).most_common()),
        )
        for block, found in sorted(sums.items())
    )


def lines(weights: Weights, table: Table) -> list[str]:
    """Describe the table for a person: totals, then a line a group of equal layers."""
    said = [
        (
            f"{weights.architecture or 'unnamed architecture'}, {len(weights.tensors)} tensors in "
            f"{len(weights.files)} file{'s' if len(weights.files) > 1 else ''}, "
            f"{_gib(weights.file_bytes)}"
        ),
        (
            f"routed experts {_gib(table.routed_bytes)} · dense {_gib(table.dense_bytes)} "
            f"(shared experts {_gib(table.shared_bytes)} of it) · "
            f"embedding {_gib(table.embedding_bytes)}"
        ),
        "types: " + ", ".join(f"{kind} {_gib(size)}" for kind, size in table.type_bytes.items()),
    ]
    per_token = table.read_per_token_bytes()
    if table.is_moe and per_token:
        said.append(
            f"{table.experts_per_token} of {table.experts} experts a token: "
            f"{_gib(round(per_token))} read a token with all experts on the host"
        )
    if table.first_prediction_block is not None:
        said.append(f"blocks from {table.first_prediction_block} on only predict further tokens")
    if not table.is_moe:
        said.append("dense: no routed experts, so there is nothing to keep on the host")
    return said + [_layer_line(*group) for group in _groups(table.layers)]


def _groups(layers: Iterable[Layer]) -> list[tuple[int, Layer]]:
    """Join neighbours of equal bytes: (first block, last layer of the group)."""
    groups: list[tuple[int, Layer]] = []
    for row in layers:
        if groups and row[1:] == groups[-1][1][1:] and row.block == groups[-1][1].block + 1:
            groups[-1] = (groups[-1][0], row)
        else:
            groups.append((row.block, row))
    return groups


def _layer_line(first: int, row: Layer) -> str:
    blocks = f"blk.{first}" if first == row.block else f"blk.{first}-{row.block}"
    return (
        f"{blocks:<12} routed {row.routed_bytes / MIB:9.2f} MiB  "
        f"shared {row.shared_bytes / MIB:7.2f} MiB  dense {row.dense_bytes / MIB:8.2f} MiB  "
        f"{' '.join(row.routed_types)}"
    ).rstrip()


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.2f} GiB" if size >= 1 << 28 else f"{size / MIB:.2f} MiB"


def as_document(weights: Weights, table: Table, entry: object) -> dict[str, object]:
    """Put the table into one JSON document."""
    return {
        "schema": "rigbook.gguf/1",
        "files": list(weights.files),
        "architecture": weights.architecture,
        "file_bytes": weights.file_bytes,
        **table._asdict(),
        "layers": [row._asdict() for row in table.layers],
        "read_per_token_bytes": table.read_per_token_bytes(),
        "entry": entry,
    }

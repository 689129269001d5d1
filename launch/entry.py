"""The catalogue entry that a GGUF would add, as TOML that `rigbook check` accepts."""

import itertools
import re
from collections import Counter
from math import prod
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from pydantic import ValidationError

from ingest.catalog import Catalog, ModelEntry
from launch.gguf import Tensor
from launch.shards import Weights
from launch.tensors import Table, block_of, role

_QUANT = re.compile(r"(?i)[-.]((?:UD-)?(?:I?Q\d\w*|MXFP4\w*|NVFP4|TQ\d_\d|BF16|F16|F32))(?=[-.]|$)")
GIB = 1 << 30


def model_entry(weights: Weights, table: Table, catalog: Catalog) -> dict[str, object]:
    """Describe the model as an entry of `data/catalog/models/`; unknown fields are left out."""
    name = str(weights.metadata.get("general.name") or _stem(weights))
    parameters = Counter[str]()
    for tensor in weights.tensors:
        predicts = table.predicts(block_of(tensor.name))
        parameters["prediction" if predicts else role(tensor.name)] += prod(tensor.shape)
    blocks = [block for block in table.bundles_mib() if not table.predicts(block)]
    always = parameters["dense"] + parameters["shared"]
    fields: dict[str, object] = {
        "id": re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.") or "unnamed",
        "name": name,
        "family": re.sub(r"[^a-z0-9._-]+", "-", weights.architecture.lower()) or "unknown",
        "kind": "moe" if table.is_moe else "dense",
        "parameters_b": round(sum(parameters.values()) / 1e9, 6),
        "layers": table.first_prediction_block or weights.setting("block_count"),
        "moe_layers": len(blocks) or None,
        "first_moe_layer": blocks[0] if blocks else None,
        "moe_layer_step": _step(blocks),
        "experts": table.experts,
        "experts_per_token": table.experts_per_token,
        "shared_experts": weights.setting("expert_shared_count"),
        "hidden": weights.setting("embedding_length"),
        "expert_ffn": weights.setting("expert_feed_forward_length"),
        "expert_matrices": _matrices(weights.tensors, blocks),
        "always_active_b": round(always / 1e9, 6) or None,
        "embedding_b": round(parameters["embedding"] / 1e9, 6),
        "mtp_b": round(parameters["prediction"] / 1e9, 6) or None,
        "native_ctx": weights.setting("context_length"),
        "source": [_address(weights)],
        "variants": [_variant(weights, table, catalog, parameters["routed"])],
    }
    return {key: value for key, value in fields.items() if value is not None}


def checked_entry(weights: Weights, table: Table, catalog: Catalog) -> ModelEntry | None:
    """Give the entry as the catalogue would read it; None where the header contradicts itself."""
    try:
        return ModelEntry.model_validate(model_entry(weights, table, catalog))
    except ValidationError:
        return None


def _variant(
    weights: Weights, table: Table, catalog: Catalog, routed_weights: int
) -> dict[str, object]:
    sizes = {b: mib for b, mib in table.bundles_mib().items() if not table.predicts(b)}
    unread = [row for row in table.layers if table.predicts(row.block)]
    unread_dense = sum(row.dense_bytes + row.shared_bytes for row in unread)
    unread_routed = sum(row.routed_bytes for row in unread)
    usual = Counter(sizes.values()).most_common(1)[0][0] if sizes else None
    kinds = Counter[str]()
    for tensor in weights.tensors:
        if role(tensor.name) == ("routed" if table.is_moe else "dense"):
            kinds[tensor.kind] += tensor.size_bytes
    read_bytes = table.routed_bytes - unread_routed
    bits = read_bytes * 8 / routed_weights if routed_weights else None
    fields: dict[str, object] = {
        "quant": quant_of(weights),
        "kernel": _kernel(kinds, catalog),
        "routed_bits": bits and round(bits, 4),
        "bundle_mib": usual,
        "bundle_mib_by_layer": {str(b): mib for b, mib in sizes.items() if mib != usual} or None,
        "dense_gib": round((table.dense_bytes - unread_dense) / GIB, 6),
        "embedding_gib": round(table.embedding_bytes / GIB, 6),
        "prediction_gib": round(unread_routed / GIB, 6) or None,
        "file_gib": round(weights.file_bytes / GIB, 6),
        "shards": len(weights.files),
        "source": [_address(weights)],
        "note": "Main types by bytes: " + ", ".join(kind for kind, _ in kinds.most_common(6)),
    }
    return {key: value for key, value in fields.items() if value is not None}


def quant_of(weights: Weights) -> str:
    """Read the quant's name off the file's name; `unstated` where it has none."""
    found = _QUANT.findall(_stem(weights))
    return found[-1].upper() if found else "unstated"


def _kernel(kinds: Counter[str], catalog: Catalog) -> str:
    """Name the kernel class of the type that fills most bytes."""
    for kind, _ in kinds.most_common():
        # A mix is named after its main type: Q4_K stands in the catalogue as Q4_K_M.
        for quant in catalog.quants.values():
            if quant.id == kind or quant.id.startswith(f"{kind}_"):
                return quant.kernel
    return "unstated"


def _step(blocks: list[int]) -> int | None:
    steps = {after - before for before, after in itertools.pairwise(blocks)}
    return steps.pop() if len(steps) == 1 and steps != {1} else None


def _matrices(tensors: tuple[Tensor, ...], blocks: list[int]) -> int | None:
    read = (t.name for t in tensors if block_of(t.name) in blocks and role(t.name) == "routed")
    names = [name for name in read if name.endswith(".weight")]
    # A fused gate_up tensor counts as the two matrices that it holds.
    count = sum(2 if "gate_up" in name else 1 for name in names)
    return count // len(blocks) if blocks and count % len(blocks) == 0 else None


def _stem(weights: Weights) -> str:
    path = PurePosixPath(urlsplit(weights.files[0]).path).name
    return re.sub(r"(-\d{5}-of-\d{5})?\.gguf$", "", path)


def _address(weights: Weights) -> str:
    """Cite a URL whole, a local file by name only: a path says who its owner is."""
    first = weights.files[0]
    parts = urlsplit(first)
    if parts.scheme in ("http", "https"):
        return f"{parts.hostname}{parts.path}"
    return PurePosixPath(first).name


def to_toml(entry: dict[str, object]) -> str:
    """Write an entry as TOML: its fields, then its variants."""
    variants = entry.get("variants")
    lines = [f"{key} = {_literal(value)}" for key, value in entry.items() if key != "variants"]
    for variant in variants if isinstance(variants, list) else []:
        lines += ["", "[[variants]]"]
        lines += [f"{key} = {_literal(value)}" for key, value in variant.items()]
    return "\n".join(lines) + "\n"


def _literal(value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_literal(v)}" for key, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    return repr(value)


def _quoted(text: str) -> str:
    r"""Quote a text of any content: what TOML's basic strings cannot hold goes as \uXXXX."""
    body = "".join(
        f"\\u{ord(c):04x}" if c in '"\\' or ord(c) < 32 or ord(c) == 127 else c for c in text
    )
    return f'"{body}"'

"""Tiny random-weight models that a real llama.cpp loads; the same sizes give the same bytes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.gguf_files import Array, Raw, Typed, gguf_bytes, plain, quantised


class Sizes(NamedTuple):
    """The shape of a model: `architecture` qwen3moe, qwen2moe (with a shared expert) or qwen3."""

    architecture: str = "qwen3moe"
    layers: int = 8
    experts: int = 16
    used: int = 4
    embd: int = 128
    ff: int = 128
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 32
    context: int = 4096

    @property
    def is_moe(self) -> bool:
        return self.architecture != "qwen3"


def _byte_words() -> list[str]:
    """Stand in for each byte as GPT-2's vocabulary does, so that any prompt can be read."""
    keep = {*range(33, 127), *range(161, 173), *range(174, 256)}
    spare = iter(range(256, 512))
    return [chr(byte) if byte in keep else chr(next(spare)) for byte in range(256)]


def _vocabulary() -> tuple[list[str], list[int]]:
    normal, control, unused = 1, 3, 5
    words = [*_byte_words(), "<|endoftext|>", "<|im_start|>", "<|im_end|>", "th"]
    kinds = [normal] * 256 + [control] * 3 + [normal]
    padding = -len(words) % 32
    return (
        words + [f"[PAD{len(words) + n}]" for n in range(padding)],
        kinds + [unused] * padding,
    )


TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def metadata(sizes: Sizes) -> dict[str, Any]:
    words, kinds = _vocabulary()
    found: dict[str, Any] = {
        "general.architecture": sizes.architecture,
        "general.name": f"tiny-{sizes.architecture}",
        "general.file_type": 7,
        "general.quantization_version": 2,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": words,
        "tokenizer.ggml.token_type": [Typed(5, kind) for kind in kinds],
        "tokenizer.ggml.merges": ["t h"],
        "tokenizer.ggml.eos_token_id": 256,
        "tokenizer.ggml.bos_token_id": 256,
        "tokenizer.ggml.padding_token_id": 256,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": TEMPLATE,
    }
    settings: dict[str, Any] = {
        "context_length": sizes.context,
        "embedding_length": sizes.embd,
        "block_count": sizes.layers,
        "feed_forward_length": sizes.ff * (sizes.used if sizes.is_moe else 1),
        "attention.head_count": sizes.heads,
        "attention.head_count_kv": sizes.kv_heads,
        "attention.layer_norm_rms_epsilon": 1e-6,
        "rope.freq_base": 1e6,
        "attention.key_length": sizes.head_dim,
        "attention.value_length": sizes.head_dim,
    }
    if sizes.is_moe:
        settings |= {"expert_count": sizes.experts, "expert_used_count": sizes.used}
        settings |= {"expert_feed_forward_length": sizes.ff}
    if sizes.architecture == "qwen2moe":
        settings |= {"expert_shared_feed_forward_length": sizes.ff}
    return found | {f"{sizes.architecture}.{key}": value for key, value in settings.items()}


class _Weights:
    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def matrix(self, name: str, *shape: int) -> Raw:
        return quantised(name, self._values(*shape))

    def float(self, name: str, *shape: int) -> Raw:
        return plain(name, self._values(*shape))

    def _values(self, *shape: int) -> Array:
        return self._rng.standard_normal(shape, dtype=np.float32) * np.float32(0.05)


def _ones(name: str, count: int) -> Raw:
    return plain(name, np.ones(count, dtype=np.float32))


def _attention(block: str, sizes: Sizes, weights: _Weights) -> Iterator[Raw]:
    queries, keys = sizes.heads * sizes.head_dim, sizes.kv_heads * sizes.head_dim
    yield _ones(f"{block}.attn_norm.weight", sizes.embd)
    for letter, width in (("q", queries), ("k", keys), ("v", keys)):
        yield weights.matrix(f"{block}.attn_{letter}.weight", width, sizes.embd)
        if sizes.architecture == "qwen2moe":
            yield plain(f"{block}.attn_{letter}.bias", np.zeros(width, dtype=np.float32))
    yield weights.matrix(f"{block}.attn_output.weight", sizes.embd, queries)
    if sizes.architecture != "qwen2moe":
        yield _ones(f"{block}.attn_q_norm.weight", sizes.head_dim)
        yield _ones(f"{block}.attn_k_norm.weight", sizes.head_dim)
    yield _ones(f"{block}.ffn_norm.weight", sizes.embd)


def _feed_forward(block: str, sizes: Sizes, weights: _Weights) -> Iterator[Raw]:
    embd, ff, experts = sizes.embd, sizes.ff, sizes.experts
    if not sizes.is_moe:
        yield weights.matrix(f"{block}.ffn_gate.weight", ff, embd)
        yield weights.matrix(f"{block}.ffn_up.weight", ff, embd)
        yield weights.matrix(f"{block}.ffn_down.weight", embd, ff)
        return
    yield weights.float(f"{block}.ffn_gate_inp.weight", experts, embd)
    yield weights.matrix(f"{block}.ffn_gate_exps.weight", experts, ff, embd)
    yield weights.matrix(f"{block}.ffn_up_exps.weight", experts, ff, embd)
    yield weights.matrix(f"{block}.ffn_down_exps.weight", experts, embd, ff)
    if sizes.architecture == "qwen2moe":
        yield weights.float(f"{block}.ffn_gate_inp_shexp.weight", embd)
        yield weights.matrix(f"{block}.ffn_gate_shexp.weight", ff, embd)
        yield weights.matrix(f"{block}.ffn_up_shexp.weight", ff, embd)
        yield weights.matrix(f"{block}.ffn_down_shexp.weight", embd, ff)


def tensors(sizes: Sizes, seed: int = 1) -> Iterator[Raw]:
    weights = _Weights(seed)
    words = len(_vocabulary()[0])
    yield weights.matrix("token_embd.weight", words, sizes.embd)
    yield _ones("output_norm.weight", sizes.embd)
    yield weights.matrix("output.weight", words, sizes.embd)
    for layer in range(sizes.layers):
        yield from _attention(f"blk.{layer}", sizes, weights)
        yield from _feed_forward(f"blk.{layer}", sizes, weights)


def write(path: Path, sizes: Sizes | None = None, seed: int = 1) -> Path:
    """Write a whole model."""
    chosen = sizes or Sizes()
    path.write_bytes(gguf_bytes(metadata(chosen), list(tensors(chosen, seed))))
    return path


def write_split(folder: Path, stem: str, parts: int, sizes: Sizes | None = None) -> list[Path]:
    """Write a model as numbered parts, as llama.cpp's gguf-split does."""
    chosen = sizes or Sizes()
    rows = list(tensors(chosen))
    each = -(-len(rows) // parts)
    paths = []
    for part in range(parts):
        own = metadata(chosen) if part == 0 else {}
        own |= {"split.no": Typed(2, part), "split.count": Typed(2, parts)}
        own |= {"split.tensors.count": Typed(5, len(rows))}
        path = folder / f"{stem}-{part + 1:05d}-of-{parts:05d}.gguf"
        path.write_bytes(gguf_bytes(own, rows[part * each : (part + 1) * each]))
        paths.append(path)
    return paths

from pathlib import Path

import pytest

from launch.gguf import GgufError
from launch.shards import Weights, read_weights
from launch.source import Sources
from launch.tensors import Table, lines, role, table_of
from tests.gguf_files import Q8_0, Raw, gguf_bytes
from tests.tiny_moe import Sizes, write

MATRIX = 128 * 128 * 34 // 32


def table(path: Path) -> tuple[Weights, Table]:
    with Sources() as sources:
        weights = read_weights(str(path), sources.open)
    return weights, table_of(weights)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("blk.3.ffn_gate_exps.weight", "routed"),
        ("blk.3.ffn_gate_up_exps.weight", "routed"),
        ("blk.3.ffn_down_exps.bias", "routed"),
        ("blk.3.ffn_up_chexps.weight", "routed"),
        ("blk.3.ffn_down_shexp.weight", "shared"),
        ("blk.3.ffn_gate_inp_shexp.weight", "shared"),
        ("blk.3.ffn_gate_inp.weight", "dense"),
        ("blk.3.ffn_norm_exps.weight", "dense"),
        ("blk.3.attn_q.weight", "dense"),
        ("token_embd.weight", "embedding"),
        ("output.weight", "dense"),
    ],
)
def test_a_tensors_role_is_read_off_its_name(name: str, expected: str) -> None:
    assert role(name) == expected


def test_bytes_add_up_to_the_tensors_and_layers(tmp_path: Path) -> None:
    weights, found = table(write(tmp_path / "m.gguf", Sizes(architecture="qwen2moe")))
    total = sum(tensor.size_bytes for tensor in weights.tensors)
    assert found.routed_bytes + found.dense_bytes + found.embedding_bytes == total
    assert sum(found.type_bytes.values()) == total
    assert found.bundles_mib() == dict.fromkeys(range(8), 16 * 3 * MATRIX / (1 << 20))
    assert all(row.shared_bytes > 3 * MATRIX for row in found.layers)
    assert found.read_per_token_bytes() == 8 * 4 * 3 * MATRIX


def test_uneven_layers_keep_their_own_size_and_prediction_layers_are_not_read(
    tmp_path: Path,
) -> None:
    rows = [
        Raw(f"blk.{n}.ffn_up_exps.weight", (32, n + 1, 4), Q8_0, (n + 1) * 4 * 34) for n in range(3)
    ]
    settings = {"block_count": 3, "nextn_predict_layers": 1, "expert_count": 4}
    settings |= {"expert_used_count": 2}
    written = {"general.architecture": "a"} | {f"a.{k}": v for k, v in settings.items()}
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes(written, rows))
    weights, found = table(path)
    assert list(found.bundles_mib().values()) == [n * 136 / (1 << 20) for n in (1, 2, 3)]
    assert found.first_prediction_block == 2
    assert found.read_per_token_bytes() == (136 + 272) / 2
    told = "\n".join(lines(weights, found))
    assert "blocks from 2 on only predict further tokens" in told
    assert all(f"blk.{n} " in told for n in range(3))


def test_a_dense_model_says_that_nothing_can_stay_on_the_host(tmp_path: Path) -> None:
    weights, found = table(write(tmp_path / "m.gguf", Sizes(architecture="qwen3", layers=2)))
    assert not found.is_moe
    assert found.read_per_token_bytes() is None
    assert any("no routed experts" in line for line in lines(weights, found))


def test_more_experts_used_than_there_are_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    written = {"general.architecture": "a", "a.expert_count": 4, "a.expert_used_count": 5}
    path.write_bytes(gguf_bytes(written, []))
    with pytest.raises(GgufError, match="uses 5 of 4 experts"):
        table(path)

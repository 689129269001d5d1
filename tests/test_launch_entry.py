import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ingest.catalog import Catalog, ModelEntry
from launch.entry import model_entry, quant_of, to_toml
from launch.line import Server
from launch.payload import gguf_payload
from launch.plan import Cards, Wish, make_plan
from launch.shards import Weights, read_weights
from launch.source import Sources
from launch.subject import Subject
from launch.tensors import table_of
from launch.verdict import Memory
from tests.gguf_files import Raw, gguf_bytes
from tests.tiny_moe import Sizes, write, write_split

ROOT = Path(__file__).parents[1]


def entry_of(path: Path, catalog: Catalog) -> dict[str, object]:
    with Sources() as sources:
        weights = read_weights(str(path), sources.open)
    return tomllib.loads(to_toml(model_entry(weights, table_of(weights), catalog)))


def test_the_entry_is_one_that_the_catalogue_takes(tmp_path: Path, catalog: Catalog) -> None:
    parts = write_split(tmp_path, "tiny-UD-Q8_K_XL", 2, Sizes(architecture="qwen2moe"))
    entry = ModelEntry.model_validate(entry_of(parts[0], catalog))
    variant = entry.variants[0]
    assert (entry.id, entry.kind, entry.moe_layers, entry.expert_matrices) == (
        "tiny-qwen2moe",
        "moe",
        8,
        3,
    )
    assert (variant.quant, variant.kernel, variant.shards) == ("UD-Q8_K_XL", "q8-0", 2)
    assert variant.routed_bits == 8.5
    assert variant.bundles_mib(entry) == [16 * 3 * 128 * 128 * 34 / 32 / (1 << 20)] * 8


def test_a_layer_that_only_predicts_is_kept_on_the_host_and_read_by_no_token(
    tmp_path: Path, catalog: Catalog
) -> None:
    with Sources() as sources:
        weights = read_weights(str(write(tmp_path / "m.gguf")), sources.open)
    predicting = weights._replace(metadata={**weights.metadata, "qwen3moe.nextn_predict_layers": 1})
    whole, entry = (
        ModelEntry.model_validate(model_entry(one, table_of(one), catalog))
        for one in (weights, predicting)
    )
    assert (whole.layers, whole.moe_layers, entry.layers, entry.moe_layers) == (8, 8, 7, 7)
    assert (entry.expert_matrices, entry.variants[0].routed_bits) == (3, 8.5)
    assert entry.parameters_b == whole.parameters_b
    assert entry.mtp_b == pytest.approx(whole.parameters_b / 8, rel=0.05)
    bundle = whole.variants[0].bundle_mib
    assert bundle is not None
    assert entry.variants[0].prediction_gib == pytest.approx(bundle / 1024, rel=1e-3)
    payload = gguf_payload(predicting, table_of(predicting))
    assert (payload.idle, len(payload.bundles_mib)) == (frozenset({7}), 8)
    subject = Subject(payload, Server("b11434", "m.gguf"), tensors=predicting.tensors)
    for number in (1, 2):
        names = tuple(f"CUDA{card}" for card in range(number))
        cards = Cards((50_000.0,) * number, names, tuple(range(number)))
        placed = make_plan(subject, cards, Memory(64), Wish()).layout.placement
        assert (placed.on_cpu, sum(map(len, placed.on_cards))) == ((7,), 7)


def test_a_dense_model_has_an_entry_too(tmp_path: Path, catalog: Catalog) -> None:
    path = write(tmp_path / "m.gguf", Sizes(architecture="qwen3", layers=2))
    entry = ModelEntry.model_validate(entry_of(path, catalog))
    assert (entry.kind, entry.moe_layers, entry.variants[0].bundle_mib) == ("dense", None, None)


def test_a_hostile_name_stays_a_text(tmp_path: Path, catalog: Catalog) -> None:
    name = 'x"\n[[variants]]\\\x00\x7f'
    path = tmp_path / "m.gguf"
    rows = [Raw("blk.0.attn_q.weight", (4,), 0, 16)]
    path.write_bytes(gguf_bytes({"general.name": name, "general.architecture": "a"}, rows))
    assert entry_of(path, catalog)["name"] == name


@pytest.mark.parametrize(
    ("file", "quant"),
    [
        ("DeepSeek-V4-Flash-0731-UD-Q8_K_XL-00001-of-00005.gguf", "UD-Q8_K_XL"),
        ("m.IQ4_XS.gguf", "IQ4_XS"),
        ("m-bf16.gguf", "BF16"),
        ("m-mxfp4.gguf", "MXFP4"),
        ("m.gguf", "unstated"),
    ],
)
def test_the_quant_is_read_off_the_files_name(file: str, quant: str) -> None:
    assert quant_of(Weights((file,), {}, (), 1)) == quant


def rigbook(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rigbook", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_verb_prints_table_and_entry_and_its_json_is_one_document(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny-Q8_0.gguf")
    told = rigbook("gguf", str(path))
    assert told.returncode == 0, told.stderr
    assert "4 of 16 experts a token" in told.stdout
    assert "[[variants]]" in told.stdout
    assert str(tmp_path) not in told.stdout, "the entry cites the file without its folder"
    document = json.loads(rigbook("gguf", str(path), "--json").stdout)
    assert document["schema"] == "rigbook.gguf/1"
    assert document["routed_bytes"] == 8 * 16 * 3 * 128 * 128 * 34 // 32


def test_a_file_that_is_no_gguf_is_one_line_and_exit_1() -> None:
    found = rigbook("gguf", "pyproject.toml")
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.splitlines()[-1] == "1 error"
    assert "not a GGUF" in found.stderr

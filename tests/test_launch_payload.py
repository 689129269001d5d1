from pathlib import Path
from typing import Any

import pytest

from ingest.catalog import Catalog
from launch.landing import Split, simulate
from launch.payload import (
    catalogue_payload,
    gguf_payload,
    kv_mib_per_1k,
    stand_in_tensors,
)
from launch.shards import Weights, read_weights
from launch.source import Sources
from launch.tensors import table_of
from tests.tiny_moe import Sizes, write


def weights(settings: dict[str, Any]) -> Weights:
    plain = {f"a.{key.replace('__', '.')}": value for key, value in settings.items()}
    return Weights(("m.gguf",), {"general.architecture": "a"} | plain, (), 1)


@pytest.mark.parametrize(
    ("settings", "values"),
    [
        (
            {"block_count": 4, "attention__head_count_kv": 2, "attention__key_length": 32,
             "attention__value_length": 32},
            4 * 2 * 64,
        ),
        (
            {"block_count": 4, "attention__head_count_kv": 2, "embedding_length": 128,
             "attention__head_count": 4},
            4 * 2 * 64,
        ),
        (
            {"block_count": 3, "attention__head_count_kv": [2, 0, 2], "attention__key_length": 8,
             "attention__value_length": 8},
            4 * 16,
        ),
        (
            {"block_count": 4, "attention__kv_lora_rank": 512, "rope__dimension_count": 64,
             "attention__head_count_kv": 128},
            4 * 576,
        ),
        (
            {"block_count": 48, "attention__head_count_kv": 2, "attention__key_length": 256,
             "attention__value_length": 256, "full_attention_interval": 4},
            12 * 2 * 512,
        ),
        ({"block_count": 4}, None),
        ({"attention__head_count_kv": 2}, None),
        ({"block_count": 4, "attention__head_count_kv": 2}, None),
    ],
)  # fmt: skip
def test_the_cache_is_sized_from_what_the_header_says(
    settings: dict[str, Any], values: int | None
) -> None:
    expected = None if values is None else values * 2 * 1000 / (1 << 20)
    assert kv_mib_per_1k(weights(settings)) == expected


def test_a_quantised_cache_is_smaller(catalog: Catalog) -> None:
    model = catalog.models["deepseek-v4-flash-0731"]
    payload = catalogue_payload(model, model.variants[0])
    assert payload is not None
    assert payload.kv_mib(100_000, None) == pytest.approx(1150)
    assert payload.kv_mib(100_000, "q8_0") == pytest.approx(1150 * 34 / 64)


def test_catalogue_bytes_keep_the_layers_that_differ(catalog: Catalog) -> None:
    model = catalog.models["deepseek-v4-flash-0731"]
    variant = model.variant("UD-IQ2_XXS")
    assert variant is not None
    payload = catalogue_payload(model, variant)
    assert payload is not None
    assert (payload.bundles_mib[26], payload.bundles_mib[42], payload.blocks) == (2400, 2144, 43)
    assert payload.experts_mib == pytest.approx(41 * 1840 + 2400 + 2144)


def test_a_variant_without_known_bytes_has_no_payload(catalog: Catalog) -> None:
    model = next(m for m in catalog.models.values() if m.kind == "dense" and m.variants)
    assert catalogue_payload(model, model.variants[0]) is None


def test_stand_in_tensors_add_up_to_the_payload(tmp_path: Path) -> None:
    path = write(tmp_path / "m.gguf", Sizes("qwen2moe"))
    with Sources() as sources:
        found = read_weights(str(path), sources.open)
    payload = gguf_payload(found, table_of(found))
    assert payload.inferred == ()
    landing = simulate(stand_in_tensors(payload), [], Split((), (), payload.blocks))
    whole = payload.experts_mib + payload.dense_mib + payload.embedding_mib
    assert landing.mib_by_device()["CPU"] == pytest.approx(whole, rel=1e-4)
    assert landing.mib_by_device("routed")["CPU"] == pytest.approx(payload.experts_mib, rel=1e-4)

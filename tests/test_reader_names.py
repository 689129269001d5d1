"""Which model, quant, engine or slug a spelling means."""

import pytest

from ingest.catalog import Catalog
from ingest.readers.names import (
    base_name,
    find_engine,
    find_model,
    find_quant,
    quant_of_ftype,
    slug_of_container,
)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/models/x/GLM-4.5-Air-Q4_K_M-00001-of-00002.gguf", "GLM-4.5-Air-Q4_K_M"),
        ("Qwen/Qwen3-30B-A3B", "Qwen3-30B-A3B"),
        ("tiny.gguf", "tiny"),
        ("/models/x/", "x"),
    ],
)
def test_a_path_gives_the_files_own_name(path: str, name: str) -> None:
    assert base_name(path) == name


@pytest.mark.parametrize(
    ("spelling", "model"),
    [
        ("DeepSeek-V4-Flash-0731-UD-Q8_K_XL", "deepseek-v4-flash-0731"),
        ("deepseek-v4-flash", "deepseek-v4-flash"),
        ("Qwen3-30B-A3B-Q4_K_M", "qwen3-30b-a3b"),
        ("gpt-oss 120B MXFP4 MoE", "gpt-oss-120b"),
        ("Qwen3.6-27B-GGUF", "qwen3.6-27b"),
        ("Qwen3-30B-A3Bx", None),
        ("my-model", None),
        ("", None),
    ],
)
def test_the_longest_name_whose_words_stand_together_is_the_model(
    spelling: str, model: str | None, catalog: Catalog
) -> None:
    assert find_model(catalog, spelling) == model


@pytest.mark.parametrize(
    ("spelling", "quant"),
    [
        ("DeepSeek-V4-Flash-0731-UD-IQ2_XXS", "UD-IQ2_XXS"),
        ("GLM-4.5-Air-Q4_K_M", "Q4_K_M"),
        ("IQ2_XXS", "IQ2_XXS"),
        ("GLM-4.5-Air", None),
        ("Q4_K_MX", None),
    ],
)
def test_the_quant_is_found_in_a_file_name(
    spelling: str, quant: str | None, catalog: Catalog
) -> None:
    assert find_quant(catalog, spelling) == quant


@pytest.mark.parametrize(
    ("ftype", "quant"),
    [
        ("Q4_K - Medium", "Q4_K_M"),
        ("IQ2_XXS - 2.0625 bpw", "IQ2_XXS"),
        ("MXFP4 MoE", "MXFP4"),
        ("qwen3moe 30B.A3B Q4_K - Medium", "Q4_K_M"),
        ("all F32 (guessed)", None),
    ],
)
def test_llama_cpps_own_words_name_a_quant(ftype: str, quant: str | None, catalog: Catalog) -> None:
    assert quant_of_ftype(catalog, ftype) == quant


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("llama-cpp-deepseek-flash-q8", "llamacpp/deepseek-flash-dual-q8"),
        (
            "llama-cpp-deepseek-flash-q8-moecache-multi4",
            "llamacpp-club3090/deepseek-flash-multi4-q8-moecache",
        ),
        (
            "llama-cpp-deepseek-flash-vision-q8-moecache",
            "llamacpp-club3090/deepseek-flash-vision-dual-q8-moecache",
        ),
        ("llama-cpp-deepseek-flash", None),
        ("searxng", None),
        ("", None),
    ],
)
def test_a_container_has_its_slugs_words_in_another_order(
    name: str, slug: str | None, catalog: Catalog
) -> None:
    found = slug_of_container(catalog, name)
    assert (found.id if found else None) == slug


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("ghcr.io/ggml-org/llama.cpp:server-cuda-b10236", "llama.cpp"),
        ("ghcr.io/noonghunna/llamacpp-club3090", "llamacpp-club3090"),
        ("vllm/vllm-openai:nightly", "vllm"),
        ("shvllm:latest", "shvllm"),
        ("postgres:17", None),
    ],
)
def test_an_image_names_its_engine(name: str, engine: str | None, catalog: Catalog) -> None:
    assert find_engine(name) == engine
    assert engine is None or engine in catalog.engines

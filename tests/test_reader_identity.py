"""What was really served, from the clues of a text."""

import pytest

from ingest.catalog import Catalog
from ingest.readers.identity import identify
from ingest.readers.item import Clue, Doubt, Fact


def facts(catalog: Catalog, *clues: Clue) -> dict[str, object]:
    ranked = sorted(
        (item for item in identify(clues, catalog) if isinstance(item, Fact)),
        key=lambda fact: -fact.rank,
    )
    return {fact.at: fact.value for fact in ranked}


def test_without_a_file_the_slug_tells_the_weights_as_inferred(catalog: Catalog) -> None:
    clue = Clue("container", "llama-cpp-deepseek-flash-q8", 4)
    told = facts(catalog, clue)
    assert told["slug"] == "llamacpp/deepseek-flash-dual-q8"
    assert told["weights.quant"] == "UD-Q8_K_XL"
    hows = {item.how for item in identify([clue], catalog) if isinstance(item, Fact)}
    assert "inferred" in hows


def test_flags_unlike_the_recipes_leave_no_slug(catalog: Catalog) -> None:
    slug = Clue("slug", "llamacpp/deepseek-flash-dual-q8", 4)
    assert "slug" in facts(catalog, slug)
    assert "slug" not in facts(catalog, slug, Clue("flags_differ", "2", 5))


def test_a_short_served_id_is_resolved_by_the_files_quant_or_left(catalog: Catalog) -> None:
    served = Clue("served_id", "deepseek-v4-flash", 2)
    known = facts(catalog, Clue("model_path", "/m/IQ2_XXS-00001-of-00003.gguf", 1), served)
    assert known["weights.model"] == "deepseek-v4-flash-0731"
    assert "weights.model" not in facts(catalog, Clue("model_path", "/m/x.gguf", 1), served)
    assert "weights.model" not in facts(catalog, served)


def test_two_files_are_a_doubt(catalog: Catalog) -> None:
    clues = [Clue("model_path", "/m/a.gguf", 1), Clue("model_path", "/m/b.gguf", 9)]
    assert [item.line for item in identify(clues, catalog) if isinstance(item, Doubt)] == [9]


def test_the_release_of_an_images_ubuntu_is_no_build(catalog: Catalog) -> None:
    image = Clue("image", "ghcr.io/ggml-org/llama.cpp:server-cuda", 1)
    assert "engine.build" not in facts(catalog, image, Clue("build_tag", "24.04", 2))
    tagged = facts(catalog, image, Clue("build_tag", "club3090-moecache-e0a2089", 2))
    assert tagged["engine.build"] == "club3090-moecache-e0a2089"


@pytest.mark.parametrize(
    ("image", "build"),
    [
        ("ghcr.io/ggml-org/llama.cpp:server-cuda-b10236", "b10236"),
        ("lmsysorg/sglang:v0.6.1-cu130", "v0.6.1-cu130"),
        ("vllm/vllm-openai:nightly-0735", None),
        ("llamacpp@sha256:9c1e5f0b7a2d4c6e", None),
    ],
)
def test_an_images_tag_may_name_the_build(image: str, build: str | None, catalog: Catalog) -> None:
    facts = [f for f in identify([Clue("image", image, 1)], catalog) if isinstance(f, Fact)]
    assert [f.value for f in facts if f.at == "engine.build"] == ([build] if build else [])

import shutil
from pathlib import Path

import pytest

from ingest.catalog import Catalog
from launch.config import Launchers, load_launchers
from launch.line import UNNAMED, argv_of, reference_server
from launch.shards import part_names

ROOT = Path(__file__).parents[1]
ONE = "llamacpp/deepseek-flash-dual-q8"


@pytest.fixture(scope="module")
def launchers(catalog: Catalog) -> Launchers:
    found, problems = load_launchers(ROOT / "data/launchers", catalog)
    assert problems == []
    return found


def test_every_slug_of_the_reference_registry_has_a_config(launchers: Launchers) -> None:
    published = {slug for slug, one in launchers.configs.items() if not one.unpublished}
    assert {slug for slug in published if "qwen38" not in slug} == {
        "llamacpp/deepseek-flash-dual-q8",
        "llamacpp/deepseek-flash-dual-iq2",
        "llamacpp/deepseek-flash-multi4-q8",
        "llamacpp-club3090/deepseek-flash-dual-q8-moecache",
        "llamacpp-club3090/deepseek-flash-multi4-q8-moecache",
        "llamacpp-club3090/inkling-small-dual-iq4xs-moecache",
        "llamacpp-club3090/inkling-small-multi4-iq4xs-moecache",
        "llamacpp-club3090/inkling-small-dual-iq4xs-residency",
    }


def test_every_slug_with_experts_in_host_ram_has_a_config(
    launchers: Launchers, catalog: Catalog
) -> None:
    assert {slug.id for slug in catalog.slugs.values() if slug.offload == "experts"} == set(
        launchers.configs
    )


def test_every_config_names_its_first_shard_as_the_catalogue_counts_them(
    launchers: Launchers, catalog: Catalog
) -> None:
    for slug, config in launchers.configs.items():
        entry = catalog.slugs[slug]
        variant = catalog.models[entry.model].variant(entry.quant)
        assert variant is not None
        if config.model is None:
            continue
        assert len(part_names(config.model)) == variant.shards, slug
        assert config.model.startswith(config.downloads[0].folder + "/"), slug


def test_every_config_gives_a_line_for_its_own_build(
    launchers: Launchers, catalog: Catalog
) -> None:
    for slug, config in launchers.configs.items():
        server = reference_server(catalog.slugs[slug], config, "/models", threads=16)
        argv = argv_of(server, launchers.flags)
        assert argv[:2] == ["-m", f"/models/{config.model or UNNAMED}"], slug
        assert "--no-mmap" in argv, slug


EDITS = {
    "slug": ('slug = "llamacpp/', 'slug = "llamacpp/x', "should be the file's place"),
    "build": ("b10236", "b99999", "names 'b99999', which flags.toml does not have"),
    "other engine": ("b10236", "ik-2026-08", "is of ik_llama.cpp"),
    "path": ('model = "', 'model = "../', "model"),
    "absolute": ('model = "', 'model = "/', "model"),
    "hidden": ('model = "', 'model = ".ssh/', "model"),
    "drafter": ("drafter_file = ", "note = ", "must stand exactly where the slug has a drafter"),
    "absent": ("model = ", "note = ", "model: is missing; give it, or list it as unpublished"),
    "there": (
        "alias",
        'unpublished = ["model"]\nalias',
        "stands here, but is listed as unpublished",
    ),
    "key": ("alias", "allias", "did you mean 'alias'?"),
    "toml": ("slug = ", "slug ", "is no readable TOML"),
    "container": ('container = "', 'container = "$(id) ', "container"),
}


def test_another_build_of_the_same_engine_is_no_contradiction(
    tmp_path: Path, catalog: Catalog
) -> None:
    shutil.copytree(ROOT / "data/launchers", tmp_path / "l")
    path = tmp_path / "l" / f"{ONE}.toml"
    path.write_text(path.read_text().replace("b10236", "b11434"))
    assert load_launchers(tmp_path / "l", catalog)[1] == []


@pytest.mark.parametrize("edit", EDITS)
def test_a_config_that_contradicts_itself_is_told(
    tmp_path: Path, catalog: Catalog, edit: str
) -> None:
    before, after, told = EDITS[edit]
    shutil.copytree(ROOT / "data/launchers", tmp_path / "l")
    path = tmp_path / "l" / f"{ONE}.toml"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    problems = load_launchers(tmp_path / "l", catalog)[1]
    assert any(told in str(problem) for problem in problems)

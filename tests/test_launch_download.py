import shlex

import pytest

from launch.ask import Ask, Shelf, shipped_shelf, subject_of
from launch.download import download_lines, download_plans, size_gib


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return shipped_shelf()


def test_a_download_names_repository_files_and_folder(shelf: Shelf) -> None:
    config = shelf.launchers.configs["llamacpp/deepseek-flash-dual-iq2"]
    (plan,) = download_plans(config, "/data/my models")
    words = shlex.split(plan.command)
    assert words[:3] == ["hf", "download", "unsloth/DeepSeek-V4-Flash-0731-GGUF"]
    assert words[-2:] == ["--local-dir", "/data/my models/deepseek-v4-flash-0731-gguf"]
    assert words.count("--include") == 2
    assert len(plan.files) == 4, "three parts and the drafter"
    assert all(not name.startswith("deepseek") for name in plan.files)


def test_every_file_that_a_config_needs_is_in_its_download(shelf: Shelf) -> None:
    for slug, config in shelf.launchers.configs.items():
        files = [name for plan in download_plans(config, "/m") for name in plan.files]
        needed = (config.model is not None) + (config.drafter_file is not None)
        assert len(files) >= needed, slug


def test_the_size_counts_weights_and_drafter_and_nothing_is_fetched(shelf: Shelf) -> None:
    subject = subject_of(Ask(slug="llamacpp/deepseek-flash-dual-q8"), shelf)
    assert size_gib(subject, shelf.catalog) == pytest.approx(161.3)
    told = "\n".join(download_lines(subject, shelf.catalog, "/models"))
    assert "about 161 GiB; nothing is fetched" in told
    assert "sha256 not recorded" in told


def test_a_recorded_hash_is_told(shelf: Shelf) -> None:
    subject = subject_of(Ask(slug="llamacpp/deepseek-flash-dual-q8"), shelf)
    assert subject.config is not None
    name = "dspark/dspark-DeepSeek-V4-Flash-0731-Q8_0.gguf"
    download = subject.config.downloads[0].model_copy(update={"sha256": {name: "a" * 64}})
    config = subject.config.model_copy(update={"downloads": (download,)})
    told = download_lines(subject._replace(config=config), shelf.catalog, "/models")
    assert f"    {name}  sha256 {'a' * 64}" in told

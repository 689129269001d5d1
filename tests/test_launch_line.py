from pathlib import Path

import pytest

from ingest.catalog import Catalog
from launch.config import Launchers, load_launchers
from launch.flags import FlagError
from launch.line import Draft, Server, argv_of, reference_server
from launch.rules import Rule

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def launchers(catalog: Catalog) -> Launchers:
    return load_launchers(ROOT / "data/launchers", catalog)[0]


def value(argv: list[str], flag: str) -> str:
    return argv[argv.index(flag) + 1]


def test_the_reference_line_says_what_its_compose_says(
    launchers: Launchers, catalog: Catalog
) -> None:
    slug = "llamacpp/deepseek-flash-dual-q8"
    server = reference_server(catalog.slugs[slug], launchers.configs[slug], "/models", threads=16)
    argv = argv_of(server._replace(devices=("CUDA0", "CUDA1"), shares=(1, 1)), launchers.flags)
    said = " ".join(argv)
    for part in (
        "-c 204800",
        "-np 1",
        "-ngl 99 -sm layer -ts 1,1",
        "-fa on --cache-prompt --no-mmap --fit off",
        "-t 16 -ub 4096 -b 4096",
        "--spec-type draft-dspark --spec-draft-n-max 5",
        "--alias deepseek-v4-flash",
        "--port 8030",
    ):
        assert part in said
    assert "-ctk" not in argv, "f16 is the engine's own"
    assert "-devd" not in argv


def test_the_quantised_cache_the_host_drafter_and_the_expert_cache_are_said(
    launchers: Launchers, catalog: Catalog
) -> None:
    iq2 = "llamacpp/deepseek-flash-dual-iq2"
    argv = argv_of(
        reference_server(catalog.slugs[iq2], launchers.configs[iq2], "/models"), launchers.flags
    )
    assert (value(argv, "-ctk"), value(argv, "-ctv")) == ("q8_0", "q8_0")
    assert "-t" not in argv, "no threads given, none said"
    cached = "llamacpp-club3090/deepseek-flash-dual-q8-moecache"
    server = reference_server(catalog.slugs[cached], launchers.configs[cached], "/models")
    argv = argv_of(server, launchers.flags)
    assert (value(argv, "-devd"), value(argv, "--moe-cache")) == ("none", "auto")
    assert ("GGML_CUDA_MOE_CACHE_RESERVE_MB", "1536") in server.environment


def test_the_authors_own_thread_count_wins(launchers: Launchers, catalog: Catalog) -> None:
    slug = "llamacpp-club3090/qwen38-flash-next-dual-q4kxl-moecache"
    server = reference_server(catalog.slugs[slug], launchers.configs[slug], "/m", threads=16)
    assert server.threads == 28


@pytest.mark.parametrize("build", ["b10236", "b11434", "ik-2026-08", "club3090-v1.5"])
def test_one_server_is_said_in_each_builds_own_flags(launchers: Launchers, build: str) -> None:
    draft = Draft("/m/d.gguf", "simple", 4, on_host=True)
    server = Server(build, "/m/a.gguf", draft=draft, rules=(Rule("exps", "CPU"),))
    argv = argv_of(server, launchers.flags)
    old, ik = build != "b11434", build.startswith("ik")
    assert ("--no-mmap" in argv, "--load-mode" in argv) == (old, not old)
    assert ("--draft-max" in argv, "--spec-draft-n-max" in argv) == (ik, not ik)
    assert ("--spec-type" in argv, "--fit" in argv) == (not ik, not ik)
    assert value(argv, "-ot") == "exps=CPU"
    assert value(argv, "-ngl") == "0", "no card, no layers on one"


@pytest.mark.parametrize(
    ("layers", "said"), [(-1, ["--cpu-moe"]), (0, ["--n-cpu-moe", "0"]), (7, ["--n-cpu-moe", "7"])]
)
def test_one_card_takes_a_count_of_layers(
    launchers: Launchers, layers: int, said: list[str]
) -> None:
    server = Server("b11434", "m.gguf", devices=("CUDA0",), leading_host_layers=layers)
    argv = argv_of(server, launchers.flags)
    start = argv.index(said[0])
    assert argv[start : start + len(said)] == said
    assert not {"-ot", "-ts", "-sm"} & set(argv)


def test_a_build_without_an_expert_cache_is_refused_one(launchers: Launchers) -> None:
    with pytest.raises(FlagError, match="expert-cache"):
        argv_of(Server("b11434", "m.gguf", cache="auto"), launchers.flags)


def test_an_unknown_build_is_refused(launchers: Launchers) -> None:
    with pytest.raises(FlagError, match="on build b1"):
        argv_of(Server("b1", "m.gguf"), launchers.flags)

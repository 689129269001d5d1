"""Emitted lines on the real engine: every format boots, and the log confirms the simulation."""

import importlib.util
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import jsonschema
import pytest
import yaml

from launch.ask import Ask, Shelf, plan_for, shipped_shelf
from launch.command import read_commands
from launch.finding import Known
from launch.flags import EQUAL_SPELLINGS
from launch.formats import FORMATS, Launch
from launch.ggml_types import TYPES
from launch.gguf import GgufError
from launch.landing import Landing, Split, simulate
from launch.line import Draft, argv_of
from launch.lint import lint
from launch.plan import Plan, Wish, launch_of
from launch.rules import CPU, EXPERTS, Rule, cpu_moe_rules, parse_rules
from launch.shards import read_weights
from launch.source import Sources
from tests.engine.server import Running, cards, environment, free_port, started
from tests.tiny_moe import Sizes, write, write_split

pytestmark = pytest.mark.engine

LAYERS = 8
IK_TYPES = 130
"""Types of ik_llama.cpp have numbers from here on."""
CONTEXT = Wish(ctx=512, ubatch=64)


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return shipped_shelf()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("engine")


@pytest.fixture(scope="module")
def shared_moe(folder: Path) -> str:
    """A model with shared experts, in three parts."""
    return str(write_split(folder, "tiny", 3, Sizes("qwen2moe", layers=LAYERS))[0])


@pytest.fixture(scope="module")
def two_cards(folder: Path) -> Iterator[list[str]]:
    with cards(2, folder) as addresses:
        yield addresses


def devices(addresses: list[str]) -> list[str]:
    """Name the buffers of the stand-in cards: each server counts its devices from 0."""
    return [f"RPC0[{address}]" for address in addresses]


def planned(shelf: Shelf, model: str, names: list[str], port: int) -> Plan:
    """Plan with cards that hold three bundles of eight together, so that all three places fill."""
    wish = CONTEXT._replace(port=port)
    ample = ",".join(["9000"] * len(names))
    roomy = Ask(gguf=model, free_vram=ample, devices=",".join(names), wish=wish)
    whole = plan_for(roomy, shelf)
    bundle = whole.subject.payload.bundles_mib[0]
    fixed = [whole.budget.fixed_on(card) for card in range(len(names))]
    dense = (whole.budget.dense_mib + whole.budget.kv_mib) / (LAYERS + 1)
    sizes = [one + dense * (LAYERS + 2) / len(names) + bundle * 1.6 for one in fixed]
    return plan_for(roomy._replace(free_vram=",".join(f"{mib:.3f}" for mib in sizes)), shelf)


def words_of(form: str, launch: Launch) -> list[str]:
    """Take the command that a format would run out of its text."""
    text = FORMATS[form](launch)
    if form == "argv":
        return ["bash", "-c", f"exec env {text}"]
    if form == "compose":
        service = yaml.safe_load(text)["services"][launch.name]
        command = [word.replace("$$", "$") for word in service["command"]]
        return ["llama-server", *(str(launch.port) if word == "8080" else word for word in command)]
    if form == "llama-swap":
        command = yaml.safe_load(text)["models"][launch.name]["cmd"]
        return [word.replace("${PORT}", str(launch.port)) for word in shlex.split(command)]
    start = text.split("ExecStart=")[1].split("\nRestart=")[0].replace("\\\n", " ")
    # The words hold neither `%` nor `$`; inside double quotes a shell undoes `\\` as systemd does.
    return shlex.split(start)


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_formats_line_boots_and_the_log_confirms_the_plan(
    shelf: Shelf, folder: Path, shared_moe: str, two_cards: list[str], form: str
) -> None:
    port = free_port()
    names = devices(two_cards)
    plan = planned(shelf, shared_moe, names, port)
    on_cards = plan.layout.placement.on_cards
    assert all(on_cards), "both cards hold some experts"
    assert plan.layout.placement.on_cpu, "and the host holds some"
    launch = launch_of(plan, shelf.launchers)
    with started(words_of(form, launch), port, folder, two_cards) as server:
        log = server.log
        assert server.complete("hello", 4)["timings"]["predicted_n"] == 4
    landed = {row.tensor.name: row for row in plan.landing.landed}
    assert log.overridden == {
        name: row.device for name, row in landed.items() if row.rule is not None
    }
    # As owners of layers the devices are called RPC0, RPC1.
    owners = Split(("RPC0", "RPC1"), tuple(map(float, plan.layout.layers)), LAYERS)
    assert log.layers == {n: owners.device_of(n if n < LAYERS else None) for n in range(LAYERS + 1)}


def booted(
    model: str, folder: Path, rpc: list[str], *extra: str
) -> AbstractContextManager[Running]:
    port = free_port()
    words = [
        "llama-server",
        "-m",
        model,
        "--port",
        str(port),
        "-c",
        "512",
        "-np",
        "1",
        "-ngl",
        "99",
    ]
    return started([*words, "--fit", "off", "--load-mode", "none", *extra], port, folder, rpc)


def simulated(model: str, rules: Sequence[Rule], names: list[str]) -> Landing:
    with Sources() as sources:
        tensors = read_weights(model, sources.open).tensors
    return simulate(tensors, rules, Split(tuple(names), (1.0,) * len(names), LAYERS))


def test_rules_behind_the_catch_all_leave_every_expert_on_the_host_as_the_lint_warns(
    shelf: Shelf, folder: Path, shared_moe: str, two_cards: list[str]
) -> None:
    names = devices(two_cards)
    text = rf"{EXPERTS}={CPU},blk\.(0|1){EXPERTS}={names[0]}"
    with booted(shared_moe, folder, two_cards, "-ot", text) as server:
        log = server.log
    assert set(log.overridden.values()) == {CPU}
    landing = simulated(shared_moe, parse_rules(text), names)
    assert set(landing.mib_by_device("routed")) == {CPU}
    line = shlex.join(["llama-server", "-m", "x", "-ngl", "99", "--fit", "off", "-ot", text])
    (command,) = read_commands(line, "line")
    (finding,) = lint(command, Known(shelf.launchers.flags, "b11434"))
    assert "a catch-all stands before it" in finding.message
    fixed = shlex.split(finding.message.split("-ot ")[1])[0]
    with booted(shared_moe, folder, two_cards, "-ot", fixed) as server:
        log = server.log
    assert {log.overridden[f"blk.{n}.ffn_up_exps.weight"] for n in (0, 1)} == {names[0]}


def test_repeated_overrides_all_hold_on_this_build_with_a_warning(
    folder: Path, shared_moe: str, two_cards: list[str]
) -> None:
    name = devices(two_cards)[1]
    first = rf"blk\.7{EXPERTS}={name}"
    with booted(shared_moe, folder, two_cards, "-ot", first, "-ot", f"{EXPERTS}={CPU}") as server:
        log = server.log
    assert log.overridden["blk.7.ffn_up_exps.weight"] == name
    assert log.overridden["blk.6.ffn_up_exps.weight"] == CPU
    assert "specified multiple times" in log.text


@pytest.mark.parametrize("layers", [None, 0, 3, 8])
def test_a_count_of_layers_lands_as_simulated(
    folder: Path, shared_moe: str, two_cards: list[str], layers: int | None
) -> None:
    names = devices(two_cards)[:1]
    said = ["--cpu-moe"] if layers is None else ["--n-cpu-moe", str(layers)]
    with booted(shared_moe, folder, two_cards[:1], *said) as server:
        log = server.log
    landing = simulated(shared_moe, cpu_moe_rules(layers), names)
    on_host = {row.tensor.name for row in landing.landed if row.rule is not None}
    assert set(log.overridden) == on_host
    assert len(on_host) == 3 * (LAYERS if layers is None else layers)


def test_shared_experts_stay_on_their_card(
    folder: Path, shared_moe: str, two_cards: list[str]
) -> None:
    with booted(shared_moe, folder, two_cards, "-ot", f"{EXPERTS}={CPU}") as server:
        assert not [name for name in server.log.overridden if "shexp" in name]


def test_a_draft_model_drafts_with_a_kind_and_is_silent_without_as_the_lint_warns(
    shelf: Shelf, folder: Path
) -> None:
    model = str(write(folder / "moe.gguf", Sizes(layers=2)))
    plan = plan_for(Ask(gguf=model, wish=CONTEXT), shelf)
    draft = Draft(model, "simple", 4, on_host=True)
    port = free_port()
    server = plan.server._replace(draft=draft, port=port)
    argv = argv_of(server, shelf.launchers.flags)
    with started(["llama-server", *argv], port, folder) as running:
        timings = running.complete("hello there", 24)["timings"]
    assert timings["draft_n"] > 0
    assert timings["draft_n_accepted"] == timings["draft_n"], "the model drafts for itself"
    assert {"prompt_n", "prompt_ms", "predicted_n", "predicted_ms", "cache_n"} <= timings.keys()
    start = argv.index("--spec-type")
    silent = [*argv[:start], *argv[start + 2 :]]
    (command,) = read_commands(shlex.join(["llama-server", *silent]), "line")
    assert any(
        "never drafts" in p.message for p in lint(command, Known(shelf.launchers.flags, "b11434"))
    )
    with started(["llama-server", *silent], port, folder) as running:
        assert "draft_n" not in running.complete("hello there", 24)["timings"]


def refused(*words: str) -> str:
    ran = subprocess.run(
        ["llama-server", *words],
        capture_output=True,
        env=environment([]),
        timeout=60,
        check=False,
    )
    assert ran.returncode != 0
    return (ran.stdout + ran.stderr).decode(errors="replace")


def help_rows() -> list[set[str]]:
    """Read the flags of this build off its help: a set of equal spellings a row."""
    told = subprocess.run(["llama-server", "--help"], capture_output=True, text=True, check=True)
    rows = [line for line in told.stdout.splitlines() if re.match(r"--?[A-Za-z]", line)]
    columns = [row[:40] if row[39:40] == " " else row for row in rows]
    return [set(re.findall(r"(?<![\w<-])--?[A-Za-z][\w.-]*", column)) for column in columns]


def test_the_catalogue_of_flags_says_what_this_build_says(shelf: Shelf) -> None:
    flags = shelf.launchers.flags
    there = set().union(*help_rows())
    assert set(flags.spellings["b11434"]) == there
    for flag in flags.flags:
        if "b11434" in flag.holds:
            assert flag.form[0] in there, flag.form
        if "b11434" in flag.fails:
            form = [part.replace("{}", "1") for part in flag.form]
            assert re.search("invalid argument|has been removed", refused("-m", "x", *form))


def test_equal_spellings_are_equal_on_this_build() -> None:
    gone = {"-dio"}
    rows = help_rows()
    for other, one in EQUAL_SPELLINGS.items():
        if other not in gone:
            assert any({other, one} <= row for row in rows), (other, one)


def beside_the_engine(name: str) -> Path:
    """Find a file that build.sh puts beside the programs."""
    return Path(shutil.which("llama-server") or "").parents[1] / "share" / name


def test_compose_files_satisfy_the_schema_of_the_specification(shelf: Shelf) -> None:
    schema = json.loads(beside_the_engine("compose-spec.json").read_text(encoding="utf-8"))
    for slug in shelf.launchers.configs:
        text = FORMATS["compose"](launch_of(plan_for(Ask(slug=slug), shelf), shelf.launchers))
        jsonschema.validate(yaml.safe_load(text), schema)


def test_types_and_block_layouts_are_those_of_this_build() -> None:
    place = beside_the_engine("constants.py")
    spec = importlib.util.spec_from_file_location("gguf_constants", place)
    assert spec is not None
    assert spec.loader is not None
    oracle = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(oracle)
    layouts = {int(kind): size for kind, size in oracle.GGML_QUANT_SIZES.items()}
    names = {int(kind): kind.name for kind in oracle.GGMLQuantizationType}
    ours = {number: kind for number, kind in TYPES.items() if number < IK_TYPES}
    assert {number: kind.name for number, kind in ours.items()} == names
    assert {number: (kind.block, kind.block_bytes) for number, kind in ours.items()} == layouts


def test_a_truncated_part_is_refused_by_the_reader_and_the_engine_alike(folder: Path) -> None:
    path = write(folder / "cut.gguf", Sizes(layers=1))
    path.write_bytes(path.read_bytes()[:-5000])
    with Sources() as sources, pytest.raises(GgufError, match="truncated"):
        read_weights(str(path), sources.open)
    assert "failed to load model" in refused("-m", str(path), "--fit", "off")


def test_the_tensor_table_is_the_one_that_the_engine_loads(
    folder: Path, shared_moe: str, two_cards: list[str]
) -> None:
    with Sources() as sources:
        weights = read_weights(shared_moe, sources.open)
    with booted(shared_moe, folder, two_cards) as server:
        said = re.findall(r"with (\d+) key-value pairs and (\d+) tensors", server.log.text)
    assert int(said[-1][1]) == len(weights.tensors)

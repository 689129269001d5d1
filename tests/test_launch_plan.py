import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from launch.ask import Ask, Shelf, plan_for, shipped_shelf, subject_of
from launch.budget import CACHE_RESERVE_MIB
from launch.command import read_commands
from launch.finding import Known
from launch.formats import FORMATS
from launch.line import UNNAMED, Server
from launch.lint import lint
from launch.payload import Payload
from launch.placement import MARGIN_MIB
from launch.plan import Cards, Wish, launch_of, make_plan
from launch.subject import PlanError, Subject
from launch.told import lines
from launch.verdict import Memory
from tests.tiny_moe import Sizes, write, write_split

ROOT = Path(__file__).parents[1]
Q8 = "llamacpp/deepseek-flash-dual-q8"
IQ2 = "llamacpp/deepseek-flash-dual-iq2"
GLM = "llamacpp-club3090/glm53-flash-dual-iq4xs-moecache"


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return shipped_shelf()


def test_a_slug_on_its_own_cards_is_planned_on_measured_costs(shelf: Shelf) -> None:
    plan = plan_for(Ask(slug=IQ2, gpus=("RTX 3090x2",), ram_gib=128), shelf)
    assert plan.basis == "measured"
    assert [len(blocks) for blocks in plan.layout.placement.on_cards] == [3, 3]
    assert plan.fits
    # 78.1 GiB of experts less the six widest that fit, the embedding, and the process.
    assert plan.need.total_gib == pytest.approx(78.1 - 11.6 + 0.3 + 8.0, abs=0.5)


def test_another_context_is_derived_and_smaller_ones_pin_more(shelf: Shelf) -> None:
    def pinned(ctx: int) -> float:
        ask = Ask(slug=Q8, gpus=("RTX 3090x2",), wish=Wish(ctx=ctx))
        plan = plan_for(ask, shelf)
        assert plan.basis == "derived"
        return plan.layout.placement.pinned_mib

    assert pinned(32_768) > pinned(131_072)


def test_a_context_that_would_boot_and_die_on_its_first_prefill_does_not_fit(shelf: Shelf) -> None:
    slug, gpus = "llamacpp/deepseek-flash-dual-q8", ("RTX 3090x2",)
    for ctx, depth, fits in ((204_800, None, True), (262_144, None, False), (262_144, 0, True)):
        ask = Ask(slug=slug, gpus=gpus, ram_gib=196.0, wish=Wish(ctx=ctx, depth=depth))
        assert plan_for(ask, shelf).card.fits is fits


def test_only_the_cards_that_a_slug_uses_are_counted(shelf: Shelf) -> None:
    two = plan_for(Ask(slug=IQ2, gpus=("RTX 3090x2",)), shelf)
    four = plan_for(Ask(slug=IQ2, gpus=("RTX 3090x4",)), shelf)
    assert four.layout == two.layout
    assert "the slug uses 2 of the 4 cards" in four.notes
    assert launch_of(four, shelf.launchers).cards == (0, 1)


def test_the_reference_is_reproduced_on_request(shelf: Shelf) -> None:
    ask = Ask(slug="llamacpp/deepseek-flash-multi4-q8", wish=Wish(reference=True), ram_gib=128)
    plan = plan_for(ask, shelf)
    assert [len(blocks) for blocks in plan.layout.placement.on_cards] == [2, 2, 2, 2]
    assert plan.layout.layers == (11, 11, 11, 11)
    with pytest.raises(PlanError, match="no residency of the reference launcher"):
        plan_for(
            Ask(
                slug="llamacpp-club3090/deepseek-flash-dual-q8-moecache",
                wish=Wish(reference=True),
            ),
            shelf,
        )


def test_a_cache_copies_experts_so_the_host_keeps_all_and_a_drafter_too(shelf: Shelf) -> None:
    slug = "llamacpp-club3090/deepseek-flash-dual-q8-moecache"
    plan = plan_for(Ask(slug=slug, ram_gib=200), shelf)
    assert len(plan.layout.placement.on_cpu) == 43
    assert plan.need.total_gib == pytest.approx(156, abs=1)
    assert plan.server.cache == "auto"
    bare = plan_for(Ask(slug=slug, ram_gib=200, wish=Wish(depth=0)), shelf)
    assert bare.server.draft is None
    assert plan.need.total_gib - bare.need.total_gib == pytest.approx(10.3)


def test_too_little_memory_names_what_is_missing_and_what_fits(shelf: Shelf) -> None:
    plan = plan_for(Ask(slug=Q8, gpus=("RTX 3090x2",), ram_gib=98), shelf)
    assert plan.fits is False
    assert plan.host.remedy == f"{IQ2} fits (75 GiB)"


def test_cards_too_small_for_the_dense_part_are_a_no(shelf: Shelf) -> None:
    plan = plan_for(Ask(slug=Q8, free_vram="8000,8000", ram_gib=500), shelf)
    assert (plan.fits, plan.card.fits) == (False, False)
    # What the cards should hold is not asked of the host, and nothing is said to land anywhere.
    assert plan.need.total_gib == pytest.approx(146.0, abs=0.1)
    assert not any("simulated" in line for line in lines(plan))


def test_a_cache_of_unpublished_size_counts_at_most_and_an_unknown_is_said(
    shelf: Shelf,
) -> None:
    slug = "llamacpp-club3090/qwen38-flash-next-dual-q4kxl-moecache"
    subject = subject_of(Ask(slug=slug), shelf)
    cards = Cards((24_166.0,) * 2, ("CUDA0", "CUDA1"), (0, 1))
    bounded = make_plan(subject, cards, Memory(128), Wish())
    assert bounded.basis == "extrapolated"
    assert "40 MiB for 1,000 tokens" in " ".join(bounded.notes)
    payload = subject.payload._replace(kv_mib_per_1k=0.0)
    unknown = make_plan(subject._replace(payload=payload), cards, Memory(128), Wish())
    assert "counts as nothing" in " ".join(unknown.notes)
    cache = 40 * 204.8 * 34 / 64
    assert sum(bounded.layout.used_mib) - sum(unknown.layout.used_mib) == pytest.approx(cache)


def test_the_bound_of_an_unpublished_cache_leaves_the_expert_pool_that_was_seen(
    shelf: Shelf,
) -> None:
    # GLM-5.3 at 204,800 tokens without a drafter kept 11,310 MiB of experts on two 24 GB cards.
    plan = plan_for(Ask(slug=GLM, gpus=("RTX 3090x2",), ram_gib=196), shelf)
    left = sum(plan.layout.spare_mib) + 2 * (MARGIN_MIB - CACHE_RESERVE_MIB)
    assert left == pytest.approx(11_310, rel=0.1)


def test_only_cuda_devices_get_cudas_order(shelf: Shelf) -> None:
    for devices, pinned in (("CUDA0,CUDA1", True), ("ROCm0,ROCm1", False)):
        plan = plan_for(Ask(slug=Q8, free_vram="24000,24000", devices=devices), shelf)
        environment = dict(launch_of(plan, shelf.launchers).environment)
        assert ("CUDA_DEVICE_ORDER" in environment) is pinned


def test_a_build_is_written_for_in_its_own_flags(shelf: Shelf) -> None:
    plan = plan_for(Ask(slug=Q8, build="11434"), shelf)
    argv = launch_of(plan, shelf.launchers).argv
    assert "--load-mode" in argv
    assert "--no-mmap" not in argv


@pytest.mark.parametrize(
    ("wish", "threads"),
    [(Wish(cores=16), 16), (Wish(threads=12, cores=16), 12), (Wish(), None)],
)
def test_threads_are_the_cores_unless_said(shelf: Shelf, wish: Wish, threads: int | None) -> None:
    assert plan_for(Ask(slug=Q8, wish=wish), shelf).server.threads == threads


def test_a_pinned_thread_count_stays_below_the_cores(shelf: Shelf) -> None:
    slug = "llamacpp-club3090/qwen38-flash-next-dual-q4kxl-moecache"
    for cores, threads in ((32, 28), (16, 16)):
        plan = plan_for(Ask(slug=slug, wish=Wish(cores=cores)), shelf)
        assert plan.server.threads == threads


def test_every_config_plans_and_every_format_of_it_passes_the_lint(shelf: Shelf) -> None:
    for slug in shelf.launchers.configs:
        plan = plan_for(Ask(slug=slug, ram_gib=256, wish=Wish(cores=16)), shelf)
        assert plan.fits, (slug, plan.host, plan.card)
        launch = launch_of(plan, shelf.launchers)
        for form in ("argv", "compose"):
            (command,) = read_commands(FORMATS[form](launch), slug)
            known = Known(shelf.launchers.flags, plan.server.build, cores=16)
            assert lint(command, known) == [], (slug, form)


def test_a_gguf_of_one_card_gets_a_count_and_of_two_gets_rules(
    shelf: Shelf, tmp_path: Path
) -> None:
    path = str(write(tmp_path / "m.gguf", Sizes(layers=8)))
    small = Wish(ctx=4096, ubatch=512)
    all_on = plan_for(Ask(gguf=path, free_vram="8000", wish=small), shelf)
    assert all_on.server.leading_host_layers == 0
    bundle = all_on.subject.payload.bundles_mib[0]
    # Room for all but two and a half bundles: three stay on the host.
    room = all_on.layout.used_mib[0] + all_on.budget.margin_mib - 2.5 * bundle
    one = plan_for(Ask(gguf=path, free_vram=f"{room}", wish=small), shelf)
    assert one.server.leading_host_layers == 3
    two = plan_for(Ask(gguf=path, free_vram="3000,3000", wish=small), shelf)
    assert two.server.rules
    assert two.subject.tensors is not None


def test_any_part_of_a_split_plans_the_whole_and_starts_the_first(
    shelf: Shelf, tmp_path: Path
) -> None:
    parts = write_split(tmp_path, "m", 3)
    plan = plan_for(Ask(gguf=str(parts[2])), shelf)
    assert plan.server.model == str(parts[0])


def test_a_host_without_cards_holds_the_dense_part_too(shelf: Shelf, tmp_path: Path) -> None:
    path = str(write_split(tmp_path, "m", 2)[0])
    plan = plan_for(Ask(gguf=path, ram_gib=64), shelf)
    assert plan.server.leading_host_layers == -1
    assert plan.need.dense_gib > 0
    argv = launch_of(plan, shelf.launchers).argv
    assert argv[argv.index("-ngl") + 1] == "0"


def test_a_gguf_gets_no_more_context_than_it_was_made_for_unless_asked(
    shelf: Shelf, tmp_path: Path
) -> None:
    path = str(write(tmp_path / "m.gguf", Sizes(context=4096)))
    assert plan_for(Ask(gguf=path), shelf).shape.ctx == 4096
    assert plan_for(Ask(gguf=path, wish=Wish(ctx=8192)), shelf).shape.ctx == 8192
    long = str(write(tmp_path / "l.gguf", Sizes(context=1_000_000)))
    assert plan_for(Ask(gguf=long), shelf).shape.ctx == 32_768


def test_a_dense_gguf_is_refused(shelf: Shelf, tmp_path: Path) -> None:
    path = str(write(tmp_path / "m.gguf", Sizes("qwen3", layers=2)))
    with pytest.raises(PlanError, match="is dense"):
        plan_for(Ask(gguf=path), shelf)


@given(
    layers=st.integers(1, 40),
    first=st.integers(0, 3),
    bundle=st.floats(10, 4000),
    free=st.lists(st.floats(1000, 50_000), max_size=4),
    ram=st.floats(1, 300),
    more=st.floats(0, 20_000),
)
@settings(max_examples=50, deadline=None)
def test_any_rig_and_layout_is_planned_as_simulated_and_more_never_turns_yes_into_no(
    layers: int, first: int, bundle: float, free: list[float], ram: float, more: float
) -> None:
    blocks = range(first, first + layers)
    payload = Payload("m", dict.fromkeys(blocks, bundle), first + layers, 5000.0, 300.0, 10.0)
    subject = Subject(payload, Server("b11434", "m.gguf"))

    def planned(sizes: list[float], gib: float) -> bool | None:
        names = tuple(f"CUDA{n}" for n in range(len(sizes)))
        cards = Cards(tuple(sizes), names, tuple(range(len(sizes))))
        plan = make_plan(subject, cards, Memory(gib), Wish(ctx=8192, ubatch=512))
        for use, card in zip(plan.layout.used_mib, sizes, strict=False):
            assert use <= card
        return plan.fits

    before = planned(free, ram)
    assert planned(free, ram + more / 100) or not before
    assert planned([size + more for size in free], ram) or not before


def rigbook(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rigbook", "plan", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_verb_prints_a_text_whose_line_can_be_pasted_whole() -> None:
    found = rigbook("--slug", Q8, "--gpu", "RTX 3090x2", "--ram", "196")
    assert found.returncode == 0, found.stderr
    words = shlex.split(found.stdout.replace("\\\n", " "), comments=True)
    assert words[:2] == ["CUDA_DEVICE_ORDER=PCI_BUS_ID", "llama-server"]
    assert "simulated, first rule that fits wins" in found.stdout
    assert "hf download unsloth/DeepSeek-V4-Flash-0731-GGUF" in found.stdout


def test_with_a_rig_the_alternatives_are_predicted_best_first() -> None:
    words = ("--slug", Q8, "--gpu", "RTX 3090x2", "--ram", "98", "--triad", "90", "--cores", "32")
    found = rigbook(*words, "--format", "json")
    assert found.returncode == 1, "98 GiB do not hold the slug that was asked for"
    document = json.loads(found.stdout)
    ranked = document["alternatives"]
    fitting = [row for row in ranked if row["fits"]]
    assert {row["slug"] for row in fitting} == {IQ2}
    assert ranked[: len(fitting)] == fitting
    speeds = [row["tokens_per_s"] for row in fitting]
    assert speeds == sorted(speeds, reverse=True)
    assert {(row["depth"], row["ubatch"]) for row in fitting} == {
        (depth, ubatch) for depth in (0, 2, 5) for ubatch in (2048, 4096)
    }
    deep = {(row["slug"], row["ubatch"]): row["prefill"]["tokens_per_s"] for row in fitting}
    assert deep[IQ2, 4096] > deep[IQ2, 2048] > 0
    assert document["schema"] == "rigbook.plan/1"
    assert document["argv"][0] == "llama-server"


def test_what_does_not_fit_has_no_line() -> None:
    found = rigbook("--slug", Q8, "--ram", "64")
    assert found.returncode == 1
    assert found.stdout.endswith("# no line: it does not fit\n")
    assert "llama-server" not in found.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--slug", "llamacpp/deepseek-flash-dual"], 2, f"nearest: {Q8}"),
        (["--slug", Q8, "--gpu", "Voodoo 2"], 2, "--gpu Voodoo 2"),
        (["--slug", Q8, "--ram", "-5"], 2, "--ram: should be above 0, got -5"),
        (["--slug", Q8, "--depth", "99"], 2, "--depth: should be 0 to 64"),
        (["--slug", Q8, "--kv", "q9"], 2, "--kv: no cache type 'q9'"),
        (["--slug", Q8, "--free-vram", "-1"], 2, "--free-vram"),
        (["--slug", Q8, "--build", "b1"], 2, "--build b1: unknown"),
        (["--slug", Q8, "--build", "ik-2026-08", "--ctx", "nan"], 2, "invalid int value"),
        (["--slug", "vllm/dual"], 1, "keeps no experts on the host"),
        (
            ["--slug", "llamacpp-club3090/deepseek-flash-dual-q8-moecache", "--build", "b11434"],
            1,
            "no flag is known that says 'expert-cache' on build b11434",
        ),
        (["--gguf", "pyproject.toml"], 1, "not a GGUF"),
        (["--gguf", "x.gguf", "--weights", "y.gguf"], 2, "--weights: goes with --slug"),
        (["--slug", Q8, "--port", "99999"], 2, "--port: should be 1 to 65535"),
        (["--slug", GLM, "--gpu", "RTX 3090x2"], 2, "--weights: the author never named"),
        ([], 2, "one of the arguments --slug --gguf is required"),
    ],
)
def test_what_cannot_be_planned_is_one_line(words: list[str], code: int, told: str) -> None:
    found = rigbook(*words)
    assert (found.returncode, found.stdout) == (code, "")
    assert told in found.stderr
    assert "Traceback" not in found.stderr


def test_a_slug_whose_files_were_never_named_says_so_and_takes_them_by_flag(shelf: Shelf) -> None:
    bare = plan_for(Ask(slug=GLM, gpus=("RTX 3090x2",), ram_gib=196), shelf)
    told = " ".join(bare.notes)
    assert UNNAMED in told
    assert "this line drafts nothing" in told
    assert bare.basis == "extrapolated"
    named = plan_for(Ask(slug=GLM, weights="/m/glm-00001-of-00005.gguf"), shelf)
    assert UNNAMED not in " ".join(named.notes)
    argv = launch_of(named, shelf.launchers).argv
    assert argv[:2] == ("-m", "/m/glm-00001-of-00005.gguf")
    assert "-md" not in argv


def test_a_prediction_layer_in_the_file_takes_host_memory_unread(shelf: Shelf) -> None:
    # 43 layers of experts lie in memory where 42 are read: the header rule gives 146 GiB.
    plan = plan_for(Ask(slug=GLM, gpus=("RTX 3090x2",), ram_gib=196), shelf)
    assert len(plan.layout.placement.on_cpu) == 42
    assert plan.need.total_gib == pytest.approx(145.5, abs=0.2)
    assert "3.2 prediction layer" in plan.host.said

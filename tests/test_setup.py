import pytest

from ingest.misuse import Misuse
from models.assumptions import BEFORE
from models.record import FittedModel
from models.request import GpuRequest, Request
from models.rig import rig_of
from models.setup import BARE, Setup, Target, setup_of, stratum_of

ASKED = Request(triad_gbps=52, cores=16)
Q8 = "llamacpp/deepseek-flash-dual-q8"
CACHED = "llamacpp-club3090/deepseek-flash-dual-q8-moecache"


def made(model: FittedModel, slug: str, request: Request) -> Setup:
    launch = model.facts["slugs"][slug]
    variant = model.facts["variants"][f"{launch['model']}/{launch['quant']}"]
    target = Target(slug, launch, variant)
    return setup_of(target, rig_of(request, model.facts), request, model.facts, BEFORE)


def test_a_slug_brings_its_drafter_cache_and_cards(fitted: FittedModel) -> None:
    setup = made(fitted, CACHED, ASKED)
    assert (setup.depth, setup.inputs.verified, setup.inputs.drafter_on_cpu) == (5, 6, 1)
    assert setup.hit_rate is not None
    assert 0.4 < setup.hit_rate < 0.8
    assert set(setup.inferred) == {"gpus", "acceptance", "hit_rate", "threads"}
    assert setup.stratum == "club"


def test_depth_0_is_no_drafter_and_frees_its_room(fitted: FittedModel) -> None:
    four = ASKED._replace(gpus=(GpuRequest("RTX 3090", 2),), depth=0)
    setup = made(fitted, Q8, four)
    assert (setup.acceptance, setup.inputs.tokens_per_pass) == (None, 1)
    assert setup.layers_on_cpu < made(fitted, Q8, four._replace(depth=5)).layers_on_cpu


def test_stated_layers_win_over_the_launcher(fitted: FittedModel) -> None:
    setup = made(fitted, Q8, ASKED._replace(cpu_layers=26, depth=0))
    assert setup.layers_on_cpu == 26
    assert setup.inputs.cpu_share == pytest.approx(26 / 43)
    with pytest.raises(Misuse, match=r"--cpu-layers: .* has 43 layers of experts, got 44"):
        made(fitted, Q8, ASKED._replace(cpu_layers=44))


def test_host_memory_is_the_slugs_worst_case_less_what_moved(fitted: FittedModel) -> None:
    assert made(fitted, CACHED, ASKED).host_ram_gib == 156
    moved = made(fitted, Q8, ASKED._replace(cpu_layers=26))
    assert moved.host_ram_gib == 146 - 17 * 3264 // 1024


def test_without_a_card_everything_is_on_the_cpu(fitted: FittedModel) -> None:
    setup = made(fitted, CACHED, ASKED._replace(gpus=(GpuRequest("none"),), depth=0))
    assert (setup.stratum, setup.layers_on_cpu, setup.hit_rate) == ("cpu-only", 43, None)
    assert setup.inputs.dense_on_cpu == 1


def test_a_bare_variant_runs_on_one_card_without_drafter(fitted: FittedModel) -> None:
    variant = fitted.facts["variants"]["deepseek-r1/Q4_K_M"]
    target = Target(None, {**BARE}, variant)
    setup = setup_of(target, rig_of(ASKED, fitted.facts), ASKED, fitted.facts, BEFORE)
    assert (setup.stratum, setup.depth, setup.layers_on_cpu) == ("hybrid", 0, 58)
    assert [caution.code for caution in setup.cautions] == ["bytes-inferred"]


def test_more_video_memory_hits_more(fitted: FittedModel) -> None:
    small = made(fitted, CACHED, ASKED._replace(gpus=(GpuRequest("RTX 3090", 2),)))
    large = made(fitted, CACHED, ASKED._replace(gpus=(GpuRequest("RTX 5090", 2),)))
    assert (small.hit_rate or 0) < (large.hit_rate or 0)


def test_strata_go_by_inputs() -> None:
    assert stratum_of(cpu_only=True, drafted=True, cached=False) == "cpu-only"
    assert stratum_of(cpu_only=False, drafted=False, cached=True) == "club"
    assert stratum_of(cpu_only=False, drafted=False, cached=False) == "hybrid"

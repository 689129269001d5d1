import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.catalog import Catalog
from ingest.misuse import Misuse
from models.predict import predict
from models.record import FittedModel, load_model
from models.request import GpuRequest, Request

ROOT = Path(__file__).parents[1]
ASKED = Request(triad_gbps=52, cores=16)
MULTI4 = "llamacpp/deepseek-flash-multi4-q8"
SHIPPED = load_model(ROOT / "models/fitted/model.json")


def test_the_four_card_rows_lie_inside_the_interval_of_their_placement(
    fitted: FittedModel,
) -> None:
    """Published: 11.6 to 14.8 tokens/s at 51.4 to 52.0 GB/s with 26 of 43 layers on the CPU."""
    request = ASKED._replace(slugs=(MULTI4,), depth=0, cpu_layers=26)
    (answer,) = predict(fitted, None, request)
    assert answer.low <= 11.6
    assert answer.high >= 14.8
    assert answer.nearest[0].rig.startswith("mgabor3141")


def test_every_offloading_slug_gets_an_answer_best_first(fitted: FittedModel) -> None:
    answers = predict(fitted, None, ASKED)
    assert {answer.slug for answer in answers} == set(fitted.facts["slugs"])
    speeds = [answer.tokens_per_s for answer in answers]
    assert speeds == sorted(speeds, reverse=True)
    for answer in answers:
        assert answer.low < answer.tokens_per_s < answer.high
        assert answer.fits is None
        assert sum(answer.time_share.values()) == pytest.approx(1)
        assert answer.wall_tokens_per_s >= answer.tokens_per_s * 0.5


def test_the_catalogue_of_the_checkout_answers_as_the_facts_in_the_model(
    fitted: FittedModel, catalog: Catalog
) -> None:
    assert predict(fitted, catalog, ASKED) == predict(fitted, None, ASKED)


def test_a_wider_level_gives_a_wider_interval_and_a_known_cpu_a_narrower(
    fitted: FittedModel,
) -> None:
    def width(request: Request) -> float:
        (answer,) = predict(fitted, None, request._replace(slugs=(MULTI4,)))
        return answer.high / answer.low

    assert width(ASKED._replace(level=0.5)) < width(ASKED) < width(ASKED._replace(level=0.9))
    known = ASKED._replace(cpu="Threadripper 1950X", triad_method="triad-v1")
    assert width(known) < width(ASKED)


def test_memory_that_is_too_small_pages_and_says_what_to_do(fitted: FittedModel) -> None:
    (answer,) = predict(fitted, None, ASKED._replace(slugs=(MULTI4,), ram_gib=64))
    assert (answer.fits, answer.limit) == (False, "paging")
    assert "does-not-fit" in [warning.code for warning in answer.warnings]
    (tight,) = predict(fitted, None, ASKED._replace(slugs=(MULTI4,), ram_gib=125))
    assert tight.fits
    assert "tight-ram" in [warning.code for warning in tight.warnings]


def test_a_question_outside_the_record_is_marked(fitted: FittedModel) -> None:
    far = Request(triad_gbps=1500, cores=500, slugs=(MULTI4,))
    (answer,) = predict(fitted, None, far)
    assert answer.basis == "extrapolated"
    assert "outside-data" in [warning.code for warning in answer.warnings]


def test_an_unknown_slug_lists_the_nearest_names(fitted: FittedModel) -> None:
    with pytest.raises(Misuse, match=r"no slug 'deepseek-dual-q8'; nearest: .*deepseek-flash-dual"):
        predict(fitted, None, ASKED._replace(slugs=("deepseek-dual-q8",)))
    with pytest.raises(Misuse, match="--quant: not in the catalogue: 'Q9'; nearest: "):
        predict(fitted, None, ASKED._replace(model="deepseek-r1", quant="Q9"))


def test_a_model_is_answered_quant_by_quant(fitted: FittedModel) -> None:
    answers = predict(fitted, None, ASKED._replace(model="deepseek-v4-flash-0731"))
    assert {"UD-Q8_K_XL", "UD-IQ2_XXS"} <= {answer.quant for answer in answers}
    assert all(answer.slug is None for answer in answers)


@settings(deadline=None)
@given(
    triad=st.floats(10, 800),
    more=st.floats(1, 2),
    cores=st.integers(1, 128),
    depth=st.integers(0, 8),
    slug=st.sampled_from(sorted(SHIPPED.facts["slugs"])),
)
def test_more_bandwidth_never_slows_and_every_answer_is_finite(
    triad: float, more: float, cores: int, depth: int, slug: str
) -> None:
    request = Request(triad_gbps=triad, cores=cores, threads=cores, depth=depth, slugs=(slug,))
    (slow,) = predict(SHIPPED, None, request)
    (fast,) = predict(SHIPPED, None, request._replace(triad_gbps=triad * more))
    assert 0 < slow.low <= slow.tokens_per_s <= slow.high < 10_000
    assert fast.tokens_per_s >= slow.tokens_per_s * (1 - 1e-9)


@settings(deadline=None)
@given(layers=st.integers(0, 42), cards=st.integers(1, 4))
def test_a_layer_less_on_the_host_is_never_slower(layers: int, cards: int) -> None:
    request = ASKED._replace(slugs=(MULTI4,), gpus=(GpuRequest("RTX 3090", cards),), threads=16)
    (fewer,) = predict(SHIPPED, None, request._replace(cpu_layers=layers))
    (more,) = predict(SHIPPED, None, request._replace(cpu_layers=layers + 1))
    assert fewer.tokens_per_s >= more.tokens_per_s * (1 - 1e-9)


def rigbook(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rigbook", "predict", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_plain_call_answers_in_one_screen() -> None:
    told = rigbook("--triad", "52", "--cores", "16")
    assert told.returncode == 0
    assert len(told.stdout.splitlines()) <= 40
    assert "tokens/s" in told.stdout
    assert told.stderr == ""


def test_the_json_has_the_published_keys() -> None:
    document = json.loads(rigbook("--triad", "52", "--cores", "16", "--json").stdout)
    assert document["schema"] == "rigbook.predict/1"
    assert document["rig"]["triad_gbps"] == 52
    assert "threads" in document["rig"]["inferred"]
    wanted = {
        "slug", "workload", "protocol", "quantity", "tokens_per_s", "low", "high", "level",
        "basis", "rigs", "rows", "limit", "time_share", "wall_tokens_per_s", "host_ram_gib",
        "fits", "threads", "nearest", "warnings",
    }  # fmt: skip
    assert wanted <= document["predictions"][0].keys()
    assert set(document["model"]) == {"version", "fitted_on", "error"}
    assert set(document["model"]["error"]["coverage"]) == {"0.5", "0.8", "0.9"}


@pytest.mark.parametrize(
    "words",
    [
        ("--triad", "4000", "--cores", "16"),
        ("--triad", "52", "--cores", "16", "--slug", "nope"),
        ("--triad", "52", "--cores", "16", "--threads", "many"),
        ("--triad", "52", "--cores", "16", "--gpu", "Voodoo 2"),
        ("--cores", "16"),
        ("--triad", "52", "--cores", "16", "--model-file", "nowhere.json"),
    ],
)
def test_misuse_is_one_line_and_exit_2(words: tuple[str, ...]) -> None:
    told = rigbook(*words)
    assert (told.returncode, told.stdout) == (2, "")
    assert len(told.stderr.splitlines()) == 1
    assert told.stderr.startswith("rigbook predict: ")


def test_predict_imports_nothing_heavy() -> None:
    heavy = "{'sklearn', 'scipy', 'duckdb', 'polars', 'numpy', 'pydantic'}"
    code = (
        "import sys; from rigbook.__main__ import main;"
        " main(['predict', '--triad', '52', '--cores', '16']);"
        f" print(sorted({heavy} & set(sys.modules)), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'site'}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr.strip() == "[]"


def test_half_filled_channels_and_a_file_near_the_ram_are_told_before_the_number(
    fitted: FittedModel,
) -> None:
    def codes(**rig: int) -> set[str]:
        asked = Request(cpu="EPYC 7543", triad_gbps=60, model="gpt-oss-120b", quant="MXFP4")
        (one,) = predict(fitted, None, asked._replace(**rig))  # type: ignore[arg-type]
        return {warning.code for warning in one.warnings}

    assert "half-filled" in codes(channels=4, mts=3200)
    assert "half-filled" not in codes(channels=8, mts=3200)
    assert "file-near-ram" in codes(ram_gib=64, cpu_layers=18)
    assert "file-near-ram" not in codes(ram_gib=96, cpu_layers=18)

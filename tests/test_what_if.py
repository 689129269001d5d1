import json

import pytest

from ingest.misuse import Misuse
from models.predict import predict
from models.record import FittedModel
from models.request import GpuRequest, Request
from models.what_if import changed, what_if
from rigbook.__main__ import main

ASKED = Request(triad_gbps=52, cores=16, triad_method="triad-v1", cpu="Threadripper 1950X")


def test_a_change_gives_the_ratio_of_two_predictions(fitted: FittedModel) -> None:
    other = changed(ASKED, "triad=104, cores=32")
    slug = ("llamacpp/deepseek-flash-dual-q8",)
    (change,) = what_if(fitted, None, ASKED._replace(slugs=slug), other)
    (before,) = predict(fitted, None, ASKED._replace(slugs=slug))
    assert change.before == before.tokens_per_s
    assert change.ratio == pytest.approx(change.after / change.before)
    assert change.low < change.ratio < change.high


def test_correlated_errors_cancel_in_the_ratio(fitted: FittedModel) -> None:
    slug = ("llamacpp/deepseek-flash-dual-q8",)
    (answer,) = predict(fitted, None, ASKED._replace(slugs=slug))
    (change,) = what_if(fitted, None, ASKED._replace(slugs=slug), changed(ASKED, "triad=60"))
    assert change.high / change.low < 1.2 < answer.high / answer.low


def test_other_cards_take_the_place_of_all_and_bring_their_own_memory() -> None:
    cards = ASKED._replace(gpus=(GpuRequest("RTX 3090"),), vram_gib=24)
    other = changed(cards, "gpu=RTX 3090x2+RTX 4090, ram=128")
    assert other.gpus == (GpuRequest("RTX 3090", 2), GpuRequest("RTX 4090"))
    assert (other.vram_gib, other.ram_gib) == (None, 128)
    assert changed(cards, "gpu=none,vram=30").vram_gib == 30


def test_no_change_is_no_difference(fitted: FittedModel) -> None:
    for change in what_if(fitted, None, ASKED, changed(ASKED, "triad=52")):
        assert (change.ratio, change.low, change.high) == (1, 1, 1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("triad", "should be KEY=VALUE"),
        ("colour=blue", "a key of triad, channels"),
        ("triad=fast", "triad should be a number, got 'fast'"),
        ("cores=1.5", "cores should be a whole number, got '1.5'"),
        ("gpu=RTX 3090x0", "--gpu: a count should be 1 or more"),
        ("triad=9000", "--triad: should be 1 to 2000 GB/s"),
    ],
)
def test_a_change_that_makes_no_sense_is_one_line(text: str, told: str) -> None:
    with pytest.raises(Misuse, match=told):
        changed(ASKED, text)


def test_the_command_tells_changes_and_own_runs(capsys: pytest.CaptureFixture[str]) -> None:
    rig = ["predict", "--triad", "52", "--cores", "16"]
    assert main([*rig, "--what-if", "triad=104"]) == 0
    assert "x1." in capsys.readouterr().out
    own = ["--mine", "llamacpp/deepseek-flash-dual-q8:code=30", "--json"]
    assert main([*rig, *own]) == 0
    document = json.loads(capsys.readouterr().out)
    moved = {one["slug"]: one["own_run_factor"] for one in document["predictions"]}
    assert moved["llamacpp/deepseek-flash-dual-iq2"] > 1.02
    assert main([*rig, "--mine", "nonsense"]) == 2
    assert main([*rig, "--mine", "no/slug=3"]) == 2
    assert main([*rig, "--mine", "llamacpp/deepseek-flash-dual-q8=-3"]) == 2

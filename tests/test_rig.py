import pytest

from ingest.catalog import Catalog
from ingest.misuse import Misuse
from models.facts import Facts, facts_of
from models.request import GpuRequest, Request
from models.rig import Rig, rig_of


@pytest.fixture(scope="module")
def facts(catalog: Catalog) -> Facts:
    return facts_of(catalog)


def codes(rig: Rig) -> list[str]:
    return [caution.code for caution in rig.cautions]


def test_what_is_not_given_is_assumed_listed_and_doubted(facts: Facts) -> None:
    rig = rig_of(Request(triad_gbps=52, cores=16), facts)
    assert rig.inferred == ("cpu", "triad_method")
    assert set(rig.doubts) == {"core_speed", "gbps"}
    assert (rig.method, rig.measured, rig.cards) == ("stream", True, None)


def test_a_named_processor_brings_its_speed_and_cores(facts: Facts) -> None:
    rig = rig_of(Request(triad_gbps=116, triad_method="triad-v1", cpu="AMD EPYC 7543"), facts)
    assert (rig.cores, rig.inferred, dict(rig.doubts)) == (32, (), {})
    assert rig_of(Request(triad_gbps=100, cpu="i9-7900X"), facts).intel == 1


def test_without_a_measurement_channels_and_rate_are_rated_for_the_platform(facts: Facts) -> None:
    rig = rig_of(Request(channels=8, mts=3200, cpu="EPYC 7543"), facts)
    assert (rig.gbps, rig.method, rig.measured) == (204.8, "rated-server", False)
    assert rig_of(Request(channels=2, mts=5600, cores=16), facts).method == "rated-desktop"


def test_few_core_dies_cap_what_many_channels_promise(facts: Facts) -> None:
    rig = rig_of(Request(channels=8, mts=3200, cpu="Threadripper PRO 3955WX"), facts)
    assert rig.gbps * facts["methods"][rig.method] == pytest.approx(88)


def test_cards_of_two_kinds_are_read_in_turn(facts: Facts) -> None:
    asked = (GpuRequest("RTX 3090", 2), GpuRequest("RTX 5090"))
    cards = rig_of(Request(triad_gbps=52, cores=16, gpus=asked), facts).cards
    assert cards is not None
    assert cards.vram_gib == (24, 24, 32)
    assert 936 < cards.gbps < 1792


def test_none_means_no_card(facts: Facts) -> None:
    cards = rig_of(Request(triad_gbps=52, cores=16, gpus=(GpuRequest("none"),)), facts).cards
    assert cards is not None
    assert cards.number == 0


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (Request(triad_gbps=52, cores=16, cpu="Pentium of dreams"), "--cpu: "),
        (Request(triad_gbps=52, cores=16, gpus=(GpuRequest("Voodoo 2"),)), "--gpu: "),
        (Request(triad_gbps=52, cores=16, triad_method="rated"), "--triad-method: no method"),
    ],
)
def test_names_that_nothing_fits_are_refused(facts: Facts, request_: Request, told: str) -> None:
    with pytest.raises(Misuse, match=told):
        rig_of(request_, facts)


def test_accidents_are_flagged_before_a_number(facts: Facts) -> None:
    base = Request(triad_gbps=52, cores=16)
    assert codes(rig_of(base, facts)) == []
    assert codes(rig_of(base._replace(threads=20), facts)) == ["threads-over-cores"]
    assert codes(rig_of(base._replace(threads=20, smt=True), facts)) == ["smt"]
    assert codes(rig_of(base._replace(threads=40, smt=True), facts)) == ["threads-over-cores"]
    assert codes(rig_of(base._replace(threads=13), facts)) == ["threads-odd"]
    assert codes(rig_of(base._replace(cores=64, threads=2), facts)) == ["threads-few"]
    assert codes(rig_of(base._replace(sockets=2), facts)) == ["numa"]
    assert codes(rig_of(base._replace(channels=2, mts=3200), facts)) == ["triad-odd"]

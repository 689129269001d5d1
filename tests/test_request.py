import pytest

from ingest.misuse import Misuse
from models.request import GpuRequest, Request, checked, flag_of

GOOD = Request(triad_gbps=52, cores=16)


def test_a_triad_and_cores_are_enough_and_so_are_channels_and_a_cpu() -> None:
    assert checked(GOOD) is GOOD
    assert checked(Request(channels=8, mts=3200, cpu="EPYC 7543"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"triad_gbps": 4000}, "--triad: should be 1 to 2000 GB/s, got 4000"),
        ({"triad_gbps": -1}, "--triad: "),
        ({"cores": 0}, "--cores: "),
        ({"threads": 0}, "--threads: "),
        ({"acceptance": 1.2}, "--acceptance: should be 0 to 1 a share, got 1.2"),
        ({"hit_rate": -0.1}, "--hit-rate: "),
        ({"ram_gib": 0}, "--ram: "),
        ({"at_tokens": -1}, "--at: "),
        ({"ctx_tokens": 0}, "--ctx: "),
        ({"level": 0.95}, "--level: should be one of 0.5, 0.8, 0.9, got 0.95"),
        ({"triad_gbps": None}, "give --triad GBPS, or --channels N with --mts N"),
        ({"triad_gbps": float("nan")}, "--triad: "),
        ({"cores": None}, "give --cores N (physical), or --cpu NAME"),
        ({"gpus": (GpuRequest("RTX 3090", 0),)}, "--gpu: a count should be 1 or more"),
    ],
)
def test_what_no_rig_can_be_is_one_line(change: dict[str, object], told: str) -> None:
    with pytest.raises(Misuse) as found:
        checked(GOOD._replace(**change))  # type: ignore[arg-type]
    assert told in str(found.value)
    assert len(str(found.value).splitlines()) == 1


def test_every_wrong_value_is_told_a_line_each() -> None:
    with pytest.raises(Misuse) as found:
        checked(GOOD._replace(triad_gbps=-1, acceptance=2))
    assert len(str(found.value).splitlines()) == 2


def test_flags_are_named_as_they_are_typed() -> None:
    assert flag_of("triad_gbps") == "--triad"
    assert flag_of("cpu_layers") == "--cpu-layers"
    assert flag_of("ctx_tokens") == "--ctx"

import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pynvml
import pytest

from capture.cards import Cards, all_cards, card_fields, nvidia_cards, sysfs_cards
from capture.nvidia import Nvml
from capture.tree import Tree


class DriverError(Exception):
    """Stands for `NVMLError`: what a card or a user gets no answer to."""


def library(*, powered: bool = True) -> Any:  # noqa: ANN401 - NVML has no types
    """A driver with two capped cards, as `pynvml` shows it."""

    def watts(_: int) -> int:
        if not powered:
            raise DriverError
        return 220_000

    return types.SimpleNamespace(
        NVMLError=DriverError, NVML_P2P_CAPS_INDEX_READ=0, NVML_P2P_STATUS_OK=0,
        nvmlInit=lambda: None, nvmlShutdown=lambda: None, nvmlDeviceGetCount=lambda: 2,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlSystemGetDriverVersion=lambda: b"580.65.06",
        nvmlDeviceGetName=lambda _: "NVIDIA GeForce RTX 3090",
        nvmlDeviceGetMemoryInfo=lambda _: types.SimpleNamespace(total=24 << 30, used=3 << 30),
        nvmlDeviceGetPowerManagementLimit=watts,
        nvmlDeviceGetPowerManagementDefaultLimit=lambda _: 350_000,
        nvmlDeviceGetCurrPcieLinkGeneration=lambda _: 4,
        nvmlDeviceGetCurrPcieLinkWidth=lambda _: 8,
        nvmlDeviceGetMaxPcieLinkGeneration=lambda _: 4,
        nvmlDeviceGetMaxPcieLinkWidth=lambda _: 16,
        nvmlDeviceGetPowerUsage=lambda _: 101_500,
        nvmlDeviceGetUtilizationRates=lambda _: types.SimpleNamespace(gpu=31, memory=12),
        nvmlDeviceGetP2PStatus=lambda one, _other, _index: one,
    )  # fmt: skip


def test_nvml_tells_memory_cap_link_driver_and_peer_access() -> None:
    cards = nvidia_cards(library())
    assert cards.gpus is not None
    assert [gpu.model_dump(exclude_none=True) for gpu in cards.gpus] == 2 * [
        {
            "name": "NVIDIA GeForce RTX 3090",
            "vram_mib": 24576,
            "power_w": 220,
            "power_default_w": 350,
            "link": "PCIe gen4 x8 of gen4 x16",
        }
    ]
    assert cards.driver == "580.65.06"
    assert cards.peers == "peer access on 1 of 2 directed pairs"


def test_what_a_card_does_not_tell_stays_unknown() -> None:
    gpus = nvidia_cards(library(powered=False)).gpus
    assert gpus is not None
    assert (gpus[0].power_w, gpus[0].power_default_w) == (None, 350)


def test_a_sample_is_what_the_card_does_now() -> None:
    with Nvml(library()) as session:
        sample = session.sample(0)
    assert sample == (3072, 101.5, 0.31, 0.12, "PCIe gen4 x8 of gen4 x16")


def test_without_a_driver_nvml_says_nothing() -> None:
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        assert nvidia_cards().gpus is None
    else:
        pytest.skip("this machine has NVIDIA's driver")


def test_a_card_of_amds_is_read_from_sysfs_with_its_cap(tree: Callable[[str], Tree]) -> None:
    gpus = sysfs_cards(tree("smt-off")).gpus
    assert gpus is not None
    (gpu,) = gpus
    assert (gpu.name, gpu.vram_mib) == ("Radeon RX 7900 XTX", 24560)
    assert (gpu.power_w, gpu.power_default_w) == (250, 303)
    assert gpu.link == "PCIe gen4 x8 of gen4 x16"


def test_graphics_inside_the_processor_are_no_card(tree: Callable[[str], Tree]) -> None:
    laptop = tree("laptop")
    found = all_cards(laptop, [Cards(None, "NVML"), sysfs_cards(laptop)])
    (field,) = card_fields(found)
    assert field.value == {"kind": "none"}


def test_a_card_that_does_not_answer_leaves_the_cards_unknown(tree: Callable[[str], Tree]) -> None:
    """The NVIDIA card on the bus has no driver: neither `none` nor the AMD card alone is true."""
    rig = tree("smt-off")
    assert list(card_fields(all_cards(rig, [Cards(None, "NVML"), sysfs_cards(rig)]))) == []


def test_cards_of_several_makers_stand_together(tmp_path: Path) -> None:
    one = nvidia_cards(library())
    both = all_cards(Tree(tmp_path), [one, Cards((), "sysfs drm")])
    assert (len(both.gpus or ()), both.way, both.driver) == (2, "NVML", "NVIDIA driver 580.65.06")

"""Cards that sysfs tells of (AMD and Intel), and all cards as fields of the rig."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pynvml

from capture.field import Field
from capture.nvidia import Nvml
from capture.tree import Tree
from ingest.bundle import Gpu

MIB, MICROWATTS = 1024**2, 1_000_000
VENDORS = {0x1002: "AMD", 0x8086: "Intel"}
"""PCI vendor ids; NVIDIA's cards come from NVML, which knows more."""


class Cards(NamedTuple):
    """The cards, their driver, whether they reach each other, and how all that was learned.

    `gpus` is None where nobody could be asked, and empty where the answer is: none.
    """

    gpus: tuple[Gpu, ...] | None
    way: str
    driver: str | None = None
    peers: str | None = None


def nvidia_cards(library: Any = pynvml) -> Cards:  # noqa: ANN401 - NVML has no types
    """Ask NVML for the cards; None where it is not installed or its driver is not loaded."""
    try:
        with Nvml(library) as session:
            handles = session.handles()
            gpus = tuple(session.gpu(handle) for handle in handles)
            return Cards(gpus, "NVML", session.driver(), session.peer_access(handles))
    except library.NVMLError:
        return Cards(None, "NVML")


def sysfs_cards(tree: Tree) -> Cards:
    """List AMD's and Intel's cards with their own memory, as amdgpu and xe or i915 tell them."""
    folders = [path for path in tree.folders("sys/class/drm/card*") if re.search(r"card\d+$", path)]
    found = [gpu for folder in folders for gpu in _sysfs_gpu(tree, f"{folder}/device")]
    return Cards(tuple(found), "sysfs drm")


def _sysfs_gpu(tree: Tree, device: str) -> Iterator[Gpu]:
    vendor = VENDORS.get(tree.number(f"{device}/vendor") or 0)
    # A graphics part inside the processor has no memory of its own, and is no card.
    vram = tree.number(f"{device}/mem_info_vram_total") or _intel_vram(tree, device)
    if not vendor or not vram or vram < MIB * 2048:
        return
    name = tree.text(f"{device}/product_name") or f"{vendor} {tree.text(f'{device}/device')}"
    hwmon = next(iter(tree.folders(f"{device}/hwmon/hwmon*")), "")
    yield Gpu(
        name=name,
        vram_mib=round(vram / MIB),
        power_w=_watts(tree.number(f"{hwmon}/power1_cap") or tree.number(f"{hwmon}/power1_max")),
        power_default_w=_watts(tree.number(f"{hwmon}/power1_cap_default")),
        link=_sysfs_link(tree, device),
    )


def _intel_vram(tree: Tree, device: str) -> int | None:
    return tree.number(f"{device}/tile0/vram0_size") or tree.number(f"{device}/lmem_total_bytes")


def _watts(microwatts: int | None) -> float | None:
    return microwatts / MICROWATTS if microwatts else None


GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}
"""GT/s of each PCI Express generation, as sysfs prints them."""


def _sysfs_link(tree: Tree, device: str) -> str | None:
    parts: list[int | None] = []
    for which in ("current", "max"):
        speed = re.match(r"([0-9.]+) GT/s", tree.text(f"{device}/{which}_link_speed") or "")
        parts += [
            GENERATIONS.get(speed[1]) if speed else None,
            tree.number(f"{device}/{which}_link_width"),
        ]
    return None if None in parts else "PCIe gen{} x{} of gen{} x{}".format(*parts)


NVIDIA = 0x10DE
"""PCI vendor id."""


def is_nvidia_on_the_bus(tree: Tree) -> bool:
    """Tell whether a card of NVIDIA's is there, whatever its driver says."""
    devices = tree.folders("sys/bus/pci/devices/*")
    display = 0x03
    return any(
        tree.number(f"{device}/vendor") == NVIDIA
        and (tree.number(f"{device}/class") or 0) >> 16 == display
        for device in devices
    )


def all_cards(tree: Tree, known: Sequence[Cards]) -> Cards:
    """Put together what several ways found; nothing where a card is there and does not answer."""
    if any(cards.gpus is None for cards in known) and is_nvidia_on_the_bus(tree):
        return Cards(None, "NVIDIA card without NVML")
    told = [cards for cards in known if cards.gpus is not None]
    gpus = tuple(gpu for cards in told for gpu in cards.gpus or ())
    way = ", ".join(cards.way for cards in told if cards.gpus) or "NVML and sysfs found none"
    drivers = [f"NVIDIA driver {cards.driver}" for cards in told if cards.driver]
    peers = [cards.peers for cards in told if cards.peers]
    return Cards(gpus, way, ", ".join(drivers) or None, ", ".join(peers) or None)


def card_fields(cards: Cards) -> Iterator[Field]:
    """List the cards; a machine without any is known to have none."""
    if cards.gpus is None:
        return
    gpus = [gpu.model_dump(exclude_none=True) for gpu in cards.gpus]
    yield Field("gpus", gpus or {"kind": "none"}, "measured", cards.way)

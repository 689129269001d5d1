"""The system around the rig: OS, kernel, board, virtualisation, load, swap. Never a serial."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from capture.cpu import is_guest
from capture.field import Field
from capture.memory import KIB_PER_GIB, meminfo
from capture.tree import Tree

VENDORS = {
    "qemu": "KVM", "kvm": "KVM", "amazon ec2": "KVM", "google": "KVM", "vmware": "VMware",
    "innotek": "VirtualBox", "xen": "Xen", "microsoft corporation": "Hyper-V",
    "parallels": "Parallels", "bochs": "KVM",
}  # fmt: skip
"""How hypervisors name themselves as the system's vendor (systemd's detect-virt has the list)."""

LAPTOP_CHASSIS = {8, 9, 10, 14, 31, 32}
"""SMBIOS 3.7 §7.4.1: portable, laptop, notebook, sub-notebook, convertible, detachable."""


class Load(NamedTuple):
    """How busy the host is: load average over one minute, and swap in use."""

    load_1min: float | None
    swap_used_mib: float | None


def load(tree: Tree) -> Load:
    """Read load average and swap in use."""
    average = re.match(r"([0-9]+\.[0-9]+)", tree.text("proc/loadavg") or "")
    told = meminfo(tree.text("proc/meminfo") or "")
    used = None
    if told.swap_total is not None and told.swap_free is not None:
        used = round((told.swap_total - told.swap_free) / 1024, 1)
    return Load(float(average[1]) if average else None, used)


def virtualisation(tree: Tree) -> str | None:
    """Name what stands between the system and the machine; None on bare metal."""
    kernel = tree.text("proc/version") or ""
    if "microsoft" in kernel.casefold():
        return "WSL2"
    container = _container(tree)
    if container:
        return container
    vendor = (tree.text("sys/class/dmi/id/sys_vendor") or "").casefold()
    product = (tree.text("sys/class/dmi/id/product_name") or "").casefold()
    for start, name in VENDORS.items():
        # Microsoft and Google also sell machines of metal: those have no hypervisor flag.
        if vendor.startswith(start) and (
            start not in _METAL or _flagged(tree) or "virtual" in product
        ):
            return name
    return "virtual machine" if _flagged(tree) else None


_METAL = {"microsoft corporation", "google"}


def _flagged(tree: Tree) -> bool:
    return is_guest(tree.text("proc/cpuinfo") or "")


def _container(tree: Tree) -> str | None:
    if tree.bytes(".dockerenv") is not None:
        return "docker container"
    if tree.bytes("run/.containerenv") is not None:
        return "podman container"
    told = tree.text("run/systemd/container")
    return f"{told} container" if told and re.fullmatch(r"[a-z-]{1,30}", told) else None


def is_laptop(tree: Tree) -> bool:
    """Tell a portable machine, whose clocks depend on the battery and the lid."""
    return tree.number("sys/class/dmi/id/chassis_type") in LAPTOP_CHASSIS


def host_fields(tree: Tree) -> Iterator[Field]:
    """List OS, environment and guest."""
    release = tree.text("etc/os-release") or ""
    pretty = re.search(r'^PRETTY_NAME="?([^"\n]+)"?$', release, re.MULTILINE)
    kernel = re.match(r"Linux version (\S+)", tree.text("proc/version") or "")
    named = [pretty[1] if pretty else None, f"Linux {kernel[1]}" if kernel else None]
    yield Field("os", " · ".join(name for name in named if name), "measured", "os-release, kernel")
    between = virtualisation(tree)
    yield Field("environment", _environment(tree, between), "measured", "sysfs dmi, /proc")
    # A container shares the host's memory: only a hypervisor makes a guest.
    guest = bool(between and not between.endswith("container")) or _flagged(tree)
    yield Field("cpu.guest", guest, "measured", "hypervisor flag and vendor")


def _environment(tree: Tree, between: str | None) -> str:
    board = " ".join(
        tree.text(f"sys/class/dmi/id/{name}") or "" for name in ("board_vendor", "board_name")
    ).strip()
    kind = between or ("laptop" if is_laptop(tree) else "bare metal")
    return f"{kind}, {board}" if board and not between else kind


def total_gib(tree: Tree) -> float | None:
    """Tell the memory of the host in GiB."""
    total = meminfo(tree.text("proc/meminfo") or "").total
    return total / KIB_PER_GIB if total else None

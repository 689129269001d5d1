"""This machine: its memory, cores and cards, as they are now."""

from typing import NamedTuple

import psutil
import pynvml

from launch.verdict import Memory

GIB = 1 << 30
MIB = 1 << 20


class CardNow(NamedTuple):
    """A card as its driver reports it."""

    number: int
    name: str
    total_mib: float
    free_mib: float


class Machine(NamedTuple):
    """What this machine has. `cores` counts physical cores, None where the system hides them."""

    memory: Memory
    cores: int | None
    cards: tuple[CardNow, ...]


def this_machine() -> Machine:
    """Ask the system and the driver; a machine without NVIDIA's driver has no cards here."""
    memory, swap = psutil.virtual_memory(), psutil.swap_memory()
    return Machine(
        Memory(memory.total / GIB, memory.available / GIB, swap.total / GIB or None),
        psutil.cpu_count(logical=False),
        _cards(),
    )


def _cards() -> tuple[CardNow, ...]:
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    try:
        return tuple(_card(number) for number in range(pynvml.nvmlDeviceGetCount()))
    finally:
        pynvml.nvmlShutdown()


def _card(number: int) -> CardNow:
    handle = pynvml.nvmlDeviceGetHandleByIndex(number)
    memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
    name = pynvml.nvmlDeviceGetName(handle)
    return CardNow(number, str(name), memory.total / MIB, memory.free / MIB)

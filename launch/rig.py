"""The rig that a plan is for: cards by name or by free memory, and the host's memory."""

from collections.abc import Iterable, Sequence

from ingest.catalog import Catalog, GpuEntry, Slug
from ingest.hardware import asked_for, counted
from ingest.misuse import Misuse
from launch.placement import free_mib
from launch.plan import Cards

PREFIX = {"nvidia": "CUDA", "amd": "ROCm", "intel": "SYCL"}
"""What llama.cpp calls the devices of each maker; others come through Vulkan."""
CARDS_LIMIT = 16
"""llama.cpp takes at most 16 devices (GGML_CUDA_MAX_DEVICES)."""


def named_cards(texts: Iterable[str], catalog: Catalog) -> list[GpuEntry]:
    """Find the cards that `RTX 3090x2` and the like mean. Raises Misuse for an unknown name."""
    found: list[GpuEntry] = []
    for text in texts:
        name, count = counted(text)
        entry = asked_for(catalog.gpus.values(), name)
        if count < 1:
            raise Misuse(f"--gpu {text}: a count should be 1 or more")
        if entry is None:
            raise Misuse(
                f"--gpu {text}: no card, or more than one, is called {name!r}; write it as "
                "'RTX 3090x2', or give --free-vram MIB,…"
            )
        found += [entry] * count
    if len(found) > CARDS_LIMIT:
        raise Misuse(
            f"--gpu: {len(found)} cards, more than the {CARDS_LIMIT} that the engine takes"
        )
    return found


def numbers(text: str, flag: str) -> list[float]:
    """Read a comma-separated list of sizes above zero. Raises Misuse."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        raise Misuse(f"{flag}: should be numbers with commas between, got {text!r}") from None
    if not all(0 < value < 1e9 for value in values):
        raise Misuse(f"{flag}: sizes should be above 0, got {text}")
    return values


def cards_of(
    entries: Sequence[GpuEntry], free: Sequence[float] | None, devices: Sequence[str] | None
) -> Cards:
    """Put cards together: free memory as given, else the nominal size less the driver's share."""
    sizes = list(free) if free else [free_mib(entry.vram_gib) for entry in entries]
    if entries and len(entries) != len(sizes):
        raise Misuse(f"--free-vram: {len(sizes)} sizes for {len(entries)} cards")
    names = list(devices) if devices else _device_names(entries, len(sizes))
    if len(names) != len(sizes):
        raise Misuse(f"--devices: {len(names)} names for {len(sizes)} cards")
    return Cards(tuple(sizes), tuple(names), tuple(range(len(sizes))))


def _device_names(entries: Sequence[GpuEntry], count: int) -> list[str]:
    if not entries:
        return [f"CUDA{number}" for number in range(count)]
    prefixes = [PREFIX.get(entry.vendor, "Vulkan") for entry in entries]
    return [f"{p}{prefixes[:number].count(p)}" for number, p in enumerate(prefixes)]


def reference_cards(slug: Slug, catalog: Catalog) -> Cards:
    """Give the cards that a slug is made for."""
    return cards_of([catalog.gpus[slug.reference_gpu]] * slug.cards, None, None)

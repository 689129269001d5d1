"""NVIDIA cards through NVML (`nvidia-ml-py`), which every user may ask."""

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, NamedTuple, Self, TypeVar

from ingest.bundle import Gpu

T = TypeVar("T")

MIB, MILLIWATTS = 1024**2, 1000


class Sample(NamedTuple):
    """One card at one moment; None where the card does not tell."""

    vram_mib: float | None
    power_w: float | None
    busy: float | None
    memory_busy: float | None
    link: str | None


class Nvml:
    """A session with the driver; closed by leaving its `with`."""

    def __init__(self, library: ModuleType | Any) -> None:  # noqa: ANN401 - NVML has no types
        self._library = library

    def __enter__(self) -> Self:
        self._library.nvmlInit()
        return self

    def __exit__(self, *_: object) -> None:
        self._library.nvmlShutdown()

    def _told(self, ask: Callable[..., T], *words: Any) -> T | None:  # noqa: ANN401 - NVML has no types
        """Ask the driver; None where this card or this user gets no answer."""
        try:
            return ask(*words)
        except self._library.NVMLError:
            return None

    def handles(self) -> list[Any]:
        """List the cards."""
        count = self._told(self._library.nvmlDeviceGetCount) or 0
        asked = (self._told(self._library.nvmlDeviceGetHandleByIndex, i) for i in range(count))
        return [handle for handle in asked if handle is not None]

    def driver(self) -> str | None:
        """Name the driver's version."""
        return _text(self._told(self._library.nvmlSystemGetDriverVersion))

    def gpu(self, handle: Any) -> Gpu:  # noqa: ANN401 - NVML has no types
        """Describe one card: memory, power cap against its default, link."""
        ask = self._library
        memory = self._told(ask.nvmlDeviceGetMemoryInfo, handle)
        cap = self._told(ask.nvmlDeviceGetPowerManagementLimit, handle)
        default = self._told(ask.nvmlDeviceGetPowerManagementDefaultLimit, handle)
        return Gpu(
            name=_text(self._told(ask.nvmlDeviceGetName, handle)) or "NVIDIA card",
            vram_mib=round(memory.total / MIB) if memory else None,
            power_w=cap / MILLIWATTS if cap else None,
            power_default_w=default / MILLIWATTS if default else None,
            link=self.link(handle),
        )

    def link(self, handle: Any) -> str | None:  # noqa: ANN401 - NVML has no types
        """Describe the PCIe link now: an idle card lowers its generation, so ask under load."""
        ask = self._library
        parts = [
            self._told(question, handle)
            for question in (
                ask.nvmlDeviceGetCurrPcieLinkGeneration,
                ask.nvmlDeviceGetCurrPcieLinkWidth,
                ask.nvmlDeviceGetMaxPcieLinkGeneration,
                ask.nvmlDeviceGetMaxPcieLinkWidth,
            )
        ]
        if None in parts:
            return None
        return "PCIe gen{} x{} of gen{} x{}".format(*parts)

    def sample(self, handle: Any) -> Sample:  # noqa: ANN401 - NVML has no types
        """Read what a card does at this moment."""
        ask = self._library
        memory = self._told(ask.nvmlDeviceGetMemoryInfo, handle)
        power = self._told(ask.nvmlDeviceGetPowerUsage, handle)
        rates = self._told(ask.nvmlDeviceGetUtilizationRates, handle)
        return Sample(
            vram_mib=memory.used / MIB if memory else None,
            power_w=power / MILLIWATTS if power is not None else None,
            busy=rates.gpu / 100 if rates else None,
            memory_busy=rates.memory / 100 if rates else None,
            link=self.link(handle),
        )

    def peer_access(self, handles: Iterable[Any]) -> str | None:
        """Say whether cards may read each other; None with fewer than two."""
        ask, cards = self._library, list(handles)
        pairs = [(one, other) for one in cards for other in cards if one is not other]
        answers = [
            self._told(ask.nvmlDeviceGetP2PStatus, one, other, ask.NVML_P2P_CAPS_INDEX_READ)
            for one, other in pairs
        ]
        known = [answer for answer in answers if answer is not None]
        if not known:
            return None
        granted = sum(answer == ask.NVML_P2P_STATUS_OK for answer in known)
        return f"peer access on {granted} of {len(pairs)} directed pairs"


def _text(value: str | bytes | None) -> str | None:
    """Read a name: old bindings answer in bytes."""
    text = value.decode("utf-8", errors="replace") if isinstance(value, bytes) else value
    return text or None

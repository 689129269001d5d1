"""What the rig does beside a run: a sample a second of cards, processors, memory and swap."""

import threading
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple, Self

import psutil
import pynvml

from capture.host import load
from capture.nvidia import Nvml, Sample
from capture.process import held
from capture.tree import Tree

INTERVAL_S = 1.0


class Moment(NamedTuple):
    """One sample. `others` counts the processors in use by others than the server."""

    cards: tuple[Sample, ...]
    busy_cpus: float
    others: float | None
    load_1min: float | None
    swap_used_mib: float | None
    rss_gib: float | None
    server_swap_mib: float | None


class Watch:
    """Samples while its `with` lasts."""

    def __init__(self, pid: int | None) -> None:
        self._pid = pid
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.moments: list[Moment] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            with Nvml(pynvml) as session:
                self._sample(session)
        except pynvml.NVMLError:
            self._sample(None)

    def _sample(self, session: Nvml | None) -> None:
        handles = session.handles() if session else []
        before = held(self._pid).cpu_s if self._pid else None
        psutil.cpu_percent()
        while not self._stop.wait(INTERVAL_S):
            busy = psutil.cpu_percent() / 100 * (psutil.cpu_count() or 1)
            server = held(self._pid) if self._pid else None
            after = server.cpu_s if server else None
            spent = None if before is None or after is None else (after - before) / INTERVAL_S
            before = after
            host = load(Tree(Path("/")))
            self.moments.append(
                Moment(
                    cards=tuple(session.sample(handle) for handle in handles) if session else (),
                    busy_cpus=busy,
                    others=None if spent is None else max(busy - spent, 0.0),
                    load_1min=host.load_1min,
                    swap_used_mib=host.swap_used_mib,
                    rss_gib=server.rss_gib if server else None,
                    server_swap_mib=server.swap_mib if server else None,
                )
            )


def summary(moments: list[Moment]) -> dict[str, Any]:
    """Sum up samples; what no sample tells is left out."""
    cards = [moment.cards for moment in moments if moment.cards]
    used = [_total(sample.vram_mib for sample in samples) for samples in cards]
    power = [_total(sample.power_w for sample in samples) for samples in cards]
    told = {
        "seconds": len(moments) or None,
        "vram_start_mib": used[0] if used else None,
        "vram_end_mib": used[-1] if used else None,
        "vram_peak_mib": max((one for one in used if one is not None), default=None),
        "power_w": _mean(power),
        "busy": _mean(sample.busy for samples in cards for sample in samples),
        "memory_busy": _mean(sample.memory_busy for samples in cards for sample in samples),
        "links": _links(cards),
        "cpu_busy": _mean(moment.busy_cpus for moment in moments),
        "cpu_others": _mean(moment.others for moment in moments),
        "load_1min": max((m.load_1min for m in moments if m.load_1min is not None), default=None),
        "rss_growth_mib": _scaled(_growth([moment.rss_gib for moment in moments]), 1024),
        "rss_gib": max((m.rss_gib for m in moments if m.rss_gib is not None), default=None),
        "server_swap_mib": _last(moment.server_swap_mib for moment in moments),
        "swap_growth_mib": _growth([moment.swap_used_mib for moment in moments]),
    }
    return {name: value for name, value in told.items() if value is not None}


def _total(values: Iterable[float | None]) -> float | None:
    known = list(values)
    return None if None in known or not known else sum(value for value in known if value)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(mean(known), 4) if known else None


def _last(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return known[-1] if known else None


def _growth(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(known[-1] - known[0], 4) if known else None


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else round(value * factor, 1)


def _links(cards: list[tuple[Sample, ...]]) -> list[str] | None:
    """Find each card's best link: an idle card lowers its own."""
    seen = [[sample.link or "" for sample in samples] for samples in cards]
    return [max(links) for links in zip(*seen, strict=False)] or None

"""The rig of a request in the model's terms; what was not given is assumed and listed."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ingest.hardware import asked_for
from ingest.misuse import Misuse
from models.answer import Caution
from models.facts import Facts
from models.parameters import CORE_SPEED
from models.request import Request

SD_CORE_SPEED = 0.35
"""Spread (log) of core speeds over the processors of the public record: what not knowing costs."""

SD_METHOD = 0.15
"""Spread (log) between bandwidth methods on one machine, 1.3 to 1.8 times end to end."""


class Cards(NamedTuple):
    """The graphics cards: VRAM of each; `gbps` is the harmonic mean, as layers run in turn."""

    name: str
    gbps: float
    vram_gib: tuple[float, ...]

    @property
    def number(self) -> int:
        """Count the cards."""
        return len(self.vram_gib)


class Rig(NamedTuple):
    """What the model knows of the rig. `doubts` maps what was assumed to its spread (log)."""

    gbps: float
    method: str
    measured: bool
    sockets: int
    cores: int
    core_speed: float
    intel: int
    cards: Cards | None
    ram_gib: float | None
    inferred: tuple[str, ...] = ()
    doubts: Mapping[str, float] = MappingProxyType({})
    cautions: tuple[Caution, ...] = ()


class _Entry(NamedTuple):
    id: str
    match: tuple[str, ...]


def find(table: Facts, name: str) -> dict[str, Any] | None:
    """Find the entry of `table` that a name, as people write it, means."""
    found = asked_for((_Entry(key, tuple(row["match"])) for key, row in table.items()), name)
    return table[found.id] if found else None


def _like(table: Facts, name: str) -> str:
    """Name the entries that look most like a name that nothing fits."""
    from difflib import get_close_matches  # noqa: PLC0415 - 2 ms, and only for a mistake

    by_name = {row["name"].casefold(): row["name"] for row in table.values()}
    close = get_close_matches(name.casefold(), by_name, n=3, cutoff=0.4)
    return f"; nearest: {', '.join(by_name[one] for one in close)}" if close else ""


def rig_of(request: Request, facts: Facts) -> Rig:
    """Read a rig out of a request. Raises Misuse for names that nothing fits."""
    cpu = _cpu(request, facts)
    inferred, doubts = [], {}
    if cpu is None:
        inferred.append("cpu")
        doubts["core_speed"] = SD_CORE_SPEED
    gbps, method, measured = _bandwidth(request, cpu, facts)
    if measured and request.triad_method is None:
        inferred.append("triad_method")
        doubts["gbps"] = SD_METHOD
    cores = request.cores or (cpu["cores"] * request.sockets if cpu else 1)
    return Rig(
        gbps=gbps,
        method=method,
        measured=measured,
        sockets=request.sockets,
        cores=cores,
        core_speed=cpu["core_speed"] if cpu else CORE_SPEED,
        intel=cpu["intel"] if cpu else 0,
        cards=_cards(request, facts),
        ram_gib=request.ram_gib,
        inferred=tuple(inferred),
        doubts=doubts,
        cautions=(*_cautions(request, cores), *_half_filled(request, cpu)),
    )


def _cpu(request: Request, facts: Facts) -> dict[str, Any] | None:
    if request.cpu is None:
        return None
    cpu = find(facts["cpus"], request.cpu)
    if cpu is None:
        raise Misuse(
            f"--cpu: the catalogue has no one processor named {request.cpu!r}"
            f"{_like(facts['cpus'], request.cpu)}; or leave it out and give --cores"
        )
    return cpu


def _bandwidth(
    request: Request, cpu: dict[str, Any] | None, facts: Facts
) -> tuple[float, str, bool]:
    """Take the measured figure, else channels by transfer rate under the cap of the core dies."""
    if request.triad_gbps is not None:
        method = request.triad_method or "stream"
        if method not in facts["methods"]:
            known = ", ".join(m for m in facts["methods"] if not m.startswith("rated-"))
            raise Misuse(f"--triad-method: no method {method!r}; one of {known}")
        return request.triad_gbps, method, True
    platform = cpu["platform"] if cpu else "desktop" if (request.channels or 0) <= 2 else "server"
    rated = (request.channels or 0) * (request.mts or 0) * 8 / 1000
    cap = cpu["read_cap_gbps"] if cpu else None
    share: float = facts["methods"][f"rated-{platform}"]
    if cap:
        rated = min(rated, cap * request.sockets / share)
    return rated, f"rated-{platform}", False


def _cards(request: Request, facts: Facts) -> Cards | None:
    """Read the cards; None where nothing was said, no cards for the name `none`."""
    if not request.gpus:
        return None
    found = []
    for asked in request.gpus:
        if asked.name.casefold() == "none":
            continue
        gpu = find(facts["gpus"], asked.name)
        if gpu is None:
            like = _like(facts["gpus"], asked.name)
            raise Misuse(f"--gpu: the catalogue has no one card named {asked.name!r}{like}")
        found += [gpu] * asked.cards
    if not found:
        return Cards("none", 1.0, ())
    stated = request.vram_gib / len(found) if request.vram_gib else None
    gbps = len(found) / sum(1 / gpu["gbps"] for gpu in found)
    return Cards(found[0]["name"], gbps, tuple(stated or gpu["vram_gib"] for gpu in found))


def _cautions(request: Request, cores: int) -> list[Caution]:
    cautions = []
    threads = request.threads
    if threads is not None and request.smt and cores < threads <= 2 * cores:
        text = "SMT threads gave +9 to +25 % on some Intel and -8 % on EPYC: not in the number"
        cautions.append(Caution("smt", text, f"measure against --threads {cores}"))
    elif threads is not None and threads > cores:
        text = f"{threads} threads on {cores} cores: over-subscription, speed may collapse"
        cautions.append(Caution("threads-over-cores", text, f"use --threads {cores} or fewer"))
    elif threads is not None and threads > 1 and threads % 2:
        text = f"{threads} threads: odd counts have halved decoding on wide machines"
        cautions.append(Caution("threads-odd", text, f"use --threads {threads - 1}"))
    elif threads is not None and threads * 4 < cores:
        text = f"{threads} threads on {cores} cores: most of the machine idles"
        cautions.append(Caution("threads-few", text, "leave --threads out for the knee"))
    if request.sockets > 1:
        text = "several sockets: page placement decides, and one socket alone is often best"
        cautions.append(Caution("numa", text, "bind to one socket, or interleave and measure"))
    if request.triad_gbps and request.channels and request.mts:
        share = request.triad_gbps / (request.channels * request.mts * 8 / 1000)
        if not 0.3 <= share <= 1.0:
            text = f"the triad is {share:.0%} of channels x MT/s x 8"
            cautions.append(Caution("triad-odd", text, "check channels, MT/s and the figure"))
    return cautions


def _half_filled(request: Request, cpu: dict[str, Any] | None) -> list[Caution]:
    """Warn where half of the processor's memory channels or more stand empty."""
    if cpu is None or not cpu["channels"] or request.channels is None:
        return []
    total = cpu["channels"] * request.sockets
    if request.channels * 2 > total:
        return []
    text = f"{request.channels} of {total} memory channels filled: half the bandwidth is missing"
    return [Caution("half-filled", text, "fill the channels before anything else")]

"""`CONFIG FINGERPRINT` and `SYSTEM RAM` of the bench: the launch as the process shows it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ingest.readers.argv import drafter_kind, placement, split
from ingest.readers.item import Clue, Doubt, Fact, Item
from ingest.readers.names import find_engine
from ingest.readers.pattern import pattern, scan
from ingest.readers.report.block import Block

_KEYS = ("model", "offload", "threads", "ubatch", "kv", "ngl", "split")
_NEXT_KEY = re.compile(rf" (?=(?:{'|'.join(_KEYS)})=)")


def _argv(found: re.Match[str], line: int) -> Iterable[Item]:
    """Read `key=value` words; a value may hold anything but a blank and the next key."""
    words = dict(word.partition("=")[::2] for word in _NEXT_KEY.split(found[1]))
    if "model" in words:
        yield Clue("model_path", words["model"], line)
    for key in ("threads", "ubatch"):
        if words.get(key, "").isdecimal() and int(words[key]):
            yield Fact(f"launch.{key}", int(words[key]), line, rank=1)
    if "kv" in words:
        yield Fact("launch.kv", words["kv"], line, rank=1)
    yield from placement(words.get("offload", ""), line, rank=1)
    yield from split(words.get("split", ""), line, rank=1)


_UNSET = "<unset>"
CACHE_OFF = ("0", "off", "none", "false")


def _cache(found: re.Match[str], line: int) -> Iterable[Item]:
    """Read the cache settings; `<unset>` in the environment means unreadable as often as unset."""
    fields = dict(word.partition("=")[::2] for word in found[1].split())
    cap = fields.get("moe_cache_cap", _UNSET)
    if cap.casefold() in CACHE_OFF:
        yield Fact("launch.expert_cache", {"kind": "none"}, line, rank=1)
        return
    if cap == _UNSET:
        yield Clue("cache_cap_unset", "yes", line)
        return
    yield Fact("launch.expert_cache.note", f"moe_cache_cap={cap}"[:200], line)
    reserve = fields.get("RESERVE_MB", _UNSET)
    if reserve.isdecimal():
        yield Fact("launch.expert_cache.reserve_mib", int(reserve), line)


def _kv(found: re.Match[str], line: int) -> Iterable[Item]:
    default = "engine default" in found[2]
    yield Fact("launch.kv", found[1], line, rank=2, how="inferred" if default else "reported")


def _swap(found: re.Match[str], line: int) -> Iterable[Item]:
    if found[1] == "FAIL":
        yield Doubt(line, "pages of the serving process were swapped out")
        what = "pages of the serving process were swapped out"
        yield Fact("anomalies", [{"what": what, "quantities": ["decode", "wall"]}], line)


_PINS = re.compile(r"OT_G[0-9]{1,2}=blk ([0-9]{1,4})-([0-9]{1,4})", re.ASCII)


def _told_pins(found: re.Match[str], line: int) -> Iterable[Item]:
    """Read `OT_G0=blk 0-7`: the launcher's setting of the layers that stay on a card, in words."""
    for first, last in _PINS.findall(found[1]):
        yield Clue("pinned", f"{first}-{last}", line)


FINGERPRINT = (
    pattern(r" *endpoint +: "),
    pattern(r" *model +: (\S{1,200})", lambda found, line: [Clue("served_id", found[1], line)]),
    pattern(r" *serving pid +: "),
    pattern(r" *log source +: "),
    pattern(
        r" *served ctx +: ([0-9]{1,9})\b",
        lambda found, line: [Fact("launch.ctx", int(found[1]), line)] if int(found[1]) else [],
    ),
    pattern(r" *weights ftype +: (.{1,80})", lambda found, line: [Clue("ftype", found[1], line)]),
    pattern(
        r" *drafter +: (\S{1,60})",
        lambda found, line: (
            [Fact("launch.drafter.kind", drafter_kind(found[1]), line, rank=1)]
            if found[1] not in ("none", "off", "unknown")
            else []
        ),
    ),
    pattern(r" *KV cache type +: ([a-z0-9_]{2,12}) \((.{1,100})", _kv),
    pattern(r" *KV cache type +: "),
    pattern(r" *serving argv +: (.{1,4000})", _argv),
    pattern(r" *moe-cache cfg +: (.{1,400})", _cache),
    pattern(
        r" *CPU offload +: DETECTED",
        lambda _, line: [Fact("launch.offload.kind", "experts", line, rank=2, how="inferred")],
    ),
    pattern(r" *CPU offload +: "),
    pattern(r" *swap check +: ([A-Z]{2,10})", _swap),
    pattern(r"(OT_G[0-9]{1,2}=blk [0-9]{1,4}.{0,200})", _told_pins),
)

AUTODETECT = (
    pattern(
        r"\[autodetect\] using running container=(\S{1,120}?)(?: url=|$)",
        lambda found, line: [Clue("autodetected", found[1], line)],
    ),
    pattern(
        r"\[autodetect\] served model='([^']{1,200})'",
        lambda found, line: [Clue("served_id", found[1], line)],
    ),
    pattern(r"\[autodetect\] "),
)

_WORD = re.compile(r"[a-z]{3,20}")


def _soak_head(model: str, container: str, line: int) -> Iterator[Item]:
    """A container with no word of an engine or of the model is not what served the model."""
    yield Clue("autodetected", container, line)
    words = _WORD.findall(container.casefold())
    if find_engine(container) or any(word in model.casefold() for word in words):
        yield Clue("served_id", model, line)
    else:
        yield Doubt(line, f"{container} serves no model: the name {model} is not taken")


# `model=…  container=…  engine=…` opens the stages; the soak prints the same in brackets.
STAGE_HEAD = (
    pattern(
        r"  model=(\S{1,200})  container=(\S{0,120})  engine=(\S{0,40})",
        lambda found, line: [
            Clue("served_id", found[1], line),
            *([Clue("autodetected", found[2], line)] if found[2] else []),
            *([Clue("engine_kind", found[3], line)] if found[3] else []),
        ],
    ),
    pattern(
        r"\[soak\] running soak test against \S{1,200}"
        r" \(model=([^,]{1,200}), container=([^)]{1,120})",
        lambda found, line: _soak_head(found[1], found[2], line),
    ),
)


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read the fingerprint wherever its lines stand: pastes often start inside it."""
    for block in blocks:
        if block.name == "[autodetect]":
            yield from scan(block.lines, AUTODETECT)
        elif block.name == "[soak]" or block.section.startswith("verify-"):
            yield from scan(block.lines, STAGE_HEAD)
        elif block.section in ("bench.sh output", "") or block.name.startswith("config fing"):
            yield from scan(block.lines, FINGERPRINT)

"""`## Active container`, its boot log and resolved configuration: what was served, and how."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ingest.readers.argv import facts_of
from ingest.readers.boot import BOOT
from ingest.readers.item import Clue, Doubt, Fact, Item, Seen
from ingest.readers.pattern import Bullet, bullets, pattern, said_nothing, scan
from ingest.readers.report.block import Block
from ingest.readers.text import Line


def clue(kind: str) -> Bullet:
    """Read a bullet whose backquoted value is a clue to what was served."""

    def read(value: str, line: int) -> Iterable[Item]:
        name = value.strip("` ").partition("`")[0].partition(" (state:")[0].strip()
        if name and not name.startswith(("_", "(")):
            yield Clue(kind, name, line)

    return read


ACTIVE = {
    "name": clue("container"),
    "container": clue("container"),
    "engine": clue("engine_kind"),
    "status": said_nothing,
    "ports": said_nothing,
    "image": clue("image"),
    "image digest": said_nothing,
    "build tag (oci version)": clue("build_tag"),
    "upstream commit (oci revision)": clue("commit"),
    "upstream source": said_nothing,
    "vllm": clue("vllm_version"),
    "pytorch": said_nothing,
    "slug": clue("slug"),
    "matched by": said_nothing,
    "engine image": said_nothing,
    "entrypoint": said_nothing,
}


def _differs(found: re.Match[str], line: int) -> Iterable[Item]:
    if found[2].startswith("flag"):
        yield Clue("flags_differ", found[1], line)
    yield Doubt(line, f"{found[1]} {found[2]}(s) differ from the shipped recipe", "note")


def _stock(_: re.Match[str], line: int) -> Iterable[Item]:
    yield Clue("stock", "yes", line)


RESOLVED = (
    pattern(
        r" {0,3}- [^0-9]{0,8}([0-9]{1,3}) (flag|env knob|further launch-script line)\(s\)", _differs
    ),
    pattern(r" {0,3}- \S{0,3} ?\**Stock recipe", _stock),
    pattern(
        r" {0,3}- [^A-Za-z]{0,8}Unrecognised", lambda _, line: [Clue("unrecognised", "yes", line)]
    ),
)


_ENV = re.compile(r"([A-Z][A-Z0-9_]{2,60})=(\S{1,200})$", re.ASCII)
ENV = {
    "GGML_CUDA_MOE_CACHE_RESERVE_MB": "launch.expert_cache.reserve_mib",
    "THREADS": "launch.threads",
    "SPEC_N": "launch.drafter.depth",
}


def _command(lines: Sequence[Line]) -> Iterator[Item]:
    """Read the container's command: words of the lines between `Cmd` and the next bullet."""
    words: list[str] = []
    first, inside = 0, False
    for line in lines:
        text = line.text.strip()
        if text.startswith("- "):
            inside = text.startswith(("- **Cmd", "- Cmd", "- **Launch flags", "- Launch flags"))
            first = first or (line.number if inside else 0)
        elif inside and text and not text.startswith("`"):
            yield Seen(line.number)
            words += text.split()
        elif not inside:
            env = _ENV.match(text)
            if env and env[1] in ENV and env[2].isdecimal():
                yield Seen(line.number)
                yield Fact(ENV[env[1]], int(env[2]), line.number)
    if words:
        yield Fact("launch.argv", words, first)
        yield from facts_of(words, first)


SKIPPED = ("recent failed boot attempts",)


def read(blocks: Sequence[Block]) -> Iterator[Item]:
    """Read the container, the resolved configuration, and boot lines wherever they stand."""
    for block in blocks:
        if block.section in SKIPPED or block.name.startswith(("[", "capture")):
            continue
        if block.section in (
            "active container",
            "engine configuration (resolved)",
            "gpu hardware",
            "",
        ):
            yield from bullets(block.lines, ACTIVE)
        if block.section.startswith("engine configuration"):
            yield from scan(block.lines, RESOLVED)
        if block.name.startswith("container config"):
            yield from _command(block.lines)
        yield from scan(block.lines, BOOT)

"""A pasted command line of one of llama.cpp's programs → facts on the launch."""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from ingest.readers.argv import facts_of
from ingest.readers.item import Fact, Item, Seen
from ingest.readers.text import Line

_PROGRAM = re.compile(r"(?:^|[\s/$`])(llama-[a-z-]{2,20})(?:\.exe)? +-", re.ASCII)


_MODEL = re.compile(r" (?:-m|--model|-hf|--hf-repo)[ =]|\\ ?\\?$")


def command_facts(lines: Iterable[Line], programs: Sequence[str]) -> Iterator[Item]:
    """Read a pasted command line of one of `programs`, continued lines and all."""
    command, first = "", 0
    for line in lines:
        text = line.text.strip().strip("`")
        if not command and not _starts(text, programs):
            continue
        first = first or line.number
        yield Seen(line.number)
        command += " " + text.removesuffix("\\")
        if text.endswith("\\") and len(command) < 8_000:
            continue
        found = _PROGRAM.search(command[:400])
        words = _words(command[found.start(1) :] if found else command)
        yield Fact("launch.argv", words, first, rank=3)
        yield from facts_of(words, first, rank=3)
        command, first = "", 0


def _starts(text: str, programs: Sequence[str]) -> bool:
    found = _PROGRAM.search(text[:300])
    return bool(found and found[1] in programs and _MODEL.search(text + " "))


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)[:400]
    except ValueError:
        return command.split()[:400]

"""Scores of quality packs: the live lines, the results table, the total."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ingest.readers.item import Fact, Item, Seen
from ingest.readers.part import Part
from ingest.readers.text import Line

FORMAT = "quality-pack"
MAX_SCORES = 100
"""Thirteen packs are known; a thread repeats them a few times."""

_PACK = re.compile(
    r"\|? *\**([a-z][a-z0-9+-]{2,40}|TOTAL)\**(?: \(v([0-9.]{1,12})\))? *\|"
    r" *(?:pass@1 +)?\**([0-9]{1,4}) */ *([0-9]{1,4})\**(?: *\(([0-9]{1,3})%\)| *\|)",
    re.ASCII,
)
_KNOWN = frozenset(
    {
        *("toolcall-15", "instructfollow-15", "structoutput-15", "dataextract-15"),
        *("reasonmath-15", "bugfind-15", "hermesagent-20", "cli-40", "aider-polyglot-30"),
        *("gpqa-diamond", "gsm-symbolic-30", "humaneval-plus-30", "lcb-v6-30", "TOTAL"),
    }
)
_THINKING = re.compile(
    r"(?:#+ *Quality bench, thinking|\[quality-test\] thinking:) ?(on|off|enabled|disabled)\b",
    re.IGNORECASE,
)
_QUIET = re.compile(r" *\[[0-9]{1,3}/[0-9]{1,3}\] [A-Z]|Equivalent to: |\[runner\] ", re.ASCII)
_STATUS = re.compile(r"\| *(skipped|stubbed)\b")


def _mode(line: Line) -> bool | None:
    found = _THINKING.match(line.text)
    return found[1].casefold() in ("on", "enabled") if found else None


def _only_mode(lines: Iterable[Line]) -> bool | None:
    """Take the mode that is told somewhere, where no other is: it holds for what stands above."""
    modes = {mode for line in lines if (mode := _mode(line)) is not None}
    return modes.pop() if len(modes) == 1 else None


def quality_items(lines: Iterable[Line]) -> Iterator[Item]:
    """Read each pack's score as passed of total, with the thinking mode that holds there."""
    lines = list(lines)
    thinking = _only_mode(lines)
    count = skipped = 0
    for line in lines:
        mode = _mode(line)
        if mode is not None or _QUIET.match(line.text):
            thinking = thinking if mode is None else mode
            yield Seen(line.number)
        found = _PACK.match(line.text) if "/" in line.text else None
        if not found or found[1] not in _KNOWN or not int(found[4]) or count >= MAX_SCORES:
            continue
        yield Seen(line.number)
        if _STATUS.search(line.text[:400]):
            skipped += 1
            continue
        total = found[1] == "TOTAL"
        score: dict[str, Any] = {
            "pack": "total" if total else found[1],
            "passed": int(found[3]),
            "total": int(found[4]),
        }
        more = {
            "version": found[2],
            "thinking": thinking,
            "skipped": (skipped or None) if total else None,
        }
        score |= {key: value for key, value in more.items() if value is not None}
        yield Fact(f"quality.{count}", score, line.number)
        count += 1
        skipped = 0 if total else skipped


def fits(lines: Sequence[Line]) -> bool:
    """Tell whether some line is a pack's score."""
    return any(isinstance(item, Fact) for item in quality_items(lines))


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read the scores of one post."""
    items = tuple(quality_items(lines))
    yield Part(FORMAT, lines[0].number, lines[-1].number, (), (items,))

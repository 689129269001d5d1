"""Take out of a text what names a person, a host or a key, and keep every line where it is.

Each rule is a pattern with one group to replace; everything outside the group stays. Ordinary words
are safe: a user name found in a home path is replaced elsewhere only where it stands as a path
segment, or as a word of its own that no report would use.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ingest.redact_rules import HOST_RULES, RULES, USER_RULES, Rule, keeps_its_word


class Redaction(NamedTuple):
    """One thing taken out: what it was and the line, counted from 1."""

    kind: str
    line: int


class Redacted(NamedTuple):
    """The text without what was taken out, and what that was, by line."""

    text: str
    taken: tuple[Redaction, ...]


def redact(text: str) -> Redacted:
    """Redact `text`; doing it twice changes nothing more."""
    taken: list[Redaction] = []
    names: dict[str, set[str]] = {"user": set(), "host": set()}
    for rule in (*USER_RULES, *HOST_RULES):
        text = _apply(text, rule, taken, names[rule.kind].add)
    for kind, found in names.items():
        for rule in _elsewhere(kind, found):
            text = _apply(text, rule, taken)
    for rule in RULES:
        text = _apply(text, rule, taken)
    return Redacted(text, tuple(sorted(taken, key=lambda one: (one.line, one.kind))))


MAX_NAMES = 50
"""More user or host names than a thread has writers; the rest are redacted only where found."""


def _elsewhere(kind: str, names: set[str]) -> Iterator[Rule]:
    """Rules for the other places where a name that was found may stand."""
    for name in sorted(names)[:MAX_NAMES]:
        word = re.escape(name)
        ends = r"(?![A-Za-z0-9_.-])"
        free = keeps_its_word(name)
        before = r"(?<=[/\\])" if free else r"(?<![A-Za-z0-9_.-])"
        yield Rule(kind, f"<{kind.upper()}>", (name,), re.compile(f"{before}({word}){ends}"))


def _apply(
    text: str,
    rule: Rule,
    taken: list[Redaction],
    learn: Callable[[str], None] | None = None,
) -> str:
    pieces: list[str] = []
    starts: list[int] = []
    done = 0
    for found in _matches(text, rule):
        secret = found[1]
        if secret.startswith("<") or not rule.holds(secret):
            continue
        if learn:
            learn(secret)
        starts.append(found.start(1))
        pieces += [text[done : found.start(1)], _same_lines(rule.tag, secret)]
        done = found.end(1)
    if not starts:
        return text
    breaks = [at.start() for at in re.finditer("\n", text)]
    taken += [Redaction(rule.kind, bisect_right(breaks, at) + 1) for at in starts]
    return "".join([*pieces, text[done:]])


def _same_lines(tag: str, secret: str) -> str:
    return tag + "\n" * secret.count("\n")


def _matches(text: str, rule: Rule) -> Iterator[re.Match[str]]:
    """Match `rule` in the lines that hold one of its guards, in order."""
    if rule.spans_lines:
        if rule.guards[0] in text:
            yield from rule.regex.finditer(text)
        return
    for start, end in _guarded_lines(text, rule.guards):
        yield from rule.regex.finditer(text, start, end)


def _guarded_lines(text: str, guards: tuple[str, ...]) -> list[tuple[int, int]]:
    spans: set[tuple[int, int]] = set()
    for guard in guards:
        at = text.find(guard)
        while at >= 0:
            start = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            spans.add((start, end))
            at = text.find(guard, end)
    return sorted(spans)

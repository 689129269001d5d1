"""Cut a text into posts and each post into stretches: form fields, comments, reports.

A report may lie in any field of the issue form, in several comments, or several times in one.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.readers.report.block import HEADER
from ingest.readers.text import Line


class Post(NamedTuple):
    """One body or comment. `author` is None where the text does not say who wrote it."""

    author: str | None
    lines: tuple[Line, ...]
    other_author: bool = False


MAX_POSTS = 200
"""The longest threads have some dozens of comments; the lines behind belong to the last one."""

_COMMENT = re.compile(
    r"-{3,6} comment(?: (?:by|from) (@?[A-Za-z0-9-]{1,39}|another user))?"
    r"(?: at [0-9TZ:.-]{8,30})? ?-{3,6}$",
    re.IGNORECASE,
)
_GITHUB = re.compile(r"(?:\*\*)?@?([A-Za-z0-9-]{1,39})(?:\*\*)? commented on [A-Z][a-z]{2} [0-9]")


def posts_of(lines: Sequence[Line]) -> tuple[Post, ...]:
    """Cut at comment separators."""
    posts: list[Post] = []
    current: list[Line] = []
    author: str | None = None
    other = False
    for line in lines:
        found = _COMMENT.match(line.text) or _GITHUB.match(line.text)
        if found and len(posts) < MAX_POSTS:
            posts.append(Post(author, tuple(current), other))
            current = []
            name = found[1]
            other = name == "another user"
            author = None if other or name is None else name.lstrip("@")
        current.append(line)
    posts.append(Post(author, tuple(current), other))
    return tuple(post for post in posts if any(line.text.strip() for line in post.lines))


FORM_FIELDS = (
    "### Rig + bench report",
    "### Rig report",
    "### Soak-continuous verdict",
    "### Soak-continuous summary excerpt",
    "### Notes (optional)",
    "### What happened?",
    "### Steps to reproduce",
    "### Anything else?",
)


MAX_STRETCHES = 40
"""A post with more form fields and reports than this is not one that a person wrote."""


class Stretch(NamedTuple):
    """Lines that belong together: a report from its header on, or what stands outside of one."""

    lines: tuple[Line, ...]
    field: str | None


def stretches(post: Post) -> Iterator[Stretch]:
    """Cut a post at form headings and at each report's first line."""
    current: list[Line] = []
    field: str | None = None
    count = 0
    for line in post.lines:
        text = line.text.lstrip()
        heading = text.startswith(FORM_FIELDS)
        if (heading or text.startswith(HEADER)) and count < MAX_STRETCHES:
            if any(line.text.strip() for line in current):
                yield Stretch(tuple(current), field)
            current = []
            count += 1
            field = text if heading else field
        current.append(line)
    if any(line.text.strip() for line in current):
        yield Stretch(tuple(current), field)

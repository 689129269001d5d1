"""What came of a text: bundles with their own raw text, and everything a person should look at."""

from typing import NamedTuple

from ingest.bundle import Bundle
from ingest.problem import Problem
from ingest.redact import Redaction


class Unread(NamedTuple):
    """A line with figures that no reader understood."""

    line: int
    text: str


class Inferred(NamedTuple):
    """A place of a bundle that the text does not state itself, and why it is filled."""

    pointer: str
    note: str | None


class Understood(NamedTuple):
    """One bundle, the format of what it was read from, its raw text, and what was inferred.

    `text` is the redacted text with the lines of other bundles left blank, so that line numbers
    hold in it and in the whole.
    """

    format: str
    bundle: Bundle
    text: str
    inferred: tuple[Inferred, ...]


class Reading(NamedTuple):
    """The whole answer to one text."""

    text: str
    understood: tuple[Understood, ...]
    unread: tuple[Unread, ...]
    redacted: tuple[Redaction, ...]
    problems: tuple[Problem, ...]

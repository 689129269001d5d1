"""The requests of a run as its journal has them, and which protocol they held to."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from capture.protocol import CANONICAL, MEASURED, OWN, QUICK, USABLE_SHARE, WARM_UPS
from capture.reply import Reply
from capture.runner import reply_of


class Answered(NamedTuple):
    """One request of the journal: its line (from 1), its place, and its answer."""

    line: int
    stage: str
    workload: str
    phase: str
    number: int
    nominal_tokens: int | None
    max_tokens: int
    reply: Reply | None


class Terms(NamedTuple):
    """What decides which protocol a run held to."""

    quick: bool
    strict: bool
    room: int
    thinking: bool


def answers(lines: Sequence[dict[str, Any]], run: str) -> list[Answered]:
    """List the last answer to each request of `run`, in order of the journal."""
    found: dict[tuple[Any, ...], Answered] = {}
    for number, line in enumerate(lines, start=1):
        if line["kind"] == "request" and line["run"] == run:
            key = (line["stage"], line["workload"], line["phase"], line["number"])
            found[key] = Answered(
                number, *key, line["nominal_tokens"], line["max_tokens"],
                reply_of(line) if "reply" in line else None,
            )  # fmt: skip
    return list(found.values())


def usable(one: Answered) -> bool:
    """Tell whether a run is long enough to say something about decoding."""
    return one.reply is not None and one.reply.tokens >= USABLE_SHARE * one.max_tokens


def bench_protocol(shape: Sequence[Answered], terms: Terms) -> str:
    """Name the protocol that a shape's runs held to, to the letter."""
    measured = [one for one in shape if one.phase == "measured" and one.reply]
    warm = [one for one in shape if one.phase == "warm-up" and one.reply]
    if terms.quick:
        return QUICK
    exact = (
        not terms.strict
        and not terms.thinking
        and terms.room == 0
        and len(measured) == MEASURED
        and len(warm) >= WARM_UPS
        and all(usable(one) and one.reply and one.reply.decode_tokens_per_s for one in measured)
        and not any(one.reply and (one.reply.thought or not one.reply.tokens_told) for one in shape)
    )
    return CANONICAL if exact else OWN


CACHED_SHARE = 0.05
"""A prefill of which more came from a cache measures the cache."""


def is_fresh(reply: Reply) -> bool:
    """Tell whether a prompt was read and not found in a cache, as far as the server says."""
    return (reply.timings.cached_tokens or 0) <= CACHED_SHARE * (reply.prompt_tokens or 1)

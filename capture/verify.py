"""Functional checks: does the server answer, count, stop, take a long prompt, and not think?"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from capture.prefill import haystack
from capture.protocol import ARGMAX, chat_body
from capture.reply import Reply
from capture.step import Ask, Stage, Step, Steps

SHORT, LONG = 64, 256


class Check(NamedTuple):
    """One check: what is asked, how long the answer may be, and what must hold of it."""

    name: str
    prompt: str
    max_tokens: int
    holds: Callable[[Reply], bool]


def checks() -> tuple[Check, ...]:
    """List the checks; the answer's text is never kept, only what holds of it."""
    long = f"{haystack(800)}\n\nWhich word came first?"
    return (
        Check("answers", "Say hello.", SHORT, lambda reply: reply.answered),
        Check("counts its tokens", "Count from 1 to 20.", LONG, lambda reply: reply.tokens_told),
        Check("stops at the limit", "Write a long story.", SHORT,
              lambda reply: reply.tokens <= SHORT + 1),
        Check("takes a long prompt", long, SHORT,
              lambda reply: (reply.prompt_tokens or 0) > SHORT),
        Check("thinks only when asked", "What is 2 + 2?", LONG, lambda reply: not reply.thought),
    )  # fmt: skip


def verify_stage(ask: Ask) -> Stage:
    """Make the stage of all checks."""
    return Stage("verify", "other", len(checks()), partial(_steps, ask))


def _steps(ask: Ask) -> Steps:
    for index, check in enumerate(checks(), start=1):
        messages = [{"role": "user", "content": check.prompt}]
        body = chat_body(ask.model, messages, check.max_tokens, ARGMAX)
        yield Step("verify", "other", "measured", index, body)


def passed(replies: dict[int, Reply]) -> tuple[list[str], list[str]]:
    """Sort the checks into those that hold and those that do not, by the index of their step."""
    held: list[str] = []
    failed: list[str] = []
    for index, check in enumerate(checks(), start=1):
        reply = replies.get(index)
        (held if reply and check.holds(reply) else failed).append(check.name)
    return held, failed

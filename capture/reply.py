"""One answer of a server: what was asked, what came when, and the rates that follow from it."""

import json
import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from capture.protocol import LEAST_WINDOW, MOST_DECODE

FaultKind = Literal[
    "unreachable", "status", "content-type", "slow-start", "stall", "too-slow", "reset", "cut",
    "garbled", "error", "empty", "flood",
]  # fmt: skip


class Fault(NamedTuple):
    """Why a request has no usable answer. The message may hold the server's own words, cut."""

    kind: FaultKind
    message: str


class Timings(NamedTuple):
    """The server's own account of a request; None where it gives none."""

    decode_tokens_per_s: float | None = None
    prefill_tokens_per_s: float | None = None
    cached_tokens: int | None = None
    drafted: int | None = None
    accepted: int | None = None


class Reply(NamedTuple):
    """One whole answer. Times are of a clock that never jumps."""

    wall_s: float
    ttft_s: float
    tokens: int
    tokens_told: bool
    prompt_tokens: int | None
    thought: bool
    answered: bool
    finish: str | None
    timings: Timings

    @property
    def window_s(self) -> float:
        """Tell the time in which tokens came."""
        return self.wall_s - self.ttft_s

    @property
    def decode_tokens_per_s(self) -> float | None:
        """Rate after the first token; None where the window is too short to measure one."""
        if self.window_s <= LEAST_WINDOW * self.wall_s or not self.tokens:
            return None
        rate = self.tokens / self.window_s
        return rate if rate <= MOST_DECODE else None

    @property
    def wall_tokens_per_s(self) -> float:
        """Rate over the whole request."""
        return self.tokens / self.wall_s

    @property
    def prefill_tokens_per_s(self) -> float | None:
        """Prompt tokens over the time to the first token; None where the server does not count."""
        return self.prompt_tokens / self.ttft_s if self.prompt_tokens and self.ttft_s else None


MAX_WORDS = 300
"""Characters of a server's own error that are kept."""


class Stream:
    """Put a stream's events together; `clock` is monotonic."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._start = clock()
        self._first: float | None = None
        self._last = self._start
        self._pieces = 0
        self._thought = self._answered = False
        self._finish: str | None = None
        self._usage: dict[str, Any] = {}
        self._timings: dict[str, Any] = {}
        self.done = False

    @property
    def started(self) -> bool:
        """Tell whether a token has come."""
        return self._first is not None

    def take(self, data: str) -> Fault | None:
        """Take in one event; a fault if it is an error or no JSON object."""
        if data.strip() == "[DONE]":
            self.done = True
            return None
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            return Fault("garbled", f"an event is not JSON: {data[:MAX_WORDS]!r}")
        if not isinstance(event, dict):
            return Fault("garbled", f"an event is not an object: {data[:MAX_WORDS]!r}")
        if event.get("error"):
            return Fault("error", f"the server answered {str(event['error'])[:MAX_WORDS]!r}")
        self._usage = _mapping(event.get("usage")) or self._usage
        self._timings = _mapping(event.get("timings")) or self._timings
        choices = event.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._choice(choices[0])
        return None

    def _choice(self, choice: dict[str, Any]) -> None:
        delta = _mapping(choice.get("delta")) or choice
        content = delta.get("content") or delta.get("text")
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        calls = delta.get("tool_calls")
        if content or thought or calls:
            self._last = self._clock()
            self._first = self._first or self._last
            self._pieces += 1
        self._thought |= bool(thought)
        self._answered |= bool(content or calls)
        if isinstance(choice.get("finish_reason"), str):
            self._finish = choice["finish_reason"][:40]

    def reply(self) -> Reply | Fault:
        """Close the stream: the answer, or that nothing came."""
        counted = _count(self._usage.get("completion_tokens"))
        counted = counted if counted is not None else _count(self._timings.get("predicted_n"))
        if not self.done and self._finish is None:
            return Fault("cut", f"the answer ended after {self._pieces} pieces without a reason")
        if self._first is None:
            return Fault("empty", f"the answer has no text; {counted or 0} tokens were counted")
        return Reply(
            wall_s=self._clock() - self._start,
            ttft_s=self._first - self._start,
            tokens=self._pieces if counted is None else counted,
            tokens_told=counted is not None,
            prompt_tokens=self._prompt_tokens(),
            thought=self._thought,
            answered=self._answered,
            finish=self._finish,
            timings=timings_of(self._timings, self._usage),
        )

    def _prompt_tokens(self) -> int | None:
        told = _count(self._usage.get("prompt_tokens"))
        if told is not None:
            return told
        read = _count(self._timings.get("prompt_n"))
        return None if read is None else read + (_count(self._timings.get("cache_n")) or 0)


def timings_of(timings: dict[str, Any], usage: dict[str, Any]) -> Timings:
    """Read llama-server's `timings`, and the cached tokens of an OpenAI `usage`."""
    details = _mapping(usage.get("prompt_tokens_details")) or {}
    cached = _count(timings.get("cache_n"))
    predicted = _count(timings.get("predicted_n")) or 0
    return Timings(
        # With one token the server's own rate is 0, which is no rate.
        decode_tokens_per_s=_rate(timings.get("predicted_per_second")) if predicted > 1 else None,
        prefill_tokens_per_s=_rate(timings.get("prompt_per_second")),
        cached_tokens=cached if cached is not None else _count(details.get("cached_tokens")),
        drafted=_count(timings.get("draft_n")),
        accepted=_count(timings.get("draft_n_accepted")),
    )


def _mapping(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


MOST_TOKENS = 100_000_000


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


MOST_TOKENS_PER_S = 1_000_000
"""A server whose clock jumped divides by nothing, or by less: such a rate is none."""


def _rate(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0 < value < MOST_TOKENS_PER_S else None

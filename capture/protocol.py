"""The canonical protocol, to the letter: prompts, sampling, runs, and the greedy one beside it.

Source: club-3090 `scripts/bench.sh` (2026-08): two fixed prompts of 65 and 78 characters, three
warm-ups and five measured runs each, temperature 0.6, top_p 0.95, top_k 20, min_p 0, thinking off,
one stream, through the chat endpoint. Numbers are comparable only where all of that is equal.
"""

from typing import Any, NamedTuple


class Shape(NamedTuple):
    """One prompt, and the most tokens that its answer may have."""

    workload: str
    prompt: str
    max_tokens: int


NARRATIVE = Shape(
    "narrative", "Write a detailed 800-word essay explaining transformer attention.", 1000
)
CODE = Shape(
    "code",
    "Write a Python implementation of quicksort with comments explaining each step.",
    800,
)
SHAPES = (NARRATIVE, CODE)

WARM_UPS, MEASURED = 3, 5

QUICK_TOKENS = 200
"""Four answers of 200 tokens take under two minutes from 8 tokens/s on, as offloaded rigs give."""

CANONICAL, OWN, QUICK, GREEDY = (
    "club-canonical",
    "rigbook-bench",
    "rigbook-quick",
    "greedy-completion",
)
"""Ids in `protocols.toml`. `rigbook-bench` is the canonical run with something known to differ."""
PREFILL, DEPTH, AGENTIC, SOAK, VERIFY, BESIDE = (
    "rigbook-prefill",
    "rigbook-depth",
    "rigbook-agentic",
    "rigbook-soak",
    "rigbook-verify",
    "rigbook-capture",
)
"""The stages whose texts are this project's own, and what was read beside the runs."""

SAMPLED: dict[str, float] = {"temperature": 0.6, "top_p": 0.95, "top_k": 20, "min_p": 0.0}
ARGMAX: dict[str, float] = {"temperature": 0.0, "top_k": 1}

LEAST_WINDOW = 0.05
"""Below 5 % of the wall time a decode window measures the last packet, not decoding."""

MOST_DECODE = 5000.0
"""tokens/s, as `quantities.toml` has it: more is a first token that came late, and no decoding."""

USABLE_SHARE = 0.25
"""A run that ends below a quarter of its tokens is short, and does not count as usable."""

PREFILL_DEPTHS = ((10_000, 3), (90_000, 1))
"""Nominal tokens and measured runs: the deep one costs minutes a run and varies by 2 %."""

DEPTH_TOKENS = 128
"""Tokens generated after a long prompt: decoding at depth, almost for free."""


def thinking_words(*, thinking: bool) -> dict[str, Any]:
    """Ask for thinking on or off in the two spellings that chat templates read.

    A template that knows neither ignores both: the reply tells whether it thought.
    """
    return {"chat_template_kwargs": {"enable_thinking": thinking, "thinking": thinking}}


def chat_body(
    model: str,
    messages: list[dict[str, Any]],
    max_tokens: int,
    sampling: dict[str, float],
    *,
    thinking: bool = False,
) -> dict[str, Any]:
    """Write the body of one streamed chat request."""
    return {
        "model": model,
        "messages": messages,
        "max_tokens": max_tokens,
        **sampling,
        **thinking_words(thinking=thinking),
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def plain(body: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the OpenAI interface does not know: strict servers refuse the rest."""
    extra = ("top_k", "min_p", "chat_template_kwargs")
    return {name: value for name, value in body.items() if name not in extra}

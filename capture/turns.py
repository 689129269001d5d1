"""Stages of many turns: an agent's growing context, and a soak of mixed turns.

The turns before are texts of our own, not the server's answers: what a server says never goes back
into a request, and a session can be asked again as it was.
"""

from functools import partial
from typing import Any

from capture.prefill import haystack
from capture.protocol import chat_body
from capture.step import Ask, Stage, Step, Steps

AGENT_TURNS, AGENT_WORDS, AGENT_TOKENS = 12, 1200, 256
"""Twelve turns that each add a tool result of some 1,700 tokens: about 20,000 at the end."""
SOAK_SESSIONS, SOAK_TURNS, SOAK_TOKENS = 5, 5, 400

AGENT_NEEDS, SOAK_NEEDS = 24_000, 4_000
"""Context that the last turn fills, with room: words of ours are 1.4 to 1.6 tokens."""

SYSTEM = "You are a coding agent. Answer with the next step and its reason."
TASKS = (
    "List what this listing suggests about the project.",
    "Write a Python function that parses one line of the output above.",
    "Explain in two paragraphs what could have gone wrong.",
    "Give a JSON object with the keys summary, risk and next.",
    "Write a short plan of five steps.",
)


def agentic_stage(ask: Ask) -> Stage:
    """Make the stage of one session whose context grows with each tool result."""
    return Stage("agentic", "agentic", AGENT_TURNS, partial(_agentic, ask))


def _agentic(ask: Ask) -> Steps:
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
    for index in range(1, AGENT_TURNS + 1):
        messages = [*messages, *_turn(index, AGENT_WORDS)]
        limit = AGENT_TOKENS + ask.room
        body = chat_body(ask.model, messages, limit, ask.sampling, thinking=ask.thinking)
        yield Step("agentic", "agentic", "measured", index, body)
        messages = [*messages, {"role": "assistant", "content": "Read it. Next, please."}]


def soak_stage(ask: Ask, sessions: int = SOAK_SESSIONS) -> Stage:
    """Make the stage of several short sessions, to see memory, empty answers and speed drift."""
    return Stage("soak", "mixed", sessions * SOAK_TURNS, partial(_soak, ask, sessions))


def _soak(ask: Ask, sessions: int) -> Steps:
    for session in range(sessions):
        messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
        for turn in range(1, SOAK_TURNS + 1):
            messages = [*messages, *_turn(turn, 100 * turn)]
            limit = SOAK_TOKENS + ask.room
            body = chat_body(ask.model, messages, limit, ask.sampling, thinking=ask.thinking)
            yield Step("soak", "mixed", "measured", session * SOAK_TURNS + turn, body)
            messages = [*messages, {"role": "assistant", "content": "Done. Next, please."}]


def _turn(index: int, words: int) -> list[dict[str, Any]]:
    task = TASKS[index % len(TASKS)]
    return [{"role": "user", "content": f"Output of the tool:\n{haystack(words)}\n\n{task}"}]

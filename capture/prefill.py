"""The prefill stages: a long text that no cache has seen, and some tokens after it."""

import random
import secrets
from functools import partial
from typing import Any

from capture.protocol import DEPTH_TOKENS, PREFILL_DEPTHS, chat_body
from capture.reply import Reply
from capture.step import Ask, Stage, Step, Steps

WORDS = """
    river stone garden window copper market silver forest bridge letter winter harbour candle
    meadow engine valley orchard lantern village mirror cotton island kitchen ladder pepper
    summer thunder velvet walnut anchor basket castle dragon eagle feather glacier hammer
    ivory jungle kettle lemon marble needle ocean pencil quarry ribbon saddle temple
""".split()  # noqa: SIM905 - a list of words reads best as words
QUESTION = "\n\nWrite at least two hundred words about the text above."

TOKENS_PER_WORD = 1.4
"""A first guess over common tokenizers; the warm-up measures the real one."""

HEADROOM_TOKENS = 512
"""For the chat template and the error of the guess, below the served context."""


def haystack(words: int) -> str:
    """Write a fresh text: its first words differ each time, so that no prefix is in a cache."""
    salt = secrets.token_hex(16)
    chosen = random.Random(salt).choices(WORDS, k=words)  # noqa: S311 - filler, no secret
    return f"{salt} {' '.join(chosen)}"


def prefill_stages(ask: Ask, ctx: int | None) -> tuple[list[Stage], list[str]]:
    """List one stage a depth that fits the served context, and why the others are left out."""
    stages, skipped = [], []
    for depth, measured in PREFILL_DEPTHS:
        needed = depth + DEPTH_TOKENS + HEADROOM_TOKENS
        if ctx is not None and needed > ctx:
            skipped.append(f"prefill at {depth:,} tokens: the served context is {ctx:,}")
            continue
        name = f"prefill-{depth // 1000}k"
        steps = partial(_steps, ask, depth, measured, name)
        stages.append(Stage(name, "long-context", 1 + measured, steps))
    return stages, skipped


def _steps(ask: Ask, depth: int, measured: int, name: str) -> Steps:
    step = Step(name, "long-context", "warm-up", 1, _body(ask, depth / TOKENS_PER_WORD), depth)
    answer = yield step
    ratio = TOKENS_PER_WORD
    if isinstance(answer, Reply) and answer.prompt_tokens:
        ratio *= answer.prompt_tokens / depth
    for number in range(1, measured + 1):
        yield step._replace(phase="measured", number=number, body=_body(ask, depth / ratio))


def _body(ask: Ask, words: float) -> dict[str, Any]:
    messages = [{"role": "user", "content": haystack(max(round(words), 1)) + QUESTION}]
    return chat_body(ask.model, messages, DEPTH_TOKENS, ask.sampling, thinking=ask.thinking)

"""The bench stages: the canonical prompts sampled, or greedy as a protocol of its own."""

from collections.abc import Iterator
from functools import partial

from capture.protocol import ARGMAX, QUICK_TOKENS, SHAPES, Shape, chat_body
from capture.step import Ask, Phase, Stage, Step, Steps


def quick_stages(ask: Ask) -> list[Stage]:
    """List the stages of a two-minute answer: each prompt twice, with short answers."""
    short = [shape._replace(max_tokens=QUICK_TOKENS) for shape in SHAPES]
    return [Stage("bench", shape.workload, 2, partial(_steps, ask, shape, (1, 1), "bench"))
            for shape in short]  # fmt: skip


def shape_stages(ask: Ask, warm_ups: int, measured: int, name: str = "bench") -> list[Stage]:
    """List one stage a prompt."""
    return [
        Stage(name, shape.workload, warm_ups + measured,
              partial(_steps, ask, shape, (warm_ups, measured), name))
        for shape in SHAPES
    ]  # fmt: skip


def greedy_stages(ask: Ask, measured: int) -> list[Stage]:
    """List the same prompts without chance: drafters are accepted far more often there."""
    return shape_stages(ask._replace(sampling=ARGMAX), 1, measured, "greedy")


def _steps(ask: Ask, shape: Shape, runs: tuple[int, int], name: str) -> Steps:
    messages = [{"role": "user", "content": shape.prompt}]
    limit = shape.max_tokens + ask.room
    body = chat_body(ask.model, messages, limit, ask.sampling, thinking=ask.thinking)
    for phase, index in _phases(*runs):
        yield Step(name, shape.workload, phase, index, body)


def _phases(warm_ups: int, measured: int) -> Iterator[tuple[Phase, int]]:
    yield from (("warm-up", index) for index in range(1, warm_ups + 1))
    yield from (("measured", index) for index in range(1, measured + 1))

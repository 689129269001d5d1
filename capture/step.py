"""One request of a stage, and stages as generators: they give steps and get answers."""

from collections.abc import Callable, Generator
from typing import Any, Literal, NamedTuple

from capture.reply import Fault, Reply

Phase = Literal["warm-up", "measured"]
Answer = Reply | Fault


class Step(NamedTuple):
    """One request: its place in the run, and its body."""

    stage: str
    workload: str
    phase: Phase
    number: int
    body: dict[str, Any]
    nominal_tokens: int | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Name the step within its run."""
        return self.stage, self.workload, self.phase, self.number


Steps = Generator[Step, Answer, None]


class Stage(NamedTuple):
    """A part of a bench: its name, its workload, how many steps it has, and the steps."""

    name: str
    workload: str
    size: int
    steps: Callable[[], Steps]


class Ask(NamedTuple):
    """What all requests of a run share."""

    model: str
    sampling: dict[str, float]
    thinking: bool = False
    room: int = 0
    """Tokens beyond the protocol's, so that a model that must think can still answer."""

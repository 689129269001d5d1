"""Run stages against a server: journal each answer, continue a cut run, stop with a reason."""

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from capture.client import Target, Timeouts, ask
from capture.endpoint import counters, drafting, is_alive
from capture.journal import Journal, Line
from capture.protocol import plain
from capture.reply import Fault, Reply, Timings
from capture.step import Answer, Stage, Step

FAULTS_IN_A_ROW = 2
"""A stage ends after two failed requests in a row: the third would only cost time."""


class Progress(NamedTuple):
    """How far a run is: the stage, its steps, and the seconds that are left of the run."""

    stage: str
    done: int
    size: int
    left_s: float | None


class Ended(NamedTuple):
    """How a stage ended: `reason` is None when it ran through."""

    stage: str
    workload: str
    reason: str | None
    alive: bool


Timed = Callable[[str], Timeouts]


class Runner:
    """One run of a bench against one server."""

    def __init__(
        self, target: Target, journal: Journal, timeouts: Timed,
        show: Callable[[Progress], None] = lambda _: None, run: str = "main",
        *, metrics: bool = False,
    ) -> None:  # fmt: skip
        self._target, self._journal, self._timeouts = target, journal, timeouts
        self._show, self._run, self._metrics = show, run, metrics
        self._strict = any(line["run"] == run for line in journal.of("strict"))

    def stages(self, stages: Iterable[Stage]) -> list[Ended]:
        """Run stages in order; where the server dies the rest are not begun."""
        ended: list[Ended] = []
        todo = list(stages)
        for index, stage in enumerate(todo):
            before = counters(self._target) if self._metrics else {}
            ended.append(self._stage(stage, todo[index + 1 :]))
            self._count(stage, before)
            outcome = ended[-1]._asdict()
            self._journal.write("stage", run=self._run, **outcome)
            if not ended[-1].alive:
                break
        return ended

    def _count(self, stage: Stage, before: dict[str, float]) -> None:
        """Write what the server's counters say of its drafter, over the stage with its warm-ups."""
        drafted = drafting(before, counters(self._target)) if before else None
        if drafted:
            self._journal.write("drafting", run=self._run, stage=stage.name,
                                workload=stage.workload, **drafted._asdict())  # fmt: skip

    def _stage(self, stage: Stage, later: list[Stage]) -> Ended:
        if self._complete(stage):
            return Ended(stage.name, stage.workload, None, alive=True)
        recorded = self._recorded(stage)
        steps, faults, done, start = stage.steps(), 0, 0, time.perf_counter()
        step = next(steps, None)
        while step is not None:
            left = stage.size - done + sum(other.size for other in later)
            left_s = (time.perf_counter() - start) / done * left if done else None
            self._show(Progress(f"{stage.name} {stage.workload}", done, stage.size, left_s))
            # Warm-ups are run again: what they warmed may be cold after a break.
            known = recorded.get(step.key) if step.phase == "measured" else None
            answer = known or self._ask(step)
            done += 1
            faults = faults + 1 if isinstance(answer, Fault) else 0
            ended = self._given_up(stage, step, answer, faults)
            if ended:
                return ended
            step = _send(steps, answer)
        return Ended(stage.name, stage.workload, None, alive=True)

    def _given_up(self, stage: Stage, step: Step, answer: Answer, faults: int) -> Ended | None:
        """Say why a stage cannot go on; None while it can."""
        if not isinstance(answer, Fault):
            return None
        if not is_alive(self._target):
            reason = f"the server died at {step.phase} run {step.number}: {answer.message}"
            return Ended(stage.name, stage.workload, reason, alive=False)
        if faults >= FAULTS_IN_A_ROW:
            reason = f"{faults} requests failed in a row: {answer.message}"
            return Ended(stage.name, stage.workload, reason, alive=True)
        return None

    def _complete(self, stage: Stage) -> bool:
        return any(
            line["run"] == self._run and line["stage"] == stage.name
            and line["workload"] == stage.workload and line["reason"] is None
            for line in self._journal.of("stage")
        )  # fmt: skip

    def _recorded(self, stage: Stage) -> dict[tuple[str, str, str, int], Reply]:
        """Find the answers that an earlier, cut run has on disk."""
        return {
            (line["stage"], line["workload"], line["phase"], line["number"]): reply_of(line)
            for line in self._journal.of("request")
            if line["run"] == self._run
            and (line["stage"], line["workload"]) == (stage.name, stage.workload)
            and "reply" in line
        }

    def _ask(self, step: Step) -> Answer:
        timeouts = self._timeouts(step.stage)
        answer = ask(self._target, plain(step.body) if self._strict else step.body, timeouts)
        if isinstance(answer, Fault) and _refuses_words(answer) and not self._strict:
            plainly = ask(self._target, plain(step.body), timeouts)
            if isinstance(plainly, Reply):
                # A server that knows OpenAI's words alone: go on with those, and say so.
                self._strict, reason = True, answer.message
                self._journal.write("strict", run=self._run, reason=reason)
                answer = plainly
        told: dict[str, Any] = (
            {"fault": answer._asdict()} if isinstance(answer, Fault) else {"reply": _flat(answer)}
        )
        self._journal.write(
            "request", run=self._run, at=datetime.now(UTC).isoformat(timespec="seconds"),
            stage=step.stage, workload=step.workload, phase=step.phase, number=step.number,
            nominal_tokens=step.nominal_tokens, max_tokens=step.body["max_tokens"], **told,
        )  # fmt: skip
        return answer


def _refuses_words(fault: Fault) -> bool:
    return fault.message.startswith(("HTTP 400", "HTTP 422"))


def _send(steps: Any, answer: Answer) -> Step | None:  # noqa: ANN401 - a generator of steps
    try:
        step: Step = steps.send(answer)
    except StopIteration:
        return None
    return step


def _flat(reply: Reply) -> dict[str, Any]:
    return {**reply._asdict(), "timings": reply.timings._asdict()}


def reply_of(line: Line) -> Reply:
    """Read an answer back from its journal line."""
    told = line["reply"]
    return Reply(**{**told, "timings": Timings(**told["timings"])})

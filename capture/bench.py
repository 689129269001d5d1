"""One bench of a running server into a journal: describe, verify, run the stages, watch the rig."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from capture.client import Target, Timeouts
from capture.endpoint import Server, Unusable, describe
from capture.journal import Journal
from capture.prefill import prefill_stages
from capture.process import Process, find_process, public_argv
from capture.protocol import MEASURED, SAMPLED, WARM_UPS
from capture.runner import Ended, Progress, Runner, reply_of
from capture.server_log import ServerLog
from capture.shapes import greedy_stages, quick_stages, shape_stages
from capture.step import Ask, Stage
from capture.turns import AGENT_NEEDS, SOAK_NEEDS, agentic_stage, soak_stage
from capture.verify import passed, verify_stage
from capture.watch import Watch, summary

OPTIONAL = ("greedy", "agentic", "soak")


class Options(NamedTuple):
    """How to bench: which stages, and what is known of what is served."""

    quick: bool = False
    prefill: bool = True
    extra: tuple[str, ...] = ()
    room: int = 0
    thinking: bool = False
    slug: str | None = None
    model: str | None = None
    quant: str | None = None
    served: str | None = None
    pid: int | None = None
    engine: str | None = None
    log: Path | None = None
    runs: tuple[int, int] = (WARM_UPS, MEASURED)
    soak_sessions: int = 5


class Timing(NamedTuple):
    """Timeouts by stage, `*` for the others, and who is told of progress and of boots."""

    limits: dict[str, Timeouts]
    show: Callable[[Progress], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None

    def of(self, stage: str) -> Timeouts:
        """Find the timeouts of a stage."""
        return self.limits.get(stage) or self.limits.get("*") or Timeouts()


class Named(NamedTuple):
    """A run's name, and the sweep that it is a point of."""

    run: str = "main"
    series: dict[str, str] | None = None


def bench(
    target: Target, journal: Journal, options: Options, timing: Timing, named: Named | None = None
) -> list[Ended]:
    """Bench `target`; what an earlier, cut run of the same name has measured is kept."""
    run, series = named or Named()
    server = describe(target, options.served)
    pid = _begin(target, journal, options, server, Named(run, series))
    runner = Runner(target, journal, timing.of, timing.show, run, metrics=server.has_metrics)
    stages, skipped = plan(options, server)
    for reason in skipped:
        journal.write("skipped", run=run, reason=reason)
    log = ServerLog(options.log) if options.log else None
    soak = [stage for stage in stages if stage.name == "soak"]
    ended = _watched(runner, [stage for stage in stages if stage not in soak], journal, (run, pid))
    if log:
        journal.write("log", run=run, **log.said()._asdict())
        cache = log.cache()
        if cache.known:
            journal.write("cache", run=run, **cache._asdict())
    if soak and all(one.alive for one in ended):
        ended += _watched(runner, soak, journal, (run, pid))
    _verified(journal, run)
    journal.write("end", run=run)
    return ended


def _watched(
    runner: Runner, stages: list[Stage], journal: Journal, named: tuple[str, int | None]
) -> list[Ended]:
    """Run stages, and write what the rig did beside; of an interrupted run, too."""
    run, pid = named
    with Watch(pid) as watch:
        try:
            return runner.stages(stages)
        finally:
            seen = summary(watch.moments)
            journal.write("watch", run=run, soak=stages[-1].name == "soak", **seen)


def plan(options: Options, server: Server) -> tuple[list[Stage], list[str]]:
    """List the stages in order, and why some are left out."""
    ask = Ask(server.model_id, SAMPLED, options.thinking, options.room)
    if options.quick:
        return quick_stages(ask), []
    stages = [verify_stage(ask), *shape_stages(ask, *options.runs)]
    skipped: list[str] = []
    if options.prefill:
        deep, skipped = prefill_stages(ask, server.ctx)
        stages += deep
    if "greedy" in options.extra:
        stages += greedy_stages(ask, options.runs[1])
    for stage, needs in (
        (agentic_stage(ask), AGENT_NEEDS),
        (soak_stage(ask, options.soak_sessions), SOAK_NEEDS),
    ):
        if stage.name in options.extra and server.ctx is not None and server.ctx < needs:
            skipped.append(f"{stage.name} needs {needs:,} tokens; the context is {server.ctx:,}")
        elif stage.name in options.extra:
            stages.append(stage)
    return stages, skipped


def run_facts(
    journal: Journal, options: Options, server: Server, process: Process | None, named: Named
) -> dict[str, Any]:
    """List what a run is: what is served, by which command, and how it is benched."""
    gpus = next((one["value"] for one in journal.of("field") if one["at"] == "gpus"), None)
    return {
        "run": named.run,
        "quick": options.quick,
        "room": options.room,
        "thinking": options.thinking,
        "runs": list(options.runs),
        "slug": options.slug,
        "model": options.model,
        "quant": options.quant,
        "engine": options.engine,
        "series": named.series,
        # Some servers name a model by its path: only the last part of it is published.
        "server": {
            **server._asdict(),
            "model_id": public_argv([server.model_id])[0],
            "busy_slots": 0,
        },
        "argv": list(public_argv(process.argv)) if process else None,
        "cards": None if gpus is None else len(gpus) if isinstance(gpus, list) else 0,
    }


def _begin(
    target: Target, journal: Journal, options: Options, server: Server, named: Named
) -> int | None:
    """Write what the run is, or hold it against what was written; the server's process."""
    process = find_process(target.url, options.pid)
    run = named.run
    facts = run_facts(journal, options, server, process, named)
    before = next((line for line in journal.of("run") if line["run"] == run), None)
    if server.busy_slots:
        journal.write("busy", run=run, slots=server.busy_slots)
    if before is None:
        journal.write("run", **facts)
    else:
        changed = [name for name in facts if before.get(name) != facts[name]]
        if changed:
            raise Unusable(
                f"this run was begun with another {', '.join(changed)}; continue it with the same,"
                " or begin a new one in another --out"
            )
    return process.pid if process else None


def _verified(journal: Journal, run: str) -> None:
    """Write which checks hold."""
    lines = [line for line in journal.of("request")
             if line["run"] == run and line["stage"] == "verify"]  # fmt: skip
    if lines:
        held, failed = passed({one["number"]: reply_of(one) for one in lines if "reply" in one})
        journal.write("stage", run=run, stage="verify", workload="other", reason=None, alive=True,
                      held=held, failed=failed)  # fmt: skip

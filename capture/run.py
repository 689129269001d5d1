"""The lines of one run in a journal → the `Run` of a bundle, with its provenance."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from capture.answered import Terms, answers
from capture.integrity import Finding, panel
from capture.launch_line import launch_of
from capture.summary import measurements
from capture.weights import weights_of
from ingest.bundle import (
    OFF,
    Anomaly,
    Engine,
    Launch,
    Offload,
    Outcome,
    Provenance,
    Run,
    Series,
    Stage,
    Weights,
)
from ingest.catalog import Catalog
from ingest.filing import path_part

STAGE_NAMES = {"verify": "verify", "soak": "soak", "bench": "bench", "agentic": "agentic"}


def run_of(
    told: Sequence[dict[str, Any]], name: str, catalog: Catalog, index: int
) -> tuple[Run, dict[str, Provenance]]:
    """Make the run `name` of the journal, which will be the bundle's run number `index`."""
    number, line = next((n, one) for n, one in enumerate(told, start=1)
                        if one["kind"] == "run" and one["run"] == name)  # fmt: skip
    terms = Terms(
        quick=line["quick"],
        strict=any(one["kind"] == "strict" and one["run"] == name for one in told),
        room=line["room"],
        thinking=line["thinking"],
    )
    server = line["server"]
    weights = weights_of(
        catalog, server["model_file"] or server["model_id"], server["size_gib"],
        (line["model"], line["quant"]), server["ftype"],
    )  # fmt: skip
    run = Run(
        id=path_part(name),
        slug=line["slug"],
        weights=weights,
        engine=Engine(name=line["engine"] or server["engine"], build=server["build"]),
        launch=_launch(told, name, line),
        origin="standalone",
        series=Series.model_validate(line["series"]) if line["series"] else None,
        outcome=outcome(told, name),
        stages=_stages(told, name),
        anomalies=_anomalies(panel(told, name)),
        measurements=tuple(measurements(told, name, terms)),
    )
    return run, _provenance(run, index, line, number)


def _launch(told: Sequence[dict[str, Any]], name: str, line: dict[str, Any]) -> Launch:
    server = line["server"]
    launch = launch_of(line["argv"], server["engine"]) if line["argv"] else Launch()
    replies = [one.reply for one in answers(told, name) if one.reply]
    filled: dict[str, Any] = {"ctx": launch.ctx or server["ctx"]}
    if replies:
        filled["thinking"] = any(reply.thought for reply in replies)
    if any(reply.timings.drafted for reply in replies) and launch.drafter == OFF:
        # It drafts, whatever the arguments say: a preset or the environment turned it on.
        filled["drafter"] = None
    if server["engine"] == "llama.cpp" and line["cards"] == 0:
        filled["offload"] = Offload(kind="cpu-only")
    return launch.model_copy(update=filled)


def outcome(told: Sequence[dict[str, Any]], name: str) -> Outcome:
    """Say how a run ended: its first stage that did not run through, and why."""
    ended = {(line["stage"], line["workload"]): line for line in told
             if line["kind"] == "stage" and line["run"] == name}  # fmt: skip
    broken = [line for line in ended.values() if line["reason"]]
    got = any(one.phase == "measured" and one.reply and one.stage != "verify"
              for one in answers(told, name))  # fmt: skip
    if broken:
        first = broken[0]
        return Outcome(state="partial" if got else "failed",
                       stage=f"{first['stage']} {first['workload']}",
                       reason=first["reason"][:2000])  # fmt: skip
    if not any(line["kind"] == "end" and line["run"] == name for line in told):
        return Outcome(state="partial" if got else "failed", reason="the run was cut")
    return Outcome()


def _stages(told: Sequence[dict[str, Any]], name: str) -> dict[Any, Stage]:
    found: dict[Any, Stage] = {}
    for line in told:
        if line["kind"] != "stage" or line["run"] != name or line["stage"] not in STAGE_NAMES:
            continue
        measured = [one for one in answers(told, name)
                    if one.stage == line["stage"] and one.phase == "measured"]  # fmt: skip
        held = line.get("held")
        good = len(held) if held is not None else sum(one.reply is not None for one in measured)
        total = (held is not None and len(held) + len(line["failed"])) or len(measured)
        failing = line["reason"] or good < total
        found[STAGE_NAMES[line["stage"]]] = Stage(
            outcome="fail" if failing else "pass", passed=good, total=total,
            note=line["reason"] or ", ".join(line.get("failed", ())) or None,
        )  # fmt: skip
    return found


def _anomalies(findings: Iterable[Finding]) -> tuple[Anomaly, ...]:
    """Keep what the panel does not pass, in its own words."""
    return tuple(
        Anomaly(what=f"{one.name}: {one.text}"[:2000])
        for one in findings
        if one.state in ("advisory", "fail")
    )


def _provenance(run: Run, index: int, line: dict[str, Any], number: int) -> dict[str, Provenance]:
    """Say how each part of a run was learned."""
    at = f"/runs/{index}"

    def told(how: Any, note: str) -> Provenance:  # noqa: ANN401 - a literal of How
        return Provenance(how=how, line=number, note=note)

    made = {at: told("measured", "the server's own description and this program's requests")}
    if run.launch.argv:
        made[f"{at}/launch"] = told("measured", "arguments of the serving process")
    for field, given in (("model", line["model"]), ("quant", line["quant"])):
        if getattr(run.weights, field):
            how = ("reported", "given by the owner") if given else ("inferred", "from the name")
            made[f"{at}/weights/{field}"] = told(*how)
    if line["engine"]:
        made[f"{at}/engine/name"] = told("reported", "given by the owner")
    if run.slug:
        made[f"{at}/slug"] = told("reported", "given by the owner")
    if run.launch.drafter == OFF:
        made[f"{at}/launch/drafter"] = told("inferred", "no flag of a drafter")
    if run.launch.offload and run.launch.offload.kind == "cpu-only":
        made[f"{at}/launch/offload"] = told("inferred", "no card, or no layer on one")
    return made


def unmapped(run: Run) -> Iterator[str]:
    """Say what of a run the catalogue does not know, and what would help."""
    weights: Weights = run.weights
    if weights.model is None:
        yield (
            f"{run.id}: no model of the catalogue is named like {weights.spelled!r};"
            " --catalog-model gives its id"
        )
    if weights.quant is None:
        yield (
            f"{run.id}: no quant of the catalogue stands in {weights.spelled!r};"
            " --catalog-quant gives it"
        )

"""What the model says of a bundle's runs, for the card and the preview."""

from typing import TYPE_CHECKING

from ingest.bundle import Drafter, Gpu, Off, Rig, Run
from ingest.misuse import Misuse

if TYPE_CHECKING:
    from capture.card import Expectations, Expected
    from ingest.bundle import Bundle
    from models.record import FittedModel
    from models.request import Request


def expectations(bundle: "Bundle") -> "tuple[Expectations, list[str]]":
    """Predict each run whose weights the catalogue knows; and why the others have no prediction."""
    from models.record import load_model  # noqa: PLC0415 - only when there is a run to predict

    found: dict[tuple[str, str], Expected] = {}
    reasons: list[str] = []
    known = [run for run in bundle.runs if run.weights.model and run.weights.quant]
    model = load_model() if known else None
    for run in known:
        workloads = {one.workload for one in run.measurements if one.quantity == "decode"}
        for workload in sorted(workloads & {"narrative", "code"}, key=str):
            request = request_of(bundle.rig, run, str(workload))
            try:
                expected = _expected(model, request) if model else None
            except Misuse as error:
                reasons.append(f"{run.id} {workload}: no prediction: {error}")
            else:
                if expected:
                    found[run.id, str(workload)] = expected
    return found, reasons


def request_of(rig: Rig, run: Run, workload: str) -> "Request":
    """Ask for the run's own weights on its own rig, with what it measured beside."""
    from models.request import GpuRequest, Request  # noqa: PLC0415

    cpu, memory, launch = rig.cpu, rig.memory, run.launch
    best = next(iter(memory.bandwidth), None)
    cards: list[Gpu] = [] if rig.gpus is None or isinstance(rig.gpus, Off) else list(rig.gpus)
    names = [card.name for card in cards]
    acceptance = [m.value for m in run.measurements
                  if m.quantity == "acceptance" and m.workload == workload]  # fmt: skip
    drafter = launch.drafter
    return Request(
        triad_gbps=best.gbps if best else None,
        triad_method=best.method if best and best.gbps else None,
        channels=memory.channels_populated or memory.channels_total,
        mts=memory.mts,
        cores=cpu.cores,
        sockets=cpu.sockets or 1,
        threads=launch.threads,
        # A name that the catalogue does not know would be refused; the answer says it is unknown.
        cpu=cpu.model if cpu.generation else None,
        ram_gib=memory.gib,
        gpus=tuple(GpuRequest(name, names.count(name)) for name in dict.fromkeys(names)),
        model=run.weights.model,
        quant=run.weights.quant,
        workload=workload,
        depth=0 if isinstance(drafter, Off) else drafter.depth if isinstance(drafter, Drafter)
        else None,
        acceptance=next(iter(acceptance), None),
        cpu_layers=launch.offload.layers_on_cpu if launch.offload else None,
    )  # fmt: skip


def _expected(model: "FittedModel", request: "Request") -> "Expected | None":
    from capture.card import Expected  # noqa: PLC0415
    from models.predict import predict  # noqa: PLC0415

    answer = next(iter(predict(model, None, request)), None)
    if answer is None:
        return None
    return Expected(
        tokens_per_s=answer.tokens_per_s,
        low=answer.low,
        high=answer.high,
        level=answer.level,
        limit=answer.limit,
        wall_tokens_per_s=answer.wall_tokens_per_s,
        nearest=tuple((near.rig, near.tokens_per_s) for near in answer.nearest),
        remedies=tuple(f"{warning.message}: {warning.remedy}" for warning in answer.warnings),
    )

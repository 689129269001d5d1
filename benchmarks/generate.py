"""Write realistic reports in any number: rigs from the catalogue, runs and scatter from the record.

The same seed and count write the same bytes. Never for `data/`: nobody measured these numbers.

    python -m benchmarks.generate 1000 build/bench/1k --seed 9
"""

import argparse
import json
import math
import random
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from benchmarks.record import Record, Template, rated_gbps, read_record
from ingest.bundle import Bundle, bundle_id
from ingest.folder import ID_CHARS, Filed
from ingest.rules import rule_problems

BUNDLES_A_MACHINE = (1, 1, 1, 2, 2, 3, 4)
"""The record has 1.9 bundles a machine, most machines one."""

RUNS_A_BUNDLE = (1, 1, 2, 2, 3, 4, 5, 8)
"""Measured suites send several runs: with 2.8 figures a run this gives nine a bundle."""

FAILED = 0.05
"""Share of runs that fail: kept well above the record's 1 %, so that failures are always met."""

FIRST_DAY = date(2026, 1, 1)
DAYS = 330

OUT_OF_MEMORY: dict[str, Any] = {
    "measurements": [],
    "outcome": {"state": "failed", "stage": "bench", "reason": "cudaMalloc: out of memory"},
}
TOLD = {"how": "reported"}

Document = dict[str, Any]


def generate(root: Path, count: int, seed: int, record: Record) -> None:
    """Write `count` bundles below `root`/reports, with the seed in the name of every machine."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, not secret
    written = machine = 0
    while written < count:
        key, rigs = f"gen{seed}-{machine:06d}", rng.choice(BUNDLES_A_MACHINE)
        rig = _rig(rng, record, key)
        for number in range(min(rigs, count - written)):
            _write(root / "reports", rng, record, _state(rng, rig, number), number)
            written += 1
        machine += 1


def _write(reports: Path, rng: random.Random, record: Record, rig: Document, number: int) -> None:
    templates = [rng.choice(record.templates) for _ in range(rng.choice(RUNS_A_BUNDLE))]
    gbps = next((one["gbps"] for one in rig["memory"].get("bandwidth", ())), None)
    runs = [_run(rng, record, one, index, gbps) for index, one in enumerate(templates)]
    runs = [_on(rig, run) for run in runs]
    day = FIRST_DAY + timedelta(days=rng.randrange(DAYS))
    url = f"example.org/{rig['machine']}/{number}"
    _fail_the_impossible(record, rig, runs)
    text = "".join(f"{line}\n" for line in _lines(rig, runs))
    identity = bundle_id([url], text)
    document = {
        "schema_version": 1,
        "id": identity,
        "sources": [{"kind": "upload", "url": url, "author": "bench", "date": day.isoformat()}],
        "rig": rig,
        "runs": runs,
        "provenance": dict(_provenance(rng, runs)),
    }
    folder = reports / rig["machine"] / f"{day}-upload-{identity[:ID_CHARS]}"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(text, encoding="utf-8")
    states = [line for i, one in enumerate(templates) for line in _states(one, runs[i], i)]
    if states:
        lines = "".join(json.dumps(state) + "\n" for state in states)
        (folder / "status.jsonl").write_text(lines, encoding="utf-8")


def _rig(rng: random.Random, record: Record, key: str) -> Document:
    """Draw a processor, its memory and its cards from the catalogue."""
    cpu = rng.choice([*record.catalog.cpus.values()])
    gpu = rng.choice([*record.catalog.gpus.values()])
    channels = cpu.channels if rng.random() < 0.8 else max(1, cpu.channels // 2)
    card = {"name": gpu.name, "vram_mib": gpu.vram_gib * 1024}
    cards = rng.choice((0, 1, 1, 2, 2, 3, 4))
    return {
        "machine": key,
        "state": "as-built",
        "cpu": {"model": cpu.name, "sockets": 1, "cores": cpu.cores, "threads": cpu.threads},
        "memory": {
            "gib": float(channels * rng.choice((16, 32, 64))),
            "kind": cpu.memory,
            "mts": cpu.mts_max,
            "channels_populated": channels,
            "channels_total": cpu.channels,
        },
        "gpus": [card] * cards or {"kind": "none"},
        "os": "Linux",
    }


def _state(rng: random.Random, rig: Document, number: int) -> Document:
    """Every third further report of a machine is of another state: the memory re-clocked."""
    memory = dict(rig["memory"])
    if number and rng.random() < 1 / 3:
        memory["mts"] = round(memory["mts"] * rng.uniform(0.8, 1.0))
    clocked = rig | {"memory": memory, "state": f"{memory['mts']:g}-mts"}
    if rng.random() < 0.6:
        rated = rated_gbps(memory["channels_populated"], memory["mts"])
        memory["bandwidth"] = [
            {"gbps": round(rated * rng.uniform(0.45, 0.85), 1), "method": "triad-v1"}
        ]
    return clocked


def _run(
    rng: random.Random, record: Record, template: Template, index: int, gbps: float | None
) -> Document:
    """Put a run of the record on another rig: its figures scaled by bandwidth and a residual."""
    run = {**template.document, "id": f"run-{index + 1}"}
    run.pop("rerun_of", None)
    if rng.random() < FAILED:
        return {**run, **OUT_OF_MEMORY}
    scale = gbps / template.gbps if gbps and template.gbps else 1.0
    draws = {name: rng.choice(pool) for name, pool in sorted(record.residuals.items())}
    measured = run.get("measurements", ())
    run["measurements"] = [_figure(record, one, scale, draws, index) for one in measured]
    return run


def _on(rig: Document, run: Document) -> Document:
    """Let a run use no more memory than its rig has; without cards it says nothing of theirs."""
    cards = rig["gpus"] if isinstance(rig["gpus"], list) else []
    room = {
        "vram": sum(card["vram_mib"] for card in cards) / 1024,
        "host_ram": rig["memory"]["gib"],
    }
    kept = []
    for one in run["measurements"]:
        most = room.get(one["quantity"])
        if most is None:
            kept.append(one)
        elif most:
            fields = [field for field in ("low", "value", "high") if one.get(field)]
            kept.append(one | {field: round(min(one[field], 0.95 * most), 2) for field in fields})
    return {**run, "measurements": kept}


def _fail_the_impossible(record: Record, rig: Document, runs: list[Document]) -> None:
    """Fail every run whose figures the product's own rules call impossible on its rig."""
    document = {"id": "0" * 64, "sources": [{"kind": "upload", "url": "x"}], "rig": rig}
    whole = {**document, "runs": runs, "provenance": dict.fromkeys(("/rig", "/runs"), TOLD)}
    filed = Filed("x", Bundle.model_validate(whole), (), "")
    for problem in rule_problems(filed, record.catalog):
        found = re.match(r"runs\[(\d+)\]", problem.where)
        if problem.severity == "error" and found:
            runs[int(found[1])] |= OUT_OF_MEMORY


def _figure(
    record: Record, measurement: Document, scale: float, draws: dict[str, float], index: int
) -> Document:
    quantity = record.catalog.quantities[measurement["quantity"]]
    factor = math.exp(draws.get(quantity.id, 0.0))
    if quantity.id in {"decode", "wall"}:
        factor *= scale
    figures = {
        field: min(max(float(f"{measurement[field] * factor:.4g}"), quantity.low), quantity.high)
        for field in ("low", "value", "high")
        if measurement.get(field) is not None
    }
    return {**measurement, **figures, "evidence": {"line": index + 2}}


def _states(template: Template, run: Document, index: int) -> Iterator[Document]:
    """Keep the states that the record puts on a run, where what they target is still there."""
    for state in template.states:
        if run["measurements"] or not state["target"]:
            yield {**state, "target": f"/runs/{index}{state['target']}"}


def _provenance(rng: random.Random, runs: list[Document]) -> Iterator[tuple[str, Document]]:
    yield "/rig", {"how": "reported", "line": 1}
    if rng.random() < 0.5:
        yield "/rig/cpu/sockets", {"how": "inferred"}
    for index in range(len(runs)):
        yield f"/runs/{index}", {"how": "reported", "line": index + 2}


def _lines(rig: Document, runs: list[Document]) -> Iterator[str]:
    """Write the raw text that the bundle says it was read from: the rig, then a line a run."""
    memory = rig["memory"]
    yield f"- CPU: {rig['cpu']['model']}, {memory['gib']:g} GiB {memory['kind']}, {rig['os']}"
    for run in runs:
        shown = (
            f"{one['quantity']} ({one.get('workload') or 'any'}, {one['protocol']})"
            f" = {one.get('value', one.get('low'))} {one['unit']}"
            for one in run["measurements"]
        )
        yield f"- {run.get('named') or run['id']}: {'; '.join(shown) or 'no figures'}"


def main() -> None:
    """Generate from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("count", type=int)
    parser.add_argument("root", type=Path, help="folder to write reports/ in; must not exist")
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--record", type=Path, default=Path("data"), help="whose runs are drawn")
    args = parser.parse_args()
    if args.root.exists():
        parser.error(f"{args.root} is there already; name a new folder")
    generate(args.root, args.count, args.seed, read_record(args.record))


if __name__ == "__main__":
    main()

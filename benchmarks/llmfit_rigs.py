"""Ask the real llmfit about the rigs of the record, beside Rigbook, each rig left out of its fit.

Run: `python -m benchmarks.llmfit_rigs` with `llmfit` on the PATH (from the package index, in an
environment of its own) after `rigbook load`. llmfit is told RAM, VRAM, cores and, by its own
environment variable, the read bandwidth. It chooses the quantisation itself (`info`), and cannot be
told of several hosts' placement, drafter or cache. Rows whose model it does not know are left out
for both. Of each rig, model and quantisation the fastest row counts, as llmfit knows no threads.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ingest.catalog import load_catalog
from ingest.shipped import shipped
from ingest.store import opened
from models.evaluate import left_out
from models.facts import facts_of
from models.fit import read_features
from models.rows import FitRow
from models.scores import score

NAMES = {
    "deepseek-r1": "deepseek-ai/DeepSeek-R1",
    "deepseek-r1-0528": "deepseek-ai/DeepSeek-R1-0528",
    "deepseek-tng-r1t2-chimera": "tngtech/DeepSeek-TNG-R1T2-Chimera",
    "deepseek-v2-lite": "deepseek-ai/DeepSeek-V2-Lite",
    "deepseek-v3": "deepseek-ai/DeepSeek-V3",
    "deepseek-v3-0324": "deepseek-ai/DeepSeek-V3-0324",
    "deepseek-v3-r1": "deepseek-ai/DeepSeek-V3",
    "deepseek-v4-flash-0731": "deepseek-ai/DeepSeek-V4-Flash-0731",
    "deepseek-v4-flash-vision-exp": "deepseek-ai/DeepSeek-V4-Flash-Vision-Exp",
    "glm-5.3-flash": "zai-org/GLM-5.3-Flash",
    "gpt-oss-120b": "openai/gpt-oss-120b",
    "gpt-oss-20b": "openai/gpt-oss-20b",
    "inkling-small": "thinkingmachines/Inkling-Small",
    "kimi-k2-instruct": "moonshotai/Kimi-K2-Instruct",
    "llama-4-maverick": "meta-llama/Llama-4-Maverick-17B-128E-Instruct",
    "minimax-m2.1": "MiniMaxAI/MiniMax-M2.1",
    "mixtral-8x22b": "mistralai/Mixtral-8x22B-Instruct-v0.1",
    "qwen3-235b-a22b": "Qwen/Qwen3-235B-A22B",
    "qwen3-30b-a3b": "Qwen/Qwen3-30B-A3B",
    "qwen3.8-flash-next": "Qwen/Qwen3.8-Flash-Next",
}
"""Our model → the name that llmfit 1.1.17 lists it under, original weights."""

RAM_GIB = 1024
"""Told where a row names no RAM, so that fit is not what decides."""


def asked(row: FitRow, read_gbps: float, ram_gib: float) -> float | None:
    """Ask llmfit for the tokens/s of one row; None where it does not answer."""
    cores, vram = round(row.cores), row.vram_gib
    command = ["llmfit", "--json", "--ram", f"{ram_gib:.0f}G", "--cpu-cores", str(cores)]
    command += ["--memory", f"{max(vram, 0.1):.1f}G", "info", NAMES[row.model]]
    told = {**os.environ, "LLMFIT_DDR_BANDWIDTH": f"{read_gbps:.1f}"}
    answer = subprocess.run(command, env=told, capture_output=True, text=True, check=False)
    try:
        models = json.loads(answer.stdout)["models"]
    except (ValueError, KeyError):
        return None
    return float(models[0]["estimated_tps"]) if models and models[0]["estimated_tps"] else None


def fastest(rows: Sequence[FitRow]) -> list[int]:
    """Pick of each rig, variant and workload the fastest row."""
    best: dict[tuple[str, str, str], int] = {}
    for index, row in enumerate(rows):
        key = (row.rig, row.variant, row.workload)
        if key not in best or row.tokens_per_s > rows[best[key]].tokens_per_s:
            best[key] = index
    return sorted(best.values())


def with_constant(left: Sequence[float], rigs: Sequence[str]) -> list[float]:
    """Correct each row by the median error of all other rigs."""
    return [
        one - statistics.median(other for other, rig in zip(left, rigs, strict=True) if rig != own)
        for one, own in zip(left, rigs, strict=True)
    ]


def main() -> None:
    """Ask about every row, and print both errors by stratum."""
    if not shutil.which("llmfit"):
        sys.exit("llmfit is not on the PATH; install it in an environment of its own")
    catalog, _ = load_catalog(Path(shipped("catalog")))
    facts = facts_of(catalog)
    with opened(Path("build/rigbook.duckdb")) as connection:
        used = read_features(connection, catalog, facts).used
        ram = dict(
            connection.execute(
                "SELECT state_id, memory_gib FROM rig_states WHERE memory_gib IS NOT NULL"
            ).fetchall()
        )
    methods = sorted(facts["methods"])
    logs = left_out(used, used, facts).learned
    found: list[tuple[FitRow, float, float]] = []
    for index in fastest(used):
        row = used[index]
        read_gbps = row.inputs.gbps * facts["methods"][methods[row.inputs.method]]
        ram_gib = ram.get(row.state, RAM_GIB)
        speed = asked(row, read_gbps, ram_gib) if row.model in NAMES else None
        if speed is not None:
            found.append((row, float(np.log(speed)), float(logs[index])))
    report(found)


def report(found: Sequence[tuple[FitRow, float, float]]) -> None:
    """Print rows, rigs, median and 80th percentile of the absolute error, by stratum."""
    rigs = [row.rig for row, _, _ in found]
    truth = [float(np.log(row.tokens_per_s)) for row, _, _ in found]
    plain = [peer - y for (_, peer, _), y in zip(found, truth, strict=True)]
    table = {
        "llmfit": plain,
        "llmfit, times a constant": with_constant(plain, rigs),
        "Rigbook, rig left out": [own - y for (_, _, own), y in zip(found, truth, strict=True)],
    }
    strata = [row.stratum for row, _, _ in found]
    for stratum in ("all", *sorted(set(strata))):
        here = [i for i, one in enumerate(strata) if stratum in ("all", one)]
        names = [rigs[i] for i in here]
        sys.stdout.write(f"{stratum}: {len(here)} rows of {len(set(names))} rigs\n")
        for name, left in table.items():
            one = score(np.array([left[i] for i in here]), names)
            sys.stdout.write(f"  {name:<26}{one.median_ape:6.0%} / {one.p80_ape:.0%}\n")


if __name__ == "__main__":
    main()

"""What others publish: formulas of other estimators, on the same rows with the same true inputs.

Re-expressed from their published constants; each is given the rig's read bandwidth, true bytes and
true parameter counts wherever it can take them, which flatters it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from models.facts import GB_PER_GIB


class Case(NamedTuple):
    """One row as the formulas see it: billions of parameters, GB, GB/s.

    `active` parameters of a token, `routed` of them in experts, `all` of the model; `bits` a weight
    of the file; `quant` by name.
    """

    read_gbps: float
    gpu_gbps: float
    vram_gb: float
    cores: float
    cpu_only: bool
    active: float
    routed: float
    all: float
    routed_total: float
    routed_gb: float
    dense_gb: float
    file_gb: float
    quant: str


def case_of(row: Any, variant: dict[str, Any], read_gbps: float) -> Case:  # noqa: ANN401 - a FitRow
    """Gather a row's inputs as the formulas take them."""
    routed_total_gb = variant["routed_gb"] / variant["expert_share"]
    return Case(
        read_gbps=read_gbps,
        gpu_gbps=row.inputs.gpu_gbps,
        vram_gb=row.vram_gib * GB_PER_GIB,
        cores=row.cores,
        cpu_only=bool(row.inputs.dense_on_cpu),
        active=variant["routed_gweights"] + variant["dense_gweights"],
        routed=variant["routed_gweights"],
        all=variant["parameters_b"],
        routed_total=variant["routed_gweights"] / variant["expert_share"],
        routed_gb=variant["routed_gb"],
        dense_gb=variant["dense_gb"],
        file_gb=routed_total_gb + variant["dense_gb"],
        quant=variant["quant"],
    )


# Bytes a weight that llmfit assumes for a label, longest match first; anything else 0.5.
_LLMFIT = {"Q8_0": 1.0, "Q8_K": 1.0, "Q6_K": 0.75, "Q5_K": 0.625, "Q3_K": 0.375, "Q2_K": 0.25}
_LLMFIT_CPU = {"Q8_0": 0.8, "Q8_K": 0.8, "Q6_K": 0.95, "Q4_K": 1.15, "Q3_K": 1.25, "Q2_K": 1.35}
# Efficiencies that whichllm takes by label; anything else 0.45.
_WHICHLLM = {
    "Q8_0": 0.45, "Q6_K": 0.50, "Q5_K": 0.52, "Q4_K": 0.55, "MXFP4": 0.55, "NVFP4": 0.56,
    "IQ4_XS": 0.52, "Q3_K": 0.50, "Q2_K": 0.45, "IQ3_XXS": 0.42, "IQ2_XXS": 0.38, "IQ1_S": 0.35,
}  # fmt: skip


def _by_label(table: dict[str, float], quant: str, other: float) -> float:
    return next((value for label, value in table.items() if label in quant), other)


def llmfit(case: Case, read_gbps: float | None = None) -> float:
    """Llmfit 3f44fd30: all active bytes charged to RAM and to the GPU, times 0.8.

    Without `read_gbps` it takes 50 GB/s; CPU only, bandwidth is not in it.
    """
    if case.cpu_only:
        more = 1.1 if case.cores >= 8 else 1.0
        return 70 / case.active * _by_label(_LLMFIT_CPU, case.quant, 1.0) * more * 0.3
    gb = case.active * _by_label(_LLMFIT, case.quant, 0.5)
    return 0.8 / (gb / (read_gbps or 50.0) + gb / (case.gpu_gbps * 0.55))


def llmfit_told(case: Case) -> float:
    """Llmfit, told the rig's bandwidth."""
    return llmfit(case, case.read_gbps)


def whichllm(case: Case) -> float:
    """Whichllm a8975516: GPU bandwidth alone, with a floor on the active share, times 0.45."""
    efficiency = _by_label(_WHICHLLM, case.quant, 0.45)
    if case.cpu_only:
        return max(0.3, 18 / max(case.active, 0.5) * efficiency / 0.45)
    floor = min(0.25, 0.05 * max(1.0, case.gpu_gbps / 256))
    share = min(1.0, max(case.active / case.all, floor))
    return case.gpu_gbps / (case.file_gb * share) * efficiency * 0.45


def fabiocicerchia(case: Case) -> float:
    """Fabiocicerchia/llm-fit 19a3eafb: whole layers on the GPU at 0.8, the rest on RAM at 0.55."""
    share = 0.0 if case.cpu_only else min(1.0, (case.vram_gb * 0.95 - 0.26) / case.file_gb)
    gb = case.file_gb * case.active / case.all
    return 1 / (gb * share / (0.8 * case.gpu_gbps) + gb * (1 - share) / (0.55 * case.read_gbps))


def moespeedcalc(case: Case) -> float:
    """MoEspeedcalc 4e8bef06: dense on the GPU, experts split by spare VRAM, no efficiency."""
    if case.cpu_only:
        return case.read_gbps / (case.dense_gb + case.routed_gb)
    spare = max(0.0, case.vram_gb - case.dense_gb)
    share = min(1.0, spare / (case.file_gb - case.dense_gb))
    gpu = (case.dense_gb + share * case.routed_gb) / case.gpu_gbps
    return 1 / (gpu + (1 - share) * case.routed_gb / case.read_gbps)


def ram_roofline(case: Case) -> float:
    """RAM bandwidth over active bytes, as forum threads have it."""
    return case.read_gbps / (case.dense_gb + case.routed_gb)


FORMULAS: dict[str, Callable[[Case], float]] = {
    "RAM bandwidth / active bytes": ram_roofline,
    "llmfit": llmfit,
    "llmfit, told the bandwidth": llmfit_told,
    "whichllm": whichllm,
    "fabiocicerchia llm-fit": fabiocicerchia,
    "MoEspeedcalc": moespeedcalc,
}

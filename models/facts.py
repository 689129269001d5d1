"""The catalogue facts that a prediction needs, as plain JSON inside the model.

`facts_of` is the one place where tensor bytes become bytes and weights per token; fit, prediction
and browser all read its result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models.parameters import RATED

if TYPE_CHECKING:
    from ingest.catalog import Catalog, CpuEntry, ModelEntry, Slug, Variant

GB_PER_GIB = 2**30 / 1e9
GB_PER_MIB = 2**20 / 1e9

Facts = dict[str, Any]


def variant_key(model: str, quant: str) -> str:
    """Name a variant: one model at one quant."""
    return f"{model}/{quant}"


def facts_of(catalog: Catalog) -> Facts:
    """Gather the facts: models, quants, variants, slugs, cpus, gpus, kernels, methods."""
    return {
        "models": {
            model.id: facts for model in catalog.models.values() if (facts := model_facts(model))
        },
        "quants": {
            quant.id: {
                "kernel": quant.kernel,
                "routed_bits": quant.routed_bits,
                "dense_bits": quant.dense_bits,
            }
            for quant in catalog.quants.values()
            if quant.kernel != "unstated"
        },
        "variants": {
            variant_key(model.id, variant.quant): facts
            for model in catalog.models.values()
            for variant in model.variants
            if (facts := variant_facts(catalog, model, variant))
        },
        "slugs": {
            slug.id: slug_facts(slug)
            for slug in catalog.slugs.values()
            if slug.offload == "experts"
        },
        "cpus": {cpu.id: cpu_facts(catalog, cpu) for cpu in catalog.cpus.values()},
        "gpus": {
            gpu.id: {
                "name": gpu.name,
                "match": list(gpu.match),
                "vram_gib": gpu.vram_gib,
                "gbps": gpu.bandwidth_gbps,
            }
            for gpu in catalog.gpus.values()
        },
        "kernels": sorted(catalog.kernels),
        "methods": methods_of(catalog),
    }


def methods_of(catalog: Catalog) -> dict[str, float]:
    """Map each bandwidth method to its prior conversion to read bandwidth; `rated` by platform."""
    measured = {m.id: m.reads_per_gbps for m in catalog.bandwidth.values() if m.measured}
    return {**measured, **{f"rated-{platform}": share for platform, share in RATED.items()}}


def model_facts(model: ModelEntry) -> Facts | None:
    """Say what an architecture reads, whatever its quant; None where that is not known."""
    routed_gweights = _routed_gweights(model)
    if model.kind != "moe" or not routed_gweights or not model.always_active_b:
        return None
    return {
        "model": model.id,
        "routed_gweights": routed_gweights,
        "dense_gweights": model.always_active_b,
        "embedding_gweights": model.embedding_b or 0.0,
        "parameters_b": model.parameters_b,
        "moe_layers": model.moe_layers,
        "layers": model.layers or model.moe_layers,
        "first_moe_layer": model.first_moe_layer,
        "moe_layer_step": model.moe_layer_step,
        "expert_share": (model.experts_per_token or 0) / (model.experts or 1),
        "kv_mib_per_1k": model.kv_mib_per_1k,
        "native_ctx": model.native_ctx,
    }


def variant_of(facts: Facts, model: str | None, quant: str | None) -> Facts | None:
    """Find a variant, or work it out from the architecture and the bits that its name stands for.

    None where the model or the quant is not in the catalogue. What is worked out says `inferred`.
    """
    known: Facts | None = facts["variants"].get(variant_key(model or "?", quant or "?"))
    if known:
        return known
    of_model, of_quant = facts["models"].get(model), facts["quants"].get(quant)
    if not (of_model and of_quant):
        return None
    routed_gb = of_model["routed_gweights"] * of_quant["routed_bits"] / 8
    all_mib = routed_gb / of_model["expert_share"] / GB_PER_MIB
    gb_per_gweight = of_quant["dense_bits"] / 8
    return {
        **of_model,
        "quant": quant,
        "kernel": of_quant["kernel"],
        "routed_gb": routed_gb,
        "dense_gb": of_model["dense_gweights"] * gb_per_gweight,
        "bundle_mib": all_mib / of_model["moe_layers"],
        "bundle_mib_by_layer": {},
        "embedding_gib": of_model["embedding_gweights"] * gb_per_gweight / GB_PER_GIB,
        "inferred": True,
    }


def variant_facts(catalog: Catalog, model: ModelEntry, variant: Variant) -> Facts | None:
    """Say what one token of a variant reads; None where the catalogue does not know."""
    routed_gweights = _routed_gweights(model)
    dense = _dense_gb(catalog, model, variant)
    if model.kind != "moe" or not routed_gweights or dense is None:
        return None
    share = (model.experts_per_token or 0) / (model.experts or 1)
    bundles = variant.bundles_mib(model)
    if bundles:
        routed_gb, total_mib = sum(bundles) * GB_PER_MIB * share, sum(bundles)
    else:
        bits = variant.routed_bits or catalog.quants[variant.quant].routed_bits
        routed_gb = routed_gweights * bits / 8
        total_mib = routed_gb / share / GB_PER_MIB
    return {
        "model": model.id,
        "quant": variant.quant,
        "kernel": variant.kernel,
        "routed_gb": routed_gb,
        "routed_gweights": routed_gweights,
        "dense_gb": dense,
        "dense_gweights": model.always_active_b,
        "parameters_b": model.parameters_b,
        "moe_layers": model.moe_layers,
        "layers": model.layers or model.moe_layers,
        "first_moe_layer": model.first_moe_layer,
        "moe_layer_step": model.moe_layer_step,
        "expert_share": share,
        "bundle_mib": variant.bundle_mib or total_mib / (model.moe_layers or 1),
        "bundle_mib_by_layer": dict(variant.bundle_mib_by_layer),
        "embedding_gib": variant.embedding_gib,
        "kv_mib_per_1k": model.kv_mib_per_1k,
        "native_ctx": model.native_ctx,
        "inferred": "bundle_mib" in variant.inferred or not bundles,
    }


def _routed_gweights(model: ModelEntry) -> float | None:
    """Count the routed weights that one token reads, in 1e9; None where a width is unknown."""
    width = model.expert_hidden or model.hidden
    if not (model.experts and model.experts_per_token and model.moe_layers):
        return None
    if not (width and model.expert_ffn and model.always_active_b):
        return None
    expert = model.expert_matrices * width * model.expert_ffn
    return model.experts_per_token * model.moe_layers * expert / 1e9


def _dense_gb(catalog: Catalog, model: ModelEntry, variant: Variant) -> float | None:
    if variant.dense_gib is not None:
        return variant.dense_gib * GB_PER_GIB
    if model.always_active_b is None or variant.kernel == "unstated":
        return None
    return model.always_active_b * catalog.quants[variant.quant].dense_bits / 8


def slug_facts(slug: Slug) -> Facts:
    """Say how a slug launches."""
    return {
        "model": slug.model,
        "quant": slug.quant,
        "engine": slug.engine,
        "cards": slug.cards,
        "gpu": slug.reference_gpu,
        "ctx": slug.ctx,
        "ubatch": slug.ubatch,
        "drafter": slug.drafter.model_dump() if slug.drafter else None,
        "expert_cache": slug.expert_cache,
        "residency": slug.residency.model_dump() if slug.residency else None,
        "host_ram_gib": slug.host_ram_gib,
        "status": slug.status,
    }


def core_speed(catalog: Catalog, cpu: CpuEntry) -> float:
    """Rate a core against Zen 2 at 4 GHz: its generation's speed per clock times its clock."""
    return catalog.generations[cpu.generation].core_speed * cpu.all_core_ghz / 4


def cpu_facts(catalog: Catalog, cpu: CpuEntry) -> Facts:
    """Say what a processor brings."""
    return {
        "name": cpu.name,
        "match": list(cpu.match),
        "cores": cpu.cores,
        "core_speed": core_speed(catalog, cpu),
        "intel": int(cpu.vendor == "intel"),
        "channels": cpu.channels,
        "mts_max": cpu.mts_max,
        "platform": cpu.platform,
        "read_cap_gbps": read_cap_gbps(cpu),
    }


CCD_GBPS = 44.0
"""Read bandwidth of one Zen 1 to Zen 3 core die's link: 88 GB/s measured on parts with two."""


def read_cap_gbps(cpu: CpuEntry) -> float | None:
    """Cap the read bandwidth of one socket by the links of its core dies, where that is known."""
    if cpu.generation not in {"zen1", "zen2", "zen3"} or not cpu.ccds:
        return None
    return cpu.ccds * CCD_GBPS

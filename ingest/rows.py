"""Bundles and catalogue → rows of the tables in `schema.sql`. Data in, data out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ingest.bundle import (
    Bundle,
    Drafter,
    ExpertCache,
    Off,
    Provenance,
    Run,
    Status,
)
from ingest.catalog import Catalog, ModelEntry, Variant
from ingest.folder import Filed
from ingest.hardware import find_cpu, find_gpu

Row = dict[str, Any]
Rows = dict[str, list[Row]]

RUN_ID_CHARS = 12
"""Enough of a SHA-256 to name a bundle among millions, short enough for an address."""


class State(NamedTuple):
    """What holds for one target: the state and its reason."""

    state: str
    reason: str | None


ACTIVE = State("active", None)


def state_of(statuses: Iterable[Status], *targets: str) -> State:
    """Find the state that holds for a part: the last line on it, or on what contains it.

    `targets` are JSON pointers from the whole bundle ("") down to the part; a part is as bad as
    anything that contains it.
    """
    last = {status.target: status for status in statuses}
    if not last:
        return ACTIVE
    for target in targets:
        status = last.get(target)
        if status is not None and status.state != "active":
            return State(status.state, status.reason)
    return ACTIVE


def provenance_of(bundle: Bundle, pointer: str) -> Provenance | None:
    """Find how the field at `pointer` came to be: the entry of the longest prefix of it."""
    return bundle.origin(pointer)


def bundle_rows(filed: Filed, catalog: Catalog) -> Rows:
    """Flatten one filed bundle into rows, table by table; rig states stay one row a bundle."""
    rows: Rows = defaultdict(list)
    bundle = filed.bundle
    state_id = f"{bundle.rig.machine}@{bundle.rig.state}"
    keys = {"bundle_id": bundle.id, "rig_id": bundle.rig.machine, "state_id": state_id}
    rows["bundles"].append(_bundle_row(filed, keys))
    rows["sources"] += [
        {"bundle_id": bundle.id, "source": index, **vars(source)}
        for index, source in enumerate(bundle.sources)
    ]
    rows["statuses"] += [
        {"bundle_id": bundle.id, "position": position, **vars(status)}
        for position, status in enumerate(filed.statuses)
    ]
    rows["rig_states"].append(_rig_row(bundle, catalog, keys))
    rows["rig_gpus"] += _gpu_rows(bundle, catalog, state_id)
    rows["rig_bandwidth"] += _bandwidth_rows(bundle, state_id)
    inferred = _inferred_pointers(bundle)
    for index, run in enumerate(bundle.runs):
        _add_run(rows, filed, index, run, keys)
        rows["runs"][-1]["inferred"] = inferred[str(index)]
    return rows


def _bundle_row(filed: Filed, keys: Row) -> Row:
    bundle = filed.bundle
    dates = [source.date for source in bundle.sources if source.date]
    return {
        **keys,
        "submitter": bundle.submitter,
        "schema_version": bundle.schema_version,
        "date": min(dates, default=None),
        "path": filed.path,
        "content_hash": filed.content_hash,
        "raw": filed.raw,
        "status": state_of(filed.statuses, "").state,
    }


def _rig_row(bundle: Bundle, catalog: Catalog, keys: Row) -> Row:
    rig, cpu, memory = bundle.rig, bundle.rig.cpu, bundle.rig.memory
    entry = find_cpu(catalog, cpu.model) if cpu.model else None
    row = {
        **keys,
        "state": rig.state,
        "cpu_model": cpu.model,
        "cpu": entry.id if entry else None,
        "generation": cpu.generation or (entry.generation if entry else None),
        "all_core_ghz": cpu.all_core_ghz,
        "sockets": cpu.sockets,
        "cores": cpu.cores,
        "threads": cpu.threads,
        "guest": cpu.guest,
        "memory_gib": memory.gib,
        "memory_kind": memory.kind,
        "mts": memory.mts,
        "dimms": memory.dimms,
        "channels_populated": memory.channels_populated,
        "channels_total": memory.channels_total,
        "numa_nodes": memory.numa_nodes,
        "thp": memory.thp,
        "os": rig.os,
        "environment": rig.environment,
        **_gpu_summary(bundle),
    }
    return {**row, "inferred": _inferred_columns(bundle)}


# Where the columns of rig_states whose value may be inferred come from.
_RIG_POINTERS = {
    "cpu_model": "/rig/cpu/model",
    "sockets": "/rig/cpu/sockets",
    "cores": "/rig/cpu/cores",
    "threads": "/rig/cpu/threads",
    "guest": "/rig/cpu/guest",
    "memory_gib": "/rig/memory/gib",
    "memory_kind": "/rig/memory/kind",
    "mts": "/rig/memory/mts",
    "dimms": "/rig/memory/dimms",
    "channels_populated": "/rig/memory/channels_populated",
    "channels_total": "/rig/memory/channels_total",
    "numa_nodes": "/rig/memory/numa_nodes",
    "gpu_names": "/rig/gpus",
}


def _inferred_columns(bundle: Bundle) -> list[str]:
    found = ((column, provenance_of(bundle, at)) for column, at in _RIG_POINTERS.items())
    return [column for column, entry in found if entry and entry.how == "inferred"]


def _gpu_summary(bundle: Bundle) -> Row:
    gpus = bundle.rig.gpus
    if gpus is None:
        return {"gpu_count": None, "gpu_names": None, "vram_gib": None}
    if isinstance(gpus, Off):
        return {"gpu_count": 0, "gpu_names": None, "vram_gib": 0.0}
    counts: dict[str, int] = defaultdict(int)
    for gpu in gpus:
        counts[gpu.name] += 1
    sizes = [gpu.vram_mib for gpu in gpus]
    return {
        "gpu_count": len(gpus),
        "gpu_names": " + ".join(f"{n}x {name}" for name, n in counts.items()),
        "vram_gib": None if None in sizes else sum(filter(None, sizes)) / 1024,
    }


def _gpu_rows(bundle: Bundle, catalog: Catalog, state_id: str) -> Iterator[Row]:
    gpus = bundle.rig.gpus
    if gpus is None or isinstance(gpus, Off):
        return
    for card, gpu in enumerate(gpus):
        entry = find_gpu(catalog, gpu.name)
        yield {
            "bundle_id": bundle.id,
            "state_id": state_id,
            "card": card,
            "gpu": entry.id if entry else None,
            **vars(gpu),
        }


def _bandwidth_rows(bundle: Bundle, state_id: str) -> Iterator[Row]:
    for index, bandwidth in enumerate(bundle.rig.memory.bandwidth):
        entry = provenance_of(bundle, f"/rig/memory/bandwidth/{index}/gbps")
        yield {
            "state_id": state_id,
            "bundle_id": bundle.id,
            "how": entry.how if entry else "reported",
            **vars(bandwidth),
        }


def _add_run(rows: Rows, filed: Filed, index: int, run: Run, keys: Row) -> None:
    run_id = f"{filed.bundle.id[:RUN_ID_CHARS]}/{run.id}"
    ids = {**keys, "run_id": run_id}
    rows["runs"].append(_run_row(filed, index, run, ids))
    rows["stages"] += [
        {"run_id": run_id, "stage": name, **vars(stage)} for name, stage in run.stages.items()
    ]
    rows["quality"] += [{"run_id": run_id, **vars(quality)} for quality in run.quality]
    rows["anomalies"] += [{"run_id": run_id, **vars(anomaly)} for anomaly in run.anomalies]
    measured = list(_measurement_rows(filed, index, run, ids))
    _mark_first(measured)
    rows["measurements"] += measured


def _run_row(filed: Filed, index: int, run: Run, ids: Row) -> Row:
    launch, offload = run.launch, run.launch.offload
    state = state_of(filed.statuses, "", f"/runs/{index}")
    return {
        **ids,
        "position": index,
        "slug": run.slug,
        "named": run.named,
        "model": run.weights.model,
        "quant": run.weights.quant,
        "weights_spelled": run.weights.spelled,
        "weights_gib": run.weights.gib,
        "engine": run.engine.name,
        "engine_build": run.engine.build,
        "threads": launch.threads,
        "threads_batch": launch.threads_batch,
        "batch": launch.batch,
        "ubatch": launch.ubatch,
        "ctx": launch.ctx,
        "kv": launch.kv,
        "gpus_used": launch.gpus_used,
        "sockets_used": launch.sockets_used,
        "numa": launch.numa,
        "tensor_parallel": launch.tensor_parallel,
        "thinking": launch.thinking,
        "offload": offload.kind if offload else None,
        "layers_on_cpu": offload.layers_on_cpu if offload else None,
        "offload_rules": offload.rules if offload else None,
        **_drafter_columns(launch.drafter),
        **_cache_columns(launch.expert_cache),
        "origin": run.origin,
        "rerun_of": run.rerun_of,
        "series": run.series.name if run.series else None,
        "series_axis": run.series.axis if run.series else None,
        "outcome": run.outcome.state,
        "outcome_stage": run.outcome.stage,
        "outcome_reason": run.outcome.reason,
        "suite_overall": run.suite.overall if run.suite else None,
        "suite_exit": run.suite.exit if run.suite else None,
        **{name: run.stages[name].outcome for name in run.stages},
        "status": state.state,
        "status_reason": state.reason,
    }


def _drafter_columns(drafter: Drafter | Off | None) -> Row:
    if isinstance(drafter, Drafter):
        return {
            "drafter": drafter.kind,
            "drafter_depth": drafter.depth,
            "drafter_device": drafter.device,
        }
    return {"drafter": drafter and "none"}


def _cache_columns(cache: ExpertCache | Off | None) -> Row:
    if isinstance(cache, ExpertCache):
        return {
            "expert_cache": "on",
            "cache_mib": cache.mib,
            "cache_reserve_mib": cache.reserve_mib,
            "cache_note": cache.note,
        }
    return {"expert_cache": cache and "none"}


def _inferred_pointers(bundle: Bundle) -> dict[str, list[str]]:
    """List, by the place of each run in the bundle, the pointers below it that were inferred."""
    inferred: dict[str, list[str]] = defaultdict(list)
    for at, entry in bundle.origins.items():
        if entry and entry.how == "inferred" and at.startswith("/runs/"):
            index, _, below = at.removeprefix("/runs/").partition("/")
            inferred[index].append(f"/{below}")
    return inferred


def _measurement_rows(filed: Filed, index: int, run: Run, ids: Row) -> Iterator[Row]:
    for position, measurement in enumerate(run.measurements):
        evidence = measurement.evidence
        at = f"/runs/{index}/measurements/{position}"
        state = state_of(filed.statuses, "", f"/runs/{index}", at)
        yield {
            "measurement_id": f"{ids['run_id']}/{position}",
            **ids,
            **vars(measurement),
            "source": evidence.source,
            "source_url": filed.bundle.sources[evidence.source].url,
            "line": evidence.line,
            "status": state.state,
            "status_reason": state.reason,
        }


_KIND = (
    "quantity", "workload", "protocol", "context_tokens", "nominal_tokens", "streams",
)  # fmt: skip


def _mark_first(measured: list[Row]) -> None:
    """Mark, of a run's active numbers of one kind, the one that stands for all: the most repeated.

    It is done here, where a run's rows lie together: a window over the whole table would have to
    be computed for every question that is asked of a part of it.
    """
    best: dict[tuple[Any, ...], Row] = {}
    for row in measured:
        row["first_of_kind"] = False
        if row["status"] == "active" and any(
            row[field] is not None for field in ("value", "low", "high")
        ):
            kind = tuple(row[field] for field in _KIND)
            best[kind] = min(best.get(kind, row), row, key=_rank)
    for row in best.values():
        row["first_of_kind"] = True


def _rank(row: Row) -> tuple[int, str]:
    return -(row["n"] or 0), row["measurement_id"]


def catalog_rows(catalog: Catalog) -> Rows:
    """Flatten the catalogue into rows of the `catalog_*` tables."""
    generations = catalog.generations
    return {
        "catalog_models": [
            _renamed(m.model_dump(), "id", "model") for m in catalog.models.values()
        ],
        "catalog_variants": [
            _variant_row(model, variant, catalog)
            for model in catalog.models.values()
            for variant in model.variants
        ],
        "catalog_slugs": [
            {
                **_renamed(slug.model_dump(), "id", "slug"),
                "drafter": slug.drafter.kind if slug.drafter else None,
                "drafter_depth": slug.drafter.depth if slug.drafter else None,
                "drafter_device": slug.drafter.device if slug.drafter else None,
            }
            for slug in catalog.slugs.values()
        ],
        "catalog_cpus": [
            {
                **_renamed(cpu.model_dump(), "id", "cpu"),
                "core_speed": generations[cpu.generation].core_speed,
            }
            for cpu in catalog.cpus.values()
        ],
        "catalog_gpus": [_renamed(g.model_dump(), "id", "gpu") for g in catalog.gpus.values()],
        "catalog_bandwidth": [
            _renamed(m.model_dump(), "id", "method") for m in catalog.bandwidth.values()
        ],
        "catalog_protocols": [
            _renamed(p.model_dump(), "id", "protocol") for p in catalog.protocols.values()
        ],
        "catalog_quantities": [
            _renamed(q.model_dump(), "id", "quantity") for q in catalog.quantities.values()
        ],
        "catalog_engines": [
            _renamed(e.model_dump(), "id", "engine") for e in catalog.engines.values()
        ],
    }


def _renamed(row: Row, old: str, new: str) -> Row:
    return {**row, new: row[old]}


def _variant_row(model: ModelEntry, variant: Variant, catalog: Catalog) -> Row:
    bundles = variant.bundles_mib(model)
    return {
        **variant.model_dump(),
        "model": model.id,
        "dense_bits": catalog.quants[variant.quant].dense_bits,
        "bundle_mib": bundles or None,
        "routed_gib": sum(bundles) / 1024 if bundles else None,
    }

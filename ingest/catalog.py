"""The catalogue: what exists. TOML under `data/catalog/`, reviewed like code, checked like bundles.

Every entry cites its `source`; what its source does not state is listed in `inferred`.
"""

import tomllib
from collections import Counter
from collections.abc import Container, Iterable
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ingest.problem import Problem
from ingest.shape import shape_problems

Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")]
SlugId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*/[a-z0-9][a-z0-9._-]*$")]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Natural = Annotated[int, Field(ge=1)]
Sources = Annotated[tuple[str, ...], Field(min_length=1)]


T = TypeVar("T", bound=BaseModel)


class Entry(BaseModel):
    """Base of every catalogue entry: frozen, unknown keys are errors, the source is required."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Sources
    inferred: tuple[str, ...] = ()
    note: str | None = None


class Variant(Entry):
    """One model at one quant: what its file holds.

    `bundle_mib` is the routed experts of one mixture-of-experts layer, `bundle_mib_by_layer` the
    layers that differ (block index → MiB), `dense_gib` everything read for every token outside the
    routed experts, `embedding_gib` the look-up tables, which stay on the host and are read a row a
    token. `kernel` names the kernel class of the routed experts (`quants.toml`). `prediction_gib`
    counts the experts of prediction layers in the file: the host keeps them, plain decoding skips
    them.
    """

    quant: str
    kernel: Key
    routed_bits: Positive | None = None
    bundle_mib: Positive | None = None
    bundle_mib_by_layer: dict[str, Positive] = Field(default_factory=dict)
    dense_gib: NonNegative | None = None
    embedding_gib: NonNegative | None = None
    prediction_gib: NonNegative | None = None
    file_gib: Positive | None = None
    shards: Natural | None = None
    files: str | None = None

    def bundles_mib(self, model: "ModelEntry") -> list[float]:
        """List the routed MiB of each mixture-of-experts layer, first to last; [] if unknown."""
        if self.bundle_mib is None or not model.moe_layers:
            return []
        return [
            self.bundle_mib_by_layer.get(str(block), self.bundle_mib)
            for block in model.moe_blocks()
        ]


class ModelEntry(Entry):
    """An architecture and its variants.

    `parameters_b` and `always_active_b` are in 1e9; `always_active_b` counts what every token reads
    outside the routed experts, `embedding_b` the look-up tables (a row a token) and `mtp_b` the
    prediction layers that plain decoding skips: routed + always active + embedding + prediction
    layers = all. `expert_ffn` is the inner width of one expert, `expert_hidden` its outer width
    where that is not `hidden`. `kv_mib_per_1k` is the cache of 1000 tokens at f16, and where it is
    not published `kv_mib_per_1k_at_most` all that was seen to grow with the context. MoE layers are
    `first_moe_layer`, + `moe_layer_step`, …
    """

    id: Key
    name: str
    family: Key
    kind: Literal["moe", "dense"]
    parameters_b: Positive
    layers: Natural | None = None
    moe_layers: Count | None = None
    first_moe_layer: Count = 0
    experts: Natural | None = None
    experts_per_token: Natural | None = None
    shared_experts: Count | None = None
    hidden: Natural | None = None
    expert_ffn: Natural | None = None
    expert_hidden: Natural | None = None
    moe_layer_step: Natural = 1
    expert_matrices: Natural = 3
    always_active_b: Positive | None = None
    embedding_b: NonNegative | None = None
    mtp_b: NonNegative | None = None
    native_ctx: Natural | None = None
    kv_mib_per_1k: NonNegative | None = None
    kv_mib_per_1k_at_most: NonNegative | None = None
    variants: tuple[Variant, ...] = ()

    def moe_blocks(self) -> range:
        """List the block indices of the mixture-of-experts layers; empty if unknown."""
        first, step = self.first_moe_layer, self.moe_layer_step
        return range(first, first + step * (self.moe_layers or 0), step)

    def variant(self, quant: str) -> Variant | None:
        """Find the variant of `quant`, or None."""
        return next((v for v in self.variants if v.quant == quant), None)

    @cached_property
    def routed_mib(self) -> dict[str, float]:
        """Give the routed experts of all layers together by quant, 0 where unknown; added once."""
        return {variant.quant: sum(variant.bundles_mib(self)) for variant in self.variants}


class Quant(Entry):
    """A quantisation by name, with the typical bits per weight of a file of that name.

    They are used where a model has no tensor table, and marked inferred there.
    """

    id: str
    kernel: Key
    routed_bits: Positive
    dense_bits: Positive


class Kernel(Entry):
    """A class of CPU matrix kernels that decode at about one rate per core."""

    id: Key
    meaning: str


class CpuEntry(Entry):
    """A processor. `match` lists lower-case fragments; all words of one must occur in a name.

    `channels` is per socket; `all_core_ghz` under load on all cores; `ccds` counts core dies.
    """

    id: Key
    name: str
    match: Annotated[tuple[str, ...], Field(min_length=1)]
    vendor: Literal["amd", "intel", "ampere", "arm", "apple", "other"]
    generation: Key
    platform: Literal["desktop", "mobile", "hedt", "workstation", "server"]
    cores: Natural
    threads: Natural
    all_core_ghz: Positive
    channels: Natural
    memory: str
    mts_max: Positive
    ccds: Natural | None = None
    sockets_max: Natural = 1


class Generation(Entry):
    """A core generation. `core_speed` is its per-clock speed on these kernels, Zen 2 = 1."""

    id: Key
    name: str
    core_speed: Positive


class GpuEntry(Entry):
    """A graphics card: VRAM in GiB, memory bandwidth in GB/s, as rated by its maker.

    `peak_tops` is 1e12 dense operations a second in its fastest matrix format, a bound.
    """

    id: Key
    name: str
    match: Annotated[tuple[str, ...], Field(min_length=1)]
    vendor: Literal["nvidia", "amd", "intel", "apple", "other"]
    vram_gib: Positive
    bandwidth_gbps: Positive
    peak_tops: Positive | None = None


class Protocol(Entry):
    """Everything that must be equal for two numbers to be comparable."""

    id: Key
    meaning: str
    sampling: Literal["sampled", "greedy", "none", "unknown"]
    clock: str
    prompts: str | None = None
    warm_ups: Count | None = None
    measured_runs: Natural | None = None
    canonical: bool = False


class BandwidthMethod(Entry):
    """How a GB/s was measured. `reads_per_gbps` converts a figure to read bandwidth (a prior)."""

    id: Key
    meaning: str
    measured: bool
    counts: Literal["triad", "read", "copy", "rated", "unknown"]
    reads_per_gbps: Positive


class Quantity(Entry):
    """A thing that is measured, its unit and the range outside which a value is impossible."""

    id: Key
    meaning: str
    unit: str
    low: float
    high: float
    higher_is_better: bool | None = None


class Workload(Entry):
    """A kind of prompt."""

    id: Key
    meaning: str


class EngineEntry(Entry):
    """A serving engine or a fork of one; `family` groups those with the same CPU kernels."""

    id: Key
    name: str
    family: Key


class Residency(BaseModel):
    """The constants of the reference launcher for one slug, in MiB per card."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bundle_mib: Positive
    window_layers: Natural
    first_layer: Count = 0
    reserve_mib: NonNegative = 18000
    draft_mib: NonNegative = 0
    first_card_extra_mib: NonNegative = 768


class SlugDrafter(BaseModel):
    """The drafter that a slug launches with."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: str
    depth: Natural
    device: Literal["cpu", "gpu"]
    file_gib: Positive | None = None


class Slug(Entry):
    """A named way to serve one variant: weights, engine and launch.

    `reference_gpu` is a `gpus.toml` id and `cards` how many of it the slug is made for.
    """

    id: SlugId
    model: Key
    quant: str
    engine: Key
    cards: Natural
    reference_gpu: Key
    offload: Literal["experts", "none"]
    ctx: Natural | None = None
    batch: Natural | None = None
    ubatch: Natural | None = None
    kv: str | None = None
    threads: str | None = None
    drafter: SlugDrafter | None = None
    expert_cache: bool = False
    residency: Residency | None = None
    host_ram_gib: Positive | None = None
    status: Literal["production", "experimental", "incubating", "deprecated", "unknown"]
    engine_floor: str | None = None
    port: Natural | None = None


class Alias(BaseModel):
    """One spelling met in the wild.

    `to` is a catalogue id, or empty where the spelling names none (`reason` says why). `model`
    narrows a slug spelling that several models share.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    spelled: Annotated[str, Field(min_length=1)]
    to: str
    model: Key | None = None
    reason: str | None = None


class Exclusion(Entry):
    """A rule, on inputs alone, that keeps rows out of the fit and the score.

    `where` is an SQL predicate over the columns of the view `decode_features`.
    """

    id: Key
    meaning: str
    where: str
    accident: bool = False


class Catalog(NamedTuple):
    """The whole catalogue, each table keyed by id (spelling for aliases)."""

    models: dict[str, ModelEntry]
    quants: dict[str, Quant]
    kernels: dict[str, Kernel]
    cpus: dict[str, CpuEntry]
    generations: dict[str, Generation]
    gpus: dict[str, GpuEntry]
    protocols: dict[str, Protocol]
    workloads: dict[str, Workload]
    bandwidth: dict[str, BandwidthMethod]
    quantities: dict[str, Quantity]
    engines: dict[str, EngineEntry]
    slugs: dict[str, Slug]
    exclusions: dict[str, Exclusion]
    model_aliases: tuple[Alias, ...]
    quant_aliases: tuple[Alias, ...]
    slug_aliases: tuple[Alias, ...]
    engine_aliases: tuple[Alias, ...]


# file → {table in the file: (catalogue field, entry type)}
TABLES: dict[str, dict[str, tuple[str, type[BaseModel]]]] = {
    "quants.toml": {"quants": ("quants", Quant), "kernels": ("kernels", Kernel)},
    "cpus.toml": {"cpus": ("cpus", CpuEntry), "generations": ("generations", Generation)},
    "gpus.toml": {"gpus": ("gpus", GpuEntry)},
    "protocols.toml": {
        "protocols": ("protocols", Protocol),
        "workloads": ("workloads", Workload),
        "engines": ("engines", EngineEntry),
    },
    "bandwidth.toml": {"methods": ("bandwidth", BandwidthMethod)},
    "quantities.toml": {"quantities": ("quantities", Quantity)},
    "slugs.toml": {"slugs": ("slugs", Slug)},
    "exclusions.toml": {"exclusions": ("exclusions", Exclusion)},
    "aliases.toml": {
        "models": ("model_aliases", Alias),
        "quants": ("quant_aliases", Alias),
        "slugs": ("slug_aliases", Alias),
        "engines": ("engine_aliases", Alias),
    },
}


def fold(spelling: str) -> str:
    """Fold a spelling for look-up: case and runs of white space do not count."""
    return " ".join(spelling.casefold().split())


def load_catalog(root: Path) -> tuple[Catalog, list[Problem]]:
    """Read and check every table below `root`; all problems are listed, bad entries left out."""
    problems: list[Problem] = []
    tables: dict[str, list[Any]] = {field: [] for field in Catalog._fields}
    tables["models"] = _read_models(root / "models", problems)
    for file, parts in TABLES.items():
        document = _read_toml(root / file, problems)
        problems += [
            Problem(str(root / file), key, f"unknown table; known: {', '.join(parts)}")
            for key in document.keys() - parts.keys()
        ]
        for table, (field, entry) in parts.items():
            tables[field] = _entries(
                str(root / file), table, document.get(table, []), entry, problems
            )
    catalog = Catalog(
        **{field: _keyed(field, rows, problems, root) for field, rows in tables.items()}
    )
    return catalog, problems + reference_problems(catalog, root)


def _read_toml(path: Path, problems: list[Problem]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        problems.append(Problem(str(path), "", "the file is missing; restore it"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problems.append(Problem(str(path), "", f"is not TOML: {error}"))
    return {}


def _read_models(folder: Path, problems: list[Problem]) -> list[ModelEntry]:
    models = []
    for path in sorted(folder.glob("*.toml")):
        found = _entries(str(path), "", [_read_toml(path, problems)], ModelEntry, problems)
        problems += [
            Problem(str(path), "id", f"should be the file's name, {path.stem!r}, got {model.id!r}")
            for model in found
            if model.id != path.stem
        ]
        models += found
    return models


def _entries(
    path: str, table: str, rows: object, entry: type[T], problems: list[Problem]
) -> list[T]:
    if not isinstance(rows, list):
        problems.append(Problem(path, table, f"should be a list: write [[{table}]]"))
        return []
    entries = []
    for index, row in enumerate(rows):
        try:
            entries.append(entry.model_validate(row))
        except ValidationError as error:
            prefix = f"{table}[{index}]." if table else ""
            problems += [
                problem._replace(where=prefix + problem.where)
                for problem in shape_problems(path, error, entry)
            ]
    return entries


def _keyed(field: str, rows: list[Any], problems: list[Problem], root: Path) -> Any:  # noqa: ANN401 - a Catalog field
    if field.endswith("_aliases"):
        keys = [(fold(row.spelled), row.model) for row in rows]
    else:
        keys = [row.id for row in rows]
    problems += [
        Problem(str(root), field, f"{key!r} stands {n} times; keep one")
        for key, n in Counter(keys).items()
        if n > 1
    ]
    return tuple(rows) if field.endswith("_aliases") else dict(zip(keys, rows, strict=True))


def reference_problems(catalog: Catalog, root: Path) -> list[Problem]:
    """List every name in the catalogue that points at an entry which does not exist."""
    wanted: list[tuple[str, str, str, Container[str]]] = [
        *(
            (f"models/{m.id}.toml", f"variants.{v.quant}.quant", v.quant, catalog.quants)
            for m in catalog.models.values()
            for v in m.variants
        ),
        *(
            (f"models/{m.id}.toml", f"variants.{v.quant}.kernel", v.kernel, catalog.kernels)
            for m in catalog.models.values()
            for v in m.variants
        ),
        *(
            ("quants.toml", f"{q.id}.kernel", q.kernel, catalog.kernels)
            for q in catalog.quants.values()
        ),
        *(
            ("cpus.toml", f"{c.id}.generation", c.generation, catalog.generations)
            for c in catalog.cpus.values()
        ),
        *(("slugs.toml", f"{s.id}.model", s.model, catalog.models) for s in catalog.slugs.values()),
        *(("slugs.toml", f"{s.id}.quant", s.quant, catalog.quants) for s in catalog.slugs.values()),
        *(
            ("slugs.toml", f"{s.id}.engine", s.engine, catalog.engines)
            for s in catalog.slugs.values()
        ),
        *(
            ("slugs.toml", f"{s.id}.reference_gpu", s.reference_gpu, catalog.gpus)
            for s in catalog.slugs.values()
        ),
        *_alias_references(catalog),
    ]
    return [
        Problem(str(root / file), where, f"names {name!r}, which the catalogue does not have")
        for file, where, name, table in wanted
        if name not in table
    ]


def _alias_references(catalog: Catalog) -> Iterable[tuple[str, str, str, Container[str]]]:
    tables = (
        (catalog.model_aliases, "models", catalog.models),
        (catalog.quant_aliases, "quants", catalog.quants),
        (catalog.slug_aliases, "slugs", catalog.slugs),
        (catalog.engine_aliases, "engines", catalog.engines),
    )
    for aliases, name, table in tables:
        for alias in aliases:
            if alias.to:
                yield "aliases.toml", f"{name}.{alias.spelled!r}.to", alias.to, table
            if alias.model:
                yield "aliases.toml", f"{name}.{alias.spelled!r}.model", alias.model, catalog.models

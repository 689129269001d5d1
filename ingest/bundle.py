"""The bundle: one report in its typed, checked, redacted form (`report.json`).

Three values stand everywhere for three facts: `null` is unknown, `{"kind": "none"}` is known to be
off, and `0` is a measured zero.

Format history
--------------
1  2026-12  first public form.
"""

import hashlib
import json
from collections.abc import Iterable
from datetime import date as Date  # noqa: N812 - a field below is named `date`
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION: Literal[1] = 1

How = Literal["measured", "reported", "inferred"]
Finite = Annotated[float, Field(allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Natural = Annotated[int, Field(ge=1)]
Text = Annotated[str, Field(min_length=1, max_length=2000)]
Key = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")]
"""A name that may become a path segment or part of an address."""


MAX_RUNS = 500
"""Twenty times the largest report of the public record; a longer sweep is several bundles."""

MAX_MEASUREMENTS = 500
"""Of one run: forty times the most of the public record."""


class Model(BaseModel):
    """Base of every part of a bundle: frozen, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Off(Model):
    """Known to be off or absent, as against `null`, which is unknown."""

    kind: Literal["none"]


OFF = Off(kind="none")


class Source(Model):
    """Where figures were published. `author` is a public handle; `post` the order in a thread."""

    kind: Literal["thread", "issue", "comment", "document", "table", "upload", "capture", "file"]
    url: Text
    author: Text | None = None
    date: Date | None = None
    post: Natural | None = None


class Provenance(Model):
    """How one filled field came to be: `source` indexes `Bundle.sources`, `line` the raw text."""

    how: How
    source: Count = 0
    line: Natural | None = None
    note: Text | None = None


class Cpu(Model):
    """The processor(s). `cores` and `threads` count physical and logical over all sockets."""

    model: Text | None = None
    generation: Text | None = None
    all_core_ghz: Positive | None = None
    sockets: Natural | None = None
    cores: Natural | None = None
    threads: Natural | None = None
    guest: bool | None = None


class Bandwidth(Model):
    """One memory-bandwidth figure in GB/s (1e9 bytes), of the method named."""

    gbps: Positive | None = None
    low: Positive | None = None
    high: Positive | None = None
    method: Key
    threads: Natural | None = None
    under_load: bool | None = None
    note: Text | None = None


class Memory(Model):
    """Host memory. `gib` is binary, `mts` the configured rate, channels over all sockets."""

    gib: Positive | None = None
    kind: Text | None = None
    mts: Positive | None = None
    dimms: Text | None = None
    channels_populated: Natural | None = None
    channels_total: Natural | None = None
    numa_nodes: Natural | None = None
    thp: Text | None = None
    bandwidth: tuple[Bandwidth, ...] = ()


class Gpu(Model):
    """One card of the box, whether or not a run used it."""

    name: Text
    vram_mib: Positive | None = None
    power_w: Positive | None = None
    power_default_w: Positive | None = None
    link: Text | None = None


class Rig(Model):
    """A machine as populated, clocked and capped at one time. `gpus` has one entry a card."""

    machine: Key
    state: Key
    cpu: Cpu = Cpu()
    memory: Memory = Memory()
    gpus: Off | tuple[Gpu, ...] | None = None
    os: Text | None = None
    environment: Text | None = None


class Weights(Model):
    """What was really served. `model` and `quant` are catalogue ids, null when not mapped."""

    model: Key | None = None
    quant: Text | None = None
    spelled: Text | None = None
    file: Text | None = None
    gib: Positive | None = None


class Engine(Model):
    """The serving program: catalogue `name`, `build` as stated."""

    name: Key | None = None
    spelled: Text | None = None
    build: Text | None = None


OffloadKind = Literal["resident", "experts", "layers", "cpu-only", "fit", "engine-managed"]


class Offload(Model):
    """What left the GPUs.

    `resident` nothing; `experts` routed experts of `layers_on_cpu` layers; `layers` whole layers;
    `cpu-only` everything; `fit` the engine's or the launcher's own fitter decided;
    `engine-managed` an engine that streams or hybridises by itself.
    """

    kind: OffloadKind
    layers_on_cpu: Count | None = None
    rules: Text | None = None


class Drafter(Model):
    """A speculative drafter. `depth` is the most tokens drafted per pass."""

    kind: Text
    depth: Count | None = None
    device: Literal["cpu", "gpu"] | None = None


class ExpertCache(Model):
    """A GPU cache of routed experts. `mib` is the pool over all cards; null where automatic."""

    mib: NonNegative | None = None
    reserve_mib: NonNegative | None = None
    note: Text | None = None


class Launch(Model):
    """The launch line as far as it is known."""

    argv: tuple[str, ...] | None = None
    threads: Natural | None = None
    threads_batch: Natural | None = None
    batch: Natural | None = None
    ubatch: Natural | None = None
    ctx: Natural | None = None
    kv: Text | None = None
    gpus_used: Count | None = None
    sockets_used: Natural | None = None
    numa: Text | None = None
    tensor_parallel: Natural | None = None
    thinking: bool | None = None
    offload: Offload | None = None
    # Off is tried first: {"kind": "none"} would also read as a drafter of the kind "none".
    drafter: Annotated[Off | Drafter | None, Field(union_mode="left_to_right")] = None
    expert_cache: Annotated[Off | ExpertCache | None, Field(union_mode="left_to_right")] = None


class Series(Model):
    """A sweep that a run is one point of, and the field that varies."""

    name: Key
    axis: Text


class Outcome(Model):
    """How the run ended; failed runs are rows too."""

    state: Literal["ok", "partial", "failed", "refused"] = "ok"
    stage: Text | None = None
    reason: Text | None = None


class Stage(Model):
    """One stage of a report suite."""

    outcome: Literal["pass", "advisory", "fail", "timeout", "skipped"]
    passed: Count | None = None
    total: Count | None = None
    exit: int | None = None
    note: Text | None = None


StageName = Literal["verify", "stress", "soak", "bench", "agentic"]


class Suite(Model):
    """The verdict that a report suite printed over all of its stages."""

    overall: Literal["pass", "advisory", "fail"] | None = None
    exit: int | None = None


class Anomaly(Model):
    """Something odd that the source itself describes."""

    what: Text
    boots_affected: Count | None = None
    boots: Natural | None = None
    quantities: tuple[Key, ...] = ()
    evidence: Text | None = None


class Quality(Model):
    """A quality pack's score."""

    pack: Text
    version: Text | None = None
    passed: NonNegative
    total: Natural
    thinking: bool | None = None
    skipped: Count | None = None


class Evidence(Model):
    """The source a number was read from, and the line of the raw text beside the bundle."""

    source: Count = 0
    line: Natural | None = None


class Measurement(Model):
    """One number of a run. `low`/`high` keep a published range; `value` may then be null."""

    quantity: Key
    workload: Key | None = None
    prompt_tokens: Count | None = None
    context_tokens: Count | None = None
    nominal_tokens: Count | None = None
    streams: Natural | None = None
    protocol: Key
    value: Finite | None = None
    low: Finite | None = None
    high: Finite | None = None
    statistic: Literal["single", "median", "mean", "range", "approx"] | None = None
    sd: NonNegative | None = None
    cv: NonNegative | None = None
    n: Natural | None = None
    boots: Natural | None = None
    unit: Text
    evidence: Evidence = Evidence()
    how: How = "reported"


class Run(Model):
    """One configuration on one rig state."""

    id: Key
    slug: Text | None = None
    named: Text | None = None
    weights: Weights = Weights()
    engine: Engine = Engine()
    launch: Launch = Launch()
    origin: Literal["suite", "rerun", "standalone"] | None = None
    rerun_of: Key | None = None
    series: Series | None = None
    outcome: Outcome = Outcome()
    stages: dict[StageName, Stage] = Field(default_factory=dict)
    suite: Suite | None = None
    anomalies: tuple[Anomaly, ...] = ()
    quality: tuple[Quality, ...] = ()
    measurements: Annotated[tuple[Measurement, ...], Field(max_length=MAX_MEASUREMENTS)] = ()


class Bundle(Model):
    """One report of one rig state. `id` is fixed at creation: see `bundle_id`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    id: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    submitter: Text | None = None
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    rig: Rig
    runs: Annotated[tuple[Run, ...], Field(max_length=MAX_RUNS)] = ()
    provenance: dict[str, Provenance] = Field(default_factory=dict)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The filled fields as JSON; made once and shared, so not to be changed."""
        return self.model_dump(mode="json", exclude_unset=True, exclude_none=True)

    @cached_property
    def texts(self) -> list[tuple[str, str]]:
        """Every text of the bundle with its pointer; a launch line word by word."""
        return [
            (pointer, text)
            for pointer, value in leaves(self.document)
            for text in (value if isinstance(value, list) else [value])
            if isinstance(text, str)
        ]

    @cached_property
    def measured(self) -> list[tuple[str, Measurement]]:
        """Every measurement with its place in the file, as a person points at it."""
        return [
            (f"runs[{i}].measurements[{j}]", measurement)
            for i, run in enumerate(self.runs)
            for j, measurement in enumerate(run.measurements)
        ]

    @cached_property
    def origins(self) -> dict[str, Provenance | None]:
        """How each filled field of the rig and the runs came to be, by its pointer.

        The entry of the longest prefix of the pointer holds; identities and measurements, which
        carry their own evidence, are left out.
        """
        found: dict[str, Provenance | None] = {}
        rig = {**self.document["rig"], "machine": None, "state": None}
        self._trace(rig, "/rig", self.origin("/rig"), found)
        for index, run in enumerate(self.document.get("runs", ())):
            at = f"/runs/{index}"
            self._trace({**run, "id": None, "measurements": None}, at, self.origin(at), found)
        return found

    def _trace(
        self,
        value: object,
        pointer: str,
        above: Provenance | None,
        found: dict[str, Provenance | None],
    ) -> None:
        """Walk down from `value`, which forks, handing on the entry that holds above."""
        entry = self.provenance.get(pointer, above)
        for step, inner in _branches(value):
            at = f"{pointer}/{step}"
            if _forks(inner):
                self._trace(inner, at, entry, found)
            elif inner is not None and inner != []:
                found[at] = self.provenance.get(at, entry)

    def origin(self, pointer: str) -> Provenance | None:
        """Find how the field at `pointer` came to be: the entry of the longest prefix of it."""
        while pointer not in self.provenance:
            if not pointer:
                return None
            pointer = pointer.rpartition("/")[0]
        return self.provenance[pointer]


class Status(Model):
    """One line of `status.jsonl`: a state of a bundle, a run or one measurement.

    `target` is a JSON pointer into `report.json`; the empty string is the whole bundle.
    """

    target: str = ""
    state: Literal["active", "flagged", "superseded", "retracted"]
    reason: Text
    date: Date
    by: Text
    link: Text | None = None


def bundle_id(addresses: list[str], text: str) -> str:
    """Name a bundle: SHA-256 over its source addresses and its redacted raw text.

    Where there is no text, pass the bundle's `canonical_json` without its id instead.
    """
    whole = "\n".join([*sorted(addresses), text])
    return hashlib.sha256(whole.encode()).hexdigest()


def canonical_json(bundle: Bundle) -> str:
    """Write `bundle` the one way it is stored: unset fields left out, a final newline."""
    filled = bundle.model_dump(mode="json", exclude_defaults=True)
    whole = {"schema_version": bundle.schema_version, **filled}
    return json.dumps(whole, indent=2, ensure_ascii=False, sort_keys=False) + "\n"


def leaves(value: object, pointer: str = "") -> list[tuple[str, Any]]:
    """List the filled leaves below `value` as (JSON pointer, value); a text list is one."""
    found: list[tuple[str, Any]] = []
    if _forks(value):
        _collect(value, pointer, found)
    elif value is not None and value != []:
        found.append((pointer, value))
    return found


def _collect(value: object, pointer: str, found: list[tuple[str, Any]]) -> None:
    # Goes over every field of every bundle: one list that all add to, and no call for a text.
    for step, inner in _branches(value):
        at = f"{pointer}/{step}"
        if isinstance(inner, str):
            found.append((at, inner))
        elif _forks(inner):
            _collect(inner, at, found)
        elif inner is not None and inner != []:
            found.append((at, inner))


def _forks(value: object) -> bool:
    """Tell whether a value has parts of its own: an object, or a list of them."""
    if isinstance(value, list):
        return any(isinstance(item, dict | list) for item in value)
    return isinstance(value, dict)


def _branches(value: object) -> Iterable[tuple[int | str, object]]:
    """List the parts of a value that forks, each with its step of a JSON pointer."""
    if isinstance(value, dict):
        return [(_escaped(str(key)), inner) for key, inner in value.items()]
    return enumerate(value) if isinstance(value, list) else ()


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1") if "/" in key or "~" in key else key

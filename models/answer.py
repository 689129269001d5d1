"""What the predictor answers; `as_json` gives the published keys (`rigbook.predict/1`)."""

from typing import Any, NamedTuple


class Caution(NamedTuple):
    """A warning with its remedy; `code` is stable."""

    code: str
    message: str
    remedy: str


class Neighbour(NamedTuple):
    """A measured rig near the one asked about; `distance` is 0 for the same inputs."""

    rig: str
    tokens_per_s: float
    distance: float
    url: str


class Drafting(NamedTuple):
    """What depths give: `best_depth` is the fastest for the workload.

    `pays_above` is the accepted share from which `depth` beats no drafter; None where none does.
    """

    best_depth: int
    tokens_per_s: dict[int, float]
    depth: int
    pays_above: float | None


class Prefill(NamedTuple):
    """Prefill of `prompt_tokens`: speed with its interval, and seconds to the first token."""

    tokens_per_s: float
    low: float
    high: float
    ttft_s: float
    prompt_tokens: int
    ubatch: int


class Ceiling(NamedTuple):
    """Most context in tokens: what `boots`, and what the first deep prefill `survives`."""

    boots_tokens: int
    survives_tokens: int
    ubatch: int


class Answer(NamedTuple):
    """One slug (or variant) on the rig asked about, decode speed in tokens/s.

    `threads_enough`, `drafting`, `prefill` and `context` are worked out where advice was asked for;
    the last two are null without a card.
    """

    slug: str | None
    model: str
    quant: str
    workload: str
    tokens_per_s: float
    low: float
    high: float
    level: float
    basis: str
    rigs: int
    rows: int
    limit: str
    time_share: dict[str, float]
    wall_tokens_per_s: float
    host_ram_gib: float | None
    fits: bool | None
    threads: int
    layers_on_cpu: int
    tokens_per_pass: float
    depth: int
    acceptance: float | None
    hit_rate: float | None
    nearest: tuple[Neighbour, ...]
    warnings: tuple[Caution, ...]
    inferred: tuple[str, ...]
    own_run_factor: float | None = None
    threads_enough: tuple[int, int] | None = None
    drafting: Drafting | None = None
    prefill: Prefill | None = None
    context: Ceiling | None = None
    protocol: str = "club-canonical"
    quantity: str = "decode"

    def as_json(self) -> dict[str, Any]:
        """Give the published form."""
        plain = self._asdict()
        plain["nearest"] = [near._asdict() for near in self.nearest]
        plain["warnings"] = [warning._asdict() for warning in self.warnings]
        plain["inferred"] = list(self.inferred)
        plain["threads_enough"] = list(self.threads_enough) if self.threads_enough else None
        plain["prefill"] = self.prefill._asdict() if self.prefill else None
        plain["context"] = self.context._asdict() if self.context else None
        if self.drafting:
            speeds = {str(depth): speed for depth, speed in self.drafting.tokens_per_s.items()}
            plain["drafting"] = {**self.drafting._asdict(), "tokens_per_s": speeds}
        return plain


class Point(NamedTuple):
    """One point of a curve of decode speed over bandwidth, with its interval."""

    triad_gbps: float
    tokens_per_s: float
    low: float
    high: float

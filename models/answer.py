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


class Answer(NamedTuple):
    """One slug (or variant) on the rig asked about, decode speed in tokens/s."""

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
    protocol: str = "club-canonical"
    quantity: str = "decode"

    def as_json(self) -> dict[str, Any]:
        """Give the published form."""
        plain = self._asdict()
        plain["nearest"] = [near._asdict() for near in self.nearest]
        plain["warnings"] = [warning._asdict() for warning in self.warnings]
        plain["inferred"] = list(self.inferred)
        return plain


class Point(NamedTuple):
    """One point of a curve of decode speed over bandwidth, with its interval."""

    triad_gbps: float
    tokens_per_s: float
    low: float
    high: float

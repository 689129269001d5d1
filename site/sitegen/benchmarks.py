"""Rows of the community's own benchmark table, ready to paste: nobody formats by hand.

One line a run. The rig cell says cards, power cap and interconnect, then processor, memory and
bandwidth; the last cells say how the suite ended and how far the row can be trusted.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb

Row = Mapping[str, Any]

HEADS = (
    "Rig", "Slug", "Narr / code decode, tok/s", "CV", "Prefill 10K / 90K, tok/s", "TTFT, ms",
    "Acceptance", "Cache hits", "VRAM / host RAM, GiB", "Verify · stress · soak", "Engine", "Trust",
    "By, date",
)  # fmt: skip

NOTHING = "–"

_SIGNS = re.compile(r"([\\`*_{}\[\]<>()#|~$!])")


def escaped(raw: object) -> str:
    """Escape text for a cell of a Markdown table; a handle's @ mentions nobody."""
    words = " ".join(str(raw).split())
    return _SIGNS.sub(r"\\\1", words).replace("@", "@\u200b")


def table(rows: Iterable[Row]) -> str:
    """Write the table: heads, then one line a run."""
    lines = [" | ".join(HEADS), " | ".join("---" for _ in HEADS)]
    lines += [" | ".join(_cells(row)) for row in rows]
    return "".join(f"| {line} |\n" for line in lines)


def _cells(row: Row) -> list[str]:
    return [
        _rig(row),
        escaped(row["slug"]),
        _two(row["narrative"], row["code"]),
        _two(_percent(row["narrative_cv"]), _percent(row["code_cv"])),
        _two(row["prefill_10k"], row["prefill_90k"]),
        _number(row["ttft_ms"]),
        _two(_percent(row["narrative_acceptance"]), _percent(row["code_acceptance"])),
        _two(_percent(row["narrative_hits"]), _percent(row["code_hits"])),
        _two(row["vram_gib"], row["host_ram_gib"]),
        _stages(row),
        _joined(" ", row["engine"], row["engine_build"]),
        _joined(", ", row["trust"], row["flagged"] and f"flagged: {row['flagged']}"),
        _joined(", ", row["who"], row["date"]),
    ]


def _rig(row: Row) -> str:
    capped = row["power_w"] and (row["power_default_w"] is None or
                                 row["power_w"] < row["power_default_w"])  # fmt: skip
    power = f" @ {row['power_w']:g} W" if capped else ""
    cards = f"{escaped(row['gpu_names'])}{power}" if row["gpu_names"] else NOTHING
    memory = _joined(
        " ",
        row["memory_gib"] and f"{row['memory_gib']:.0f} GiB",
        row["channels"] and f"{row['channels']}ch",
        row["memory_kind"],
        row["mts"] and f"{row['mts']:.0f}",
    )
    band = row["gbps"] and f"{row['gbps']:.3g} GB/s {row['method']}"
    link = row["links"]
    told = [cards, escaped(link) if link else NOTHING, escaped(row["cpu"] or "?"), memory,
            escaped(band) if band else NOTHING]  # fmt: skip
    return "; ".join(part for part in told if part != NOTHING) or NOTHING


def _stages(row: Row) -> str:
    verdicts = [row[stage] for stage in ("verify", "stress", "soak")]
    return " · ".join(escaped(verdict) if verdict else NOTHING for verdict in verdicts)


def _joined(between: str, *parts: object) -> str:
    return between.join(escaped(part) for part in parts if part) or NOTHING


def _number(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or NOTHING
    return f"{value:.1f}" if abs(value) < 100 else f"{value:.0f}"


def _two(first: float | str | None, second: float | str | None) -> str:
    if first is None and second is None:
        return NOTHING
    return f"{_number(first)} / {_number(second)}"


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.1%}"


def read(connection: duckdb.DuckDBPyConnection, slug: str) -> list[dict[str, Any]]:
    """Read the runs of a slug that were measured, fastest first; flagged ones say so."""
    relation = connection.execute(_ROWS, [slug])
    names = [column[0] for column in relation.description or ()]
    return [dict(zip(names, values, strict=True)) for values in relation.fetchall()]


_ROWS = """
WITH wanted AS (SELECT run_id, state_id, bundle_id FROM runs WHERE slug = ?),
figures AS (
    SELECT run_id,
        max(central) FILTER (WHERE quantity = 'decode' AND workload = 'narrative') AS narrative,
        max(central) FILTER (WHERE quantity = 'decode' AND workload = 'code') AS code,
        max(cv) FILTER (WHERE quantity = 'decode' AND workload = 'narrative') AS narrative_cv,
        max(cv) FILTER (WHERE quantity = 'decode' AND workload = 'code') AS code_cv,
        max(central) FILTER (WHERE quantity = 'prefill' AND nominal_tokens = 10000) AS prefill_10k,
        max(central) FILTER (WHERE quantity = 'prefill' AND nominal_tokens = 90000) AS prefill_90k,
        min(central) FILTER (WHERE quantity = 'ttft') AS ttft_ms,
        max(central) FILTER (WHERE quantity = 'acceptance'
            AND coalesce(workload, 'narrative') = 'narrative') AS narrative_acceptance,
        max(central) FILTER (WHERE quantity = 'acceptance' AND workload = 'code')
            AS code_acceptance,
        max(central) FILTER (WHERE quantity = 'hit_rate'
            AND coalesce(workload, 'narrative') = 'narrative') AS narrative_hits,
        max(central) FILTER (WHERE quantity = 'hit_rate' AND workload = 'code') AS code_hits,
        max(central) FILTER (WHERE quantity = 'vram') AS vram_gib,
        max(central) FILTER (WHERE quantity = 'host_ram') AS host_ram_gib,
        max(trust) AS trust, max(status_reason) AS flagged
    FROM (
        SELECT m.*, coalesce(m.value, (m.low + m.high) / 2) AS central, t.trust
        FROM measurements AS m
        LEFT JOIN (
            SELECT measurement_id, trust FROM trust WHERE run_id IN (SELECT run_id FROM wanted)
        ) AS t USING (measurement_id)
        WHERE m.run_id IN (SELECT run_id FROM wanted) AND m.status IN ('active', 'flagged')
            AND m.protocol <> 'greedy-completion'
    )
    GROUP BY run_id
)
SELECT r.slug, f.*, r.verify, r.stress, r.soak, r.engine, r.engine_build, s.gpu_names,
    s.memory_gib, coalesce(s.channels_populated, s.channels_total) AS channels, s.memory_kind,
    s.mts, coalesce(c.name, s.cpu_model) AS cpu, b.gbps, b.method, g.power_w, g.power_default_w,
    g.links, coalesce(bundle.submitter, o.author) AS who, bundle.date
FROM runs AS r
JOIN figures AS f USING (run_id)
JOIN bundles AS bundle ON bundle.bundle_id = r.bundle_id
JOIN rig_states AS s ON s.state_id = r.state_id
LEFT JOIN catalog_cpus AS c ON c.cpu = s.cpu
LEFT JOIN sources AS o ON o.bundle_id = r.bundle_id AND o.source = 0
LEFT JOIN (
    SELECT state_id, max(power_w) AS power_w, max(power_default_w) AS power_default_w,
        string_agg(DISTINCT link, ', ' ORDER BY link) AS links
    FROM rig_gpus WHERE state_id IN (SELECT state_id FROM wanted) GROUP BY state_id
) AS g ON g.state_id = r.state_id
LEFT JOIN (
    SELECT bundle_id, first(coalesce(gbps, (low + high) / 2) ORDER BY method) AS gbps,
        first(method ORDER BY method) AS method
    FROM rig_bandwidth JOIN catalog_bandwidth USING (method)
    WHERE measured AND bundle_id IN (SELECT bundle_id FROM wanted) GROUP BY bundle_id
) AS b ON b.bundle_id = r.bundle_id
WHERE r.run_id IN (SELECT run_id FROM wanted) AND r.outcome IN ('ok', 'partial')
    AND r.run_id NOT IN (SELECT run_id FROM duplicates)
    AND coalesce(f.narrative, f.code) IS NOT NULL
ORDER BY f.narrative DESC NULLS LAST, f.code DESC NULLS LAST, r.run_id
"""

import json
from typing import Any

import pytest

from ingest.bundle import Engine, Measurement, Memory, Rig, Run, Source, Weights
from ingest.catalog import Catalog
from ingest.filing import Parts
from ingest.record.machine import Machine
from ingest.record.overlap import absorbed
from ingest.record.row import Collected, Merged, merged

THREAD = "github.com/noonghunna/club-3090/discussions/1"
ROW: dict[str, Any] = {
    "source": "BENCHMARKS.md#x",
    "handle": "ada",
    "model": "DeepSeek-V4-Flash-0731",
    "quant": "UD-Q8_K_XL",
    "engine": "llama.cpp",
    "protocol": "sampled",
    "workload": "code",
    "decode_tps": 26.9,
    "ttft_ms": 169,
    "host_ram_gib": 140,
}
ADA = Machine("ada-epyc", inferred=False)


def seeded() -> Parts:
    figures = (
        Measurement(quantity="decode", workload="code", protocol="club-canonical", value=26.9,
                    unit="tokens/s"),
        Measurement(quantity="ttft", protocol="club-canonical", value=169, unit="ms"),
    )  # fmt: skip
    run = Run(
        id="q8",
        weights=Weights(model="deepseek-v4-flash-0731", quant="UD-Q8_K_XL"),
        engine=Engine(name="llama.cpp"),
        measurements=figures,
    )
    rig = Rig(machine="ada-epyc", state="ddr4", memory=Memory(mts=3200))
    return Parts(rig, (Source(kind="thread", url=THREAD, post=1),), (run,), {}, ("{}",), ())


def row(catalog: Catalog, **changes: object) -> Merged:
    told = ROW | changes
    (one,) = merged([Collected("club-tables", 1, json.dumps(told), told)], catalog)
    return one


def test_a_row_that_repeats_a_seed_run_adds_its_source_and_what_is_new(catalog: Catalog) -> None:
    (joined,), rest = absorbed([seeded()], [(row(catalog), ADA)])
    assert rest == []
    assert [source.url for source in joined.sources][1:] == [
        "github.com/noonghunna/club-3090 BENCHMARKS.md#x"
    ]
    new = joined.runs[0].measurements[2:]
    assert [(m.quantity, m.value, m.evidence.source, m.evidence.line) for m in new] == [
        ("host_ram", 140, 1, 2)
    ]


@pytest.mark.parametrize(
    ("changes", "machine"),
    [
        ({"decode_tps": 27.0}, ADA),
        ({"workload": "narrative"}, ADA),
        ({"quant": "UD-IQ2_XXS"}, ADA),
        ({}, Machine("bob-epyc", inferred=False)),
    ],
)
def test_a_row_of_another_run_stays_apart(
    catalog: Catalog, changes: dict[str, Any], machine: Machine
) -> None:
    one = row(catalog, **changes)
    joined, rest = absorbed([seeded()], [(one, machine)])
    assert (joined, rest) == ([seeded()], [(one, machine)])


def test_a_row_of_the_same_thread_without_figures_joins_the_state_it_names(
    catalog: Catalog,
) -> None:
    bare = {"source": THREAD, "decode_tps": None, "ttft_ms": None, "host_ram_gib": None}
    (joined,), rest = absorbed([seeded()], [(row(catalog, **bare, ram_mts=3200), ADA)])
    assert (rest, len(joined.lines)) == ([], 2)
    _, apart = absorbed([seeded()], [(row(catalog, **bare, ram_mts=3600), ADA)])
    assert len(apart) == 1

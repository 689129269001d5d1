"""Rules never raise, whatever a bundle says: hostile and odd bundles alike are only described."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import passes, plausible, text, walls
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.rules import RULES, rule_problems

NUMBERS = st.one_of(st.none(), st.floats(1e-9, 1e9), st.integers(1, 10_000))
COUNTS = st.one_of(st.none(), st.integers(1, 10_000))
VALUES = st.one_of(st.just(0.0), st.floats(-1e9, 1e9), st.floats(0, 1))
OFFLOADS = st.one_of(
    st.none(),
    st.builds(
        lambda kind, layers: {"kind": kind, "layers_on_cpu": layers},
        st.sampled_from(["resident", "experts", "layers", "cpu-only", "fit", "engine-managed"]),
        st.one_of(st.none(), st.integers(0, 500)),
    ),
)
DRAFTERS = st.one_of(
    st.none(),
    st.just({"kind": "none"}),
    st.builds(
        lambda depth: {"kind": "x", "depth": depth}, st.one_of(st.none(), st.integers(0, 99))
    ),
)
CACHES = st.sampled_from([None, {"kind": "none"}, {"mib": 4000}])
MEASUREMENTS = st.lists(
    st.builds(
        lambda quantity, workload, value, sd, n: {
            "quantity": quantity, "workload": workload, "value": value, "sd": sd, "n": n,
            "protocol": "club-canonical", "unit": "tokens/s",
        },
        st.sampled_from([
            "decode", "wall", "prefill", "acceptance", "hit_rate", "tokens_per_pass", "vram",
            "host_ram",
        ]),
        st.sampled_from([None, "narrative", "code"]),
        st.one_of(st.none(), VALUES),
        st.one_of(st.none(), st.floats(0, 10)),
        st.one_of(st.none(), st.integers(1, 9)),
    ),
    max_size=6,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_no_rule_raises_on_any_bundle(
    data: st.DataObject, document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog
) -> None:
    rig, run = document["rig"], document["runs"][0]
    for field, kind in (("gib", NUMBERS), ("mts", NUMBERS), ("channels_total", COUNTS),
                        ("channels_populated", COUNTS)):  # fmt: skip
        rig["memory"][field] = data.draw(kind)
    rig["memory"]["dimms"] = data.draw(st.sampled_from([None, "8", "7 of 8 slots", "0x0GB", "x"]))
    rig["cpu"]["sockets"] = data.draw(COUNTS)
    rig["cpu"]["cores"], rig["cpu"]["threads"] = data.draw(COUNTS), data.draw(COUNTS)
    rig["gpus"] = data.draw(st.sampled_from([
        None, {"kind": "none"}, [], [{"name": "?"}], [{"name": "RTX 3090", "vram_mib": 24576}],
    ]))  # fmt: skip
    run["launch"] |= {"offload": data.draw(OFFLOADS), "drafter": data.draw(DRAFTERS),
                      "expert_cache": data.draw(CACHES), "threads": data.draw(COUNTS)}  # fmt: skip
    run["measurements"] = data.draw(MEASUREMENTS)
    run["weights"]["file"] = data.draw(st.one_of(st.none(), st.text(min_size=1, max_size=30)))
    for problem in rule_problems(filed(document), catalog):
        assert problem.message
        assert problem.where


def test_every_module_of_rules_is_registered() -> None:
    modules = {rule.check.__module__ for rule in RULES}
    assert {one.__name__ for one in (passes, plausible, text, walls)} <= modules


@pytest.mark.parametrize(
    ("build", "number"),
    [("b10236", 10236), ("server-cuda-b10236", 10236), ("08a216474 (6457)", 6457),
     ("b3746-f26fe36", 3746), ("v0.24.0", None), ("e0a208949", None), (None, None)],
)  # fmt: skip
def test_build_numbers_are_read_as_engines_print_them(
    build: str | None, number: int | None
) -> None:
    assert passes.build_number(build) == number


@pytest.mark.parametrize(
    ("drafter", "told", "tokens"),
    [
        (None, {}, None),
        ({"kind": "none"}, {}, 1.0),
        ({"kind": "x"}, {}, None),
        ({"kind": "x", "depth": 5}, {}, 6.0),
        ({"kind": "x", "depth": 5}, {"acceptance": 0.4}, 3.0),
        ({"kind": "x", "depth": 5}, {"acceptance": 0.4, "tokens_per_pass": 2.2}, 2.2),
    ],
    ids=["untold", "off", "no depth", "depth", "acceptance", "tokens a pass"],
)
def test_a_pass_yields_as_much_as_is_told_and_never_less_than_is_possible(
    document: dict[str, Any], filed: Callable[..., Filed],
    drafter: dict[str, Any] | None, told: dict[str, float], tokens: float | None,
) -> None:  # fmt: skip
    run = document["runs"][0]
    run["launch"]["drafter"] = drafter
    run["measurements"] = [
        {"quantity": quantity, "protocol": "club-canonical", "value": value, "unit": "ratio"}
        for quantity, value in told.items()
    ]
    assert walls.most_tokens(filed(document).bundle.runs[0], None) == tokens

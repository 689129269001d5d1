import html
import re

import pytest

from sitegen.record import Record, Row
from sitegen.state import (
    bandwidth,
    best_figure,
    cards,
    central,
    memory,
    one_bandwidth,
    processor,
    rated,
    usable,
)

STATE = "one-epyc-7543@ddr4-3200-8ch"


def plain(shown: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def figure(**changes: object) -> Row:
    return {"gbps": 50.0, "low": None, "high": None, "measured": True, "method": "triad-v1",
            "bundle_id": "a", "under_load": None, "how": "reported", **changes}  # fmt: skip


def test_a_state_is_told_in_cells(record: Record) -> None:
    state = record.states[STATE]
    assert plain(processor(state).shown) == "AMD EPYC 7543 32-Core Processor 32 cores"
    assert plain(memory(state).shown) == "252 GiB, DDR4, 3,200 MT/s, 8 of 8 channels"
    assert plain(cards(state).shown) == "2x RTX 3090"


def test_no_cards_and_unknown_cards_are_two_things(record: Record) -> None:
    state = record.states[STATE]
    assert plain(cards({**state, "gpu_count": 0}).shown) == "none"
    assert plain(cards({**state, "gpu_count": None, "gpu_names": None}).shown) == "–"


def test_several_sockets_and_inferred_fields_are_marked(record: Record) -> None:
    state = {**record.states[STATE], "sockets": 2, "inferred": ["cores", "mts"]}
    assert plain(processor(state).shown).startswith("2 × AMD EPYC")
    assert "32 cores ◌" in plain(processor(state).shown)
    assert "3,200 MT/s ◌" in plain(memory(state).shown)


def test_the_figure_to_trust_is_measured_of_this_report_and_at_rest() -> None:
    other, own = figure(bundle_id="b"), figure()
    loaded, paper = figure(under_load=True), figure(measured=False, method="rated")
    empty = figure(gbps=None)
    assert usable([paper, other, loaded, empty, own], "a") == [own, loaded, other, paper]


def test_a_bandwidth_never_stands_without_its_method() -> None:
    assert plain(one_bandwidth(figure())) == "50 triad-v1"
    loaded = figure(under_load=True, how="inferred")
    assert plain(one_bandwidth(loaded)) == "50 ◌ triad-v1, under load"
    ranged = figure(gbps=None, low=85.0, high=102.0)
    assert plain(one_bandwidth(ranged)) == "85–102 triad-v1"
    assert central(ranged) == pytest.approx(93.5)


def test_without_a_figure_the_rating_stands_in_and_says_what_it_is(record: Record) -> None:
    state = "three-epyc-7543@ddr4-3200-8ch"
    assert plain(bandwidth(record, state).shown) == "205 ◌ rated, not a measurement"
    assert rated(record._replace(methods={}), state) is None
    unknown = {**record.states[state], "mts": None}
    assert best_figure(record._replace(states={state: unknown}), state) is None

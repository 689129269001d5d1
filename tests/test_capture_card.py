from typing import Any

import pytest

from capture.card import Expected, card
from capture.figure import figure
from capture.integrity import Finding
from capture.report import Drafted
from ingest.bundle import Bundle, Measurement
from ingest.filing import Draft
from rigbook.expectation import expectations

MODEL = Expected(
    tokens_per_s=15.1, low=12.0, high=18.9, level=0.8, limit="ram-bandwidth",
    wall_tokens_per_s=20.0, nearest=(("someone-else", 14.2),), remedies=("far: submit a run",),
)  # fmt: skip


def lines(document: dict[str, Any], expected: Any = None, panel: Any = ()) -> list[str]:  # noqa: ANN401 - mappings of the card
    bundle = Bundle.model_validate(document)
    return card(Drafted(bundle, Draft("", {}), (), {"q8": list(panel)}), expected or {})


def test_the_card_gives_numbers_with_spread_and_their_place_in_the_model(
    document: dict[str, Any],
) -> None:
    told = "\n".join(lines(document, {("q8", "narrative"): MODEL}))
    assert "AMD EPYC 7543 32-Core Processor: 1 socket, 32 cores, 64 threads" in told
    assert "252 GiB DDR4-3200, 8 of 8 channels, 116.0 GB/s triad-v1" in told
    assert "RTX 3090; RTX 3090" in told
    assert "decode           narrative    17.1 tokens/s (n 5)  [club-canonical]" in told
    assert (
        "model narrative: 15.1 tokens/s (12 to 18.9, 80%); yours is inside, 86% of the wall" in told
    )
    assert "limit: ram-bandwidth; try faster or more memory channels" in told
    assert "nearest rigs: someone-else 14.2" in told
    assert "q8-again: unknown weights on an unknown engine: failed, out of memory" in told


def test_the_model_is_told_once_a_run_where_workloads_agree(document: dict[str, Any]) -> None:
    first = document["runs"][0]["measurements"][0]
    document["runs"][0]["measurements"].append({**first, "workload": "code"})
    expected = {("q8", "narrative"): MODEL, ("q8", "code"): MODEL}
    told = "\n".join(lines(document, expected))
    assert told.count("nearest rigs") == 1
    assert told.count("yours is inside") == 2


def test_a_panel_stands_below_its_run(document: dict[str, Any]) -> None:
    panel = [Finding("swap", "fail", "64 MiB are paged out"), Finding("status", "pass", "all")]
    told = lines(document, None, panel)
    assert "  FAIL swap: 64 MiB are paged out" in told
    assert "  ok   status: all" in told


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"value": 12.934, "unit": "tokens/s", "sd": 0.13, "n": 5}, "12.9 tokens/s ± 0.13 (n 5)"),
        ({"value": 0.331, "unit": "ratio"}, "0.331"),
        ({"value": 2363.97, "unit": "tokens/s"}, "2,364 tokens/s"),
        ({"low": 11.0, "high": 13.0, "unit": "tokens/s"}, "11 to 13 tokens/s"),
    ],
)
def test_a_figure_has_its_unit_its_spread_and_its_count(fields: dict[str, Any], text: str) -> None:
    assert figure(Measurement(quantity="decode", protocol="anecdote", **fields)) == text


def test_the_shipped_model_answers_for_a_run_it_knows(document: dict[str, Any]) -> None:
    found, reasons = expectations(Bundle.model_validate(document))
    assert reasons == []
    expected = found["q8", "narrative"]
    assert expected.low <= expected.tokens_per_s <= expected.high
    assert expected.nearest


def test_a_run_that_cannot_be_predicted_says_why(document: dict[str, Any]) -> None:
    memory = document["rig"]["memory"]
    document["rig"]["memory"] = {"gib": memory["gib"]}
    found, reasons = expectations(Bundle.model_validate(document))
    assert found == {}
    assert reasons[0].startswith("q8 narrative: no prediction: give --triad")

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest import passes, plausible, text, walls  # noqa: F401 - each registers its rules
from ingest.bundle import Status
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.problem import Problem
from ingest.rules import RULES, rule_problems

Edit = Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]
REPORTS = Path(__file__).parent / "reports"
INVALID = sorted((REPORTS / "invalid").glob("*.json"))
PLAUSIBLE = sorted((REPORTS / "plausible").glob("*.json"))


def test_the_valid_bundle_breaks_no_rule(
    document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog
) -> None:
    assert rule_problems(filed(document), catalog) == []


def test_every_rule_has_its_invalid_bundle_and_says_what_it_is() -> None:
    cases = sorted(path.stem for path in INVALID + PLAUSIBLE)
    assert cases == sorted(rule.name for rule in RULES if rule.name != "a_report_not_a_dump")
    assert all(rule.check.__doc__ for rule in RULES)


@pytest.mark.parametrize("path", INVALID + PLAUSIBLE, ids=lambda path: path.stem)
def test_an_invalid_bundle_breaks_its_rule(
    path: Path, document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog, edit: Edit
) -> None:
    case = json.loads(path.read_text())
    statuses = tuple(Status.model_validate(status) for status in case.get("statuses", []))
    broken = filed(edit(document, case.get("edits", {})), statuses)
    rule = next(rule for rule in RULES if rule.name == path.stem)
    found = list(rule.check(broken, catalog))
    assert [place for place, _ in found] == [case["place"]]
    assert case["message"] in found[0][1]
    expected = Problem(f"{broken.path}/report.json", *found[0], rule.severity)
    assert expected in rule_problems(broken, catalog)


@pytest.mark.parametrize("path", PLAUSIBLE, ids=lambda path: path.stem)
def test_a_case_against_passes_its_rule(
    path: Path, document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog, edit: Edit
) -> None:
    case = json.loads(path.read_text())
    rule = next(rule for rule in RULES if rule.name == path.stem)
    assert list(rule.check(filed(edit(document, case["against"])), catalog)) == []


def test_all_findings_are_listed_not_the_first(
    document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog, edit: Edit
) -> None:
    edits = {
        "/runs/0/measurements/0/quantity": "decod",
        "/runs/0/measurements/1/protocol": "clubb",
        "/rig/memory/bandwidth/0/method": "triad",
    }
    assert len(rule_problems(filed(edit(document, edits)), catalog)) == 3


def test_a_bundle_of_too_many_numbers_is_refused_whole(
    document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog, edit: Edit
) -> None:
    told = document["runs"][0]["measurements"][0]
    runs = [{"id": f"r{i}", "measurements": [told] * 400} for i in range(13)]
    (problem,) = text.a_report_not_a_dump(filed(edit(document, {"/runs": runs})), catalog)
    assert problem == ("runs", "at most 5,000 numbers, got 5,200; split the bundle by series")
    runs = runs[:12]
    assert not list(text.a_report_not_a_dump(filed(edit(document, {"/runs": runs})), catalog))

"""What others cite and index agrees with what is built."""

import datetime as dt
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text())
CODEMETA: dict[str, Any] = json.loads((ROOT / "codemeta.json").read_text())
CFF_FIELDS = {
    "cff-version", "message", "title", "abstract", "type", "authors", "version", "date-released",
    "license", "keywords",
}  # fmt: skip
"""Of Citation File Format 1.2.0, those used here."""


def test_the_version_is_the_same_everywhere() -> None:
    assert CITATION["version"] == CODEMETA["version"] == PROJECT["version"]


def test_the_licences_are_the_same_everywhere() -> None:
    told = set(PROJECT["license"].split(" AND "))
    assert set(CITATION["license"]) == told
    assert {one.rpartition("/")[2] for one in CODEMETA["license"]} == told


@pytest.mark.parametrize("field", ["cff-version", "message", "title", "authors"])
def test_a_citation_has_what_its_format_demands(field: str) -> None:
    assert CITATION[field]
    assert set(CITATION) <= CFF_FIELDS
    assert CITATION["cff-version"] == "1.2.0"
    dt.date.fromisoformat(CITATION["date-released"])


def test_the_description_is_the_projects_own() -> None:
    assert CODEMETA["description"] == PROJECT["description"]
    assert CODEMETA["datePublished"] == CITATION["date-released"]

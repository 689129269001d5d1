import json
from typing import Any

from sitegen.explore import COLUMNS, explore_json
from sitegen.record import Record


def rows(record: Record) -> list[dict[str, Any]]:
    document = json.loads(explore_json(record))
    return [dict(zip(document["columns"], row, strict=True)) for row in document["rows"]]


def test_every_measurement_is_a_row_with_its_rig_and_bandwidth(record: Record) -> None:
    found = rows(record)
    assert len(found) == len(record.measurements)
    (one,) = [row for row in found if row["rig_page"] == "rigs/one-epyc-7543"
              and row["quantity"] == "decode"]  # fmt: skip
    assert (one["value"], one["gbps"], one["method"]) == (11.6, 52.0, "triad-v1")
    assert (one["served"], one["status"]) == ("llamacpp/deepseek-flash-dual-q8", "active")
    assert one["url"] == "https://example.org/rigs/1"


def test_doubtful_rows_are_there_with_their_reason(record: Record) -> None:
    doubtful = [row for row in rows(record) if row["status"] != "active"]
    assert [(row["value"], row["reason"]) for row in doubtful] == [(99.0, "paging")]


def test_an_address_that_may_not_be_linked_is_left_out(record: Record) -> None:
    wrong = [{**row, "source_url": "javascript:alert(1)"} for row in record.measurements]
    assert {row["url"] for row in rows(record._replace(measurements=wrong))} == {None}


def test_column_names_are_distinct() -> None:
    assert len(set(COLUMNS)) == len(COLUMNS)

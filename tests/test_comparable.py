from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from ingest.catalog import Catalog
from ingest.comparable import FIELDS, Comparison, Refusal, compare, guarded
from ingest.folder import Filed
from ingest.store import create, fill

ROW: dict[str, Any] = {
    "measurement_id": "a/q8/0", "central": 17.1, "quantity": "decode", "unit": "tokens/s",
    "workload": "narrative", "protocol": "club-canonical", "sampling": "sampled",
    "clock": "client", "streams": 1, "nominal_tokens": None, "context_tokens": None,
    "thinking": False, "bandwidth_method": "triad-v1", "power_cap_w": "230", "gpus": "rtx-3090",
    "engine": "llama.cpp", "engine_generation": "b102xx",
}  # fmt: skip
CHANGED = {
    "quantity": "wall", "unit": "ms", "workload": "code", "protocol": "greedy-completion",
    "sampling": "greedy", "clock": "engine", "streams": 4, "nominal_tokens": 90_000,
    "context_tokens": 4096, "thinking": True, "bandwidth_method": "mlc-read",
    "power_cap_w": "370", "engine": "ik_llama.cpp", "engine_generation": "b99xx",
}  # fmt: skip


def other(**changes: object) -> dict[str, Any]:
    return ROW | {"measurement_id": "b/q8/0", "central": 34.2} | changes


def test_like_rows_are_compared_with_their_ratios() -> None:
    answer = compare([ROW, other()])
    assert isinstance(answer, Comparison)
    assert answer.ratios == (1.0, 2.0)
    assert (answer.mark, answer.doubts) == ("", ())


@pytest.mark.parametrize("field", FIELDS)
def test_each_field_of_the_guard_refuses_alone_and_is_named(field: str) -> None:
    answer = compare([ROW, other(**{field: CHANGED[field]})])
    assert isinstance(answer, Refusal)
    assert [difference.field for difference in answer.differences] == [field]
    assert f"pass --anyway {field}" in str(answer)


def test_all_fields_that_differ_are_listed_not_the_first() -> None:
    answer = compare([ROW, other(**CHANGED)])
    assert isinstance(answer, Refusal)
    assert [difference.field for difference in answer.differences] == list(FIELDS)


def test_an_override_compares_but_marks_what_it_let_pass() -> None:
    answer = compare([ROW, other(protocol="greedy-completion")], anyway=["protocol"])
    assert isinstance(answer, Comparison)
    assert answer.mark == "NOT LIKE FOR LIKE (protocol: club-canonical / greedy-completion)"


def test_an_override_lets_nothing_else_pass() -> None:
    answer = compare([ROW, other(protocol="anecdote", workload="code")], anyway=["protocol"])
    assert isinstance(answer, Refusal)
    assert [difference.field for difference in answer.differences] == ["workload"]


def test_an_untold_workload_refuses_but_an_untold_power_cap_is_a_doubt() -> None:
    assert isinstance(compare([ROW, other(workload=None)]), Refusal)
    answer = compare([ROW, other(power_cap_w=None)])
    assert isinstance(answer, Comparison)
    assert [str(doubt) for doubt in answer.doubts] == ["power_cap_w: 230 / unknown"]


def test_two_told_values_forbid_even_where_a_third_row_tells_none() -> None:
    rows = [ROW, other(power_cap_w=None), other(power_cap_w="370")]
    assert isinstance(compare(rows), Refusal)


def test_the_watts_of_another_card_are_a_doubt_and_no_cap() -> None:
    answer = compare([ROW, other(power_cap_w="575", gpus="rtx-5090")])
    assert isinstance(answer, Comparison)
    assert [str(doubt) for doubt in answer.doubts] == ["power_cap_w: 230 / 575"]
    rows = [ROW, other(power_cap_w="575", gpus="rtx-5090"), other(power_cap_w="350")]
    assert isinstance(compare(rows), Refusal)


def test_off_is_not_unknown() -> None:
    assert isinstance(compare([ROW, other(thinking=None)]), Comparison)
    assert isinstance(compare([ROW, other(thinking=True)]), Refusal)


def test_one_row_is_no_comparison() -> None:
    with pytest.raises(ValueError, match="two rows"):
        compare([ROW])


def test_the_database_gives_every_field_of_the_guard(database: duckdb.DuckDBPyConnection) -> None:
    (row,) = guarded(database, ["000000000000/q8/0"])
    assert set(FIELDS) <= row.keys()
    assert row["engine_generation"] == "b102xx"
    assert row["bandwidth_method"] == "triad-v1"
    assert row["power_cap_w"] is None
    with pytest.raises(KeyError):
        guarded(database, ["000000000000/q8/9"])


@pytest.mark.parametrize(("watts", "told"), [((230, 230), "230"), ((370, 230), "230+370"),
                                             ((230, None), None)])  # fmt: skip
def test_a_cap_is_told_once_however_many_cards_have_it(
    document: dict[str, Any], filed: Callable[..., Filed], edit: Callable[..., Any],
    catalog: Catalog, watts: tuple[int, int | None], told: str | None,
) -> None:  # fmt: skip
    edits = {f"/rig/gpus/{card}/power_w": power for card, power in enumerate(watts)}
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, [filed(edit(document, edits))], catalog)
        found = connection.execute("SELECT DISTINCT gpus, power_cap_w FROM guarded").fetchall()
    assert found == [("rtx-3090", told)]

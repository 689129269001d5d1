from collections.abc import Callable
from typing import Any

import pytest

from ingest.bundle import Status
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.rows import bundle_rows


def figure(value: float | None, n: int | None = None, **changed: Any) -> dict[str, Any]:  # noqa: ANN401
    base = {"quantity": "decode", "protocol": "other", "unit": "tokens/s", "value": value, "n": n}
    return {**base, **changed}


@pytest.mark.parametrize(
    ("figures", "firsts"),
    [
        ([figure(1, 3), figure(2, 5), figure(3)], [1]),
        ([figure(1), figure(2)], [0]),
        ([figure(1), figure(2, workload="code")], [0, 1]),
        ([figure(None), figure(2)], [1]),
        ([figure(None, low=1.0, high=2.0)], [0]),
        ([figure(float(i)) for i in range(12)], [0]),
        ([], []),
    ],
)
def test_of_a_runs_numbers_of_one_kind_the_most_repeated_stands_for_all(
    document: dict[str, Any],
    filed: Callable[..., Filed],
    catalog: Catalog,
    figures: list[dict[str, Any]],
    firsts: list[int],
) -> None:
    document["runs"] = [{**document["runs"][0], "measurements": figures}]
    rows = bundle_rows(filed(document), catalog)["measurements"]
    assert [i for i, row in enumerate(rows) if row["first_of_kind"]] == firsts


def test_a_number_that_is_not_active_leaves_its_place_to_the_next(
    document: dict[str, Any], filed: Callable[..., Filed], catalog: Catalog
) -> None:
    document["runs"] = [{**document["runs"][0], "measurements": [figure(1, 9), figure(2, 3)]}]
    told = {"state": "flagged", "reason": "paging", "date": "2026-12-01", "by": "me"}
    status = Status.model_validate({**told, "target": "/runs/0/measurements/0"})
    rows = bundle_rows(filed(document, (status,)), catalog)["measurements"]
    assert [row["first_of_kind"] for row in rows] == [False, True]

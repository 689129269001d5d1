import copy
from collections.abc import Callable
from datetime import date
from typing import Any

import duckdb
import pytest

from ingest.bundle import Status
from ingest.catalog import Catalog
from ingest.folder import Filed
from ingest.store import create, fill
from models.accidents import REASONS, Found, accidents
from models.record import FittedModel

Count = Callable[[dict[str, Any], str], dict[str, Found]]


@pytest.fixture
def count(catalog: Catalog, filed: Callable[..., Filed], fitted: FittedModel) -> Count:
    def _count(document: dict[str, Any], reason: str) -> dict[str, Found]:
        flag = Status(
            target="/runs/0", state="flagged", reason=reason, date=date(2026, 1, 1), by="y"
        )
        with duckdb.connect() as connection:
            create(connection)
            fill(connection, [filed(document, (flag,))], catalog)
            return accidents(connection, fitted)

    return _count


@pytest.mark.parametrize(
    ("kind", "edit"),
    [
        ("paging", lambda d: d["rig"]["memory"].update(gib=130.0)),
        ("threads-odd", lambda d: d["runs"][0]["launch"].update(threads=27)),
        ("threads-over-cores", lambda d: d["runs"][0]["launch"].update(threads=64)),
        ("numa", lambda d: d["rig"]["cpu"].update(sockets=2, cores=64)),
    ],
)
def test_a_flagged_accident_is_warned_of_and_a_sound_row_is_not(
    count: Count, document: dict[str, Any], kind: str, edit: Callable[[dict[str, Any]], None]
) -> None:
    sound = count(copy.deepcopy(document), REASONS[kind])[kind]
    assert (sound.rows, sound.warned) == (1, 0)
    edit(document)
    assert count(document, REASONS[kind])[kind] == Found(rows=1, told=1, warned=1)


def test_a_flag_for_another_reason_is_no_accident(count: Count, document: dict[str, Any]) -> None:
    assert all(found.rows == 0 for kind, found in count(document, "greedy").items())

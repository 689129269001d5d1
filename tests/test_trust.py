"""Trust labels and leaders: computed by views of the database, never declared."""

from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from ingest.bundle import Status
from ingest.catalog import Catalog
from ingest.folder import Filed, _raw_kind
from ingest.store import create, fill

Edit = Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]]
File = Callable[..., Filed]
DECODE = "SELECT trust FROM trust JOIN comparable USING (measurement_id) WHERE quantity = 'decode'"
OTHER = {
    "/id": "1" * 64, "/submitter": "another", "/rig/machine": "another-epyc-7543",
    "/runs/0/measurements/0/value": 16.1, "/runs/0/measurements/0/low": 16,
}  # fmt: skip


def asked(
    catalog: Catalog, sql: str, *filed: Filed, maintainers: tuple[str, ...] = ()
) -> list[Any]:
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, filed, catalog, maintainers=maintainers)
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize(
    ("files", "raw", "trust"),
    [
        ({}, None, "statement"),
        ({"rows.jsonl": b"{}"}, "rows", "statement"),
        ({"report.md": b"# Rig report\ndecode 17.1"}, "report", "pasted report"),
        (
            {"report.md": b"eval time =   812.00 ms /  100 tokens"},
            "log",
            "report with raw log",
        ),
    ],
)
def test_trust_comes_from_what_lies_beside_the_bundle(
    document: dict[str, Any], filed: File, catalog: Catalog,
    files: dict[str, bytes], raw: str | None, trust: str,
) -> None:  # fmt: skip
    assert _raw_kind(files) == raw
    one = filed(document)._replace(raw=_raw_kind(files))
    assert asked(catalog, DECODE, one) == [(trust,)]


@pytest.mark.parametrize(
    ("maintainers", "trusts"),
    [
        ((), {"re-run by somebody else"}),
        (("another",), {"re-run by a maintainer", "re-run by somebody else"}),
    ],
)
def test_a_row_that_another_person_repeats_on_a_like_machine_is_a_re_run(
    document: dict[str, Any], filed: File, edit: Edit, catalog: Catalog,
    maintainers: tuple[str, ...], trusts: set[str],
) -> None:  # fmt: skip
    both = filed(document), filed(edit(document, OTHER))
    found = asked(catalog, DECODE, *both, maintainers=maintainers)
    assert {trust for (trust,) in found} == trusts


@pytest.mark.parametrize(
    "change",
    [
        {"/submitter": "someone"},
        {"/rig/cpu/model": "AMD EPYC 7402"},
        {"/runs/0/measurements/0/value": 9.1, "/runs/0/measurements/0/low": 9},
        {"/runs/0/measurements/0/protocol": "greedy-completion"},
    ],
    ids=["the same person", "another CPU", "another speed", "another protocol"],
)
def test_what_is_not_a_repetition_by_another_lends_no_trust(
    document: dict[str, Any], filed: File, edit: Edit, catalog: Catalog, change: dict[str, Any]
) -> None:
    both = filed(document), filed(edit(document, OTHER | change))
    assert {trust for (trust,) in asked(catalog, DECODE, *both)} == {"statement"}


def test_a_statement_never_leads_without_its_caveat(
    document: dict[str, Any], filed: File, catalog: Catalog
) -> None:
    sql = "SELECT caveat FROM leaders WHERE quantity = 'decode'"
    ((caveat,),) = asked(catalog, sql, filed(document))
    assert caveat == "one source, no report: nobody has repeated it"
    assert asked(catalog, sql, filed(document)._replace(raw="report")) == [(None,)]


@pytest.mark.parametrize("state", ["flagged", "superseded", "retracted"])
def test_a_row_that_does_not_stand_cannot_lead_but_keeps_its_history(
    document: dict[str, Any], filed: File, catalog: Catalog, state: str
) -> None:
    lines = [
        {"target": "/runs/0", "state": state, "reason": "paging", "date": "2026-11-01", "by": "me"},
        {"state": "active", "reason": "checked", "date": "2026-11-02", "by": "ada"},
    ]
    statuses = tuple(Status.model_validate(line) for line in lines)
    one = filed(document, statuses)
    assert asked(catalog, "FROM leaders", one) == []
    sql = "SELECT state, reason, \"by\" FROM row_history WHERE measurement_id LIKE '%/q8/0'"
    assert asked(catalog, sql, one) == [(state, "paging", "me"), ("active", "checked", "ada")]

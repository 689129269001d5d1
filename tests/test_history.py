import html
from datetime import date

from sitegen.history import history
from sitegen.record import Record, Row

TOLD: Row = {
    "rig_id": "rig", "date": date(2026, 11, 1), "target": "/runs/0", "state": "retracted",
    "reason": "<i>paging</i>", "by": "someone", "link": "javascript:alert(1)",
}  # fmt: skip


def test_every_state_stands_with_date_reason_and_name(record: Record) -> None:
    told = record._replace(history={"rig": [TOLD, TOLD | {"target": "", "link": None}]})
    shown = "".join(history(told, "rig"))
    assert "2026-11-01" in shown
    assert "retracted" in shown
    assert "the whole report" in shown
    assert "<i>" not in shown
    assert "<i>paging</i>" in html.unescape(shown)
    assert "href" not in shown


def test_a_machine_without_history_has_no_such_section(record: Record) -> None:
    assert history(record._replace(history={}), "rig") == []

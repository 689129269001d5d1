"""The history of a machine's rows: every state that was given, by whom, when and why."""

from sitegen.escape import link, text
from sitegen.numbers import ABSENT
from sitegen.page import section
from sitegen.record import Record
from sitegen.table import Cell, Column, Line, table


def history(record: Record, rig_id: str) -> list[str]:
    """Write what was ever said of a machine's bundles, runs and numbers; nothing if nothing was."""
    told = record.history.get(rig_id, [])
    if not told:
        return []
    columns = (Column("Date"), Column("What"), Column("State"), Column("Reason"), Column("By"))
    lines = [
        Line([
            Cell(text(one["date"]), str(one["date"])),
            Cell(text(one["target"] or "the whole report")),
            Cell(text(one["state"])),
            Cell(link(one["link"], one["reason"]) if one["link"] else text(one["reason"])),
            Cell(text(one["by"]) if one["by"] else ABSENT),
        ])
        for one in told
    ]  # fmt: skip
    return [section("History", "history"), table("States given to rows", columns, lines)]

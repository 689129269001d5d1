import html
import re
from typing import Any

from sitegen.leaders import leaders
from sitegen.record import Record


def offloaded(record: Record) -> Record:
    return record._replace(runs=[{**run, "offload": "experts"} for run in record.runs])


def shown(record: Record) -> str:
    return html.unescape(leaders(record))


def changed(record: Record, rig: str, **changes: Any) -> Record:  # noqa: ANN401 - columns of any kind
    rows = [
        {**row, **changes} if row["rig_id"].startswith(rig) else row for row in record.measurements
    ]
    return record._replace(measurements=rows)


def test_the_fastest_row_that_counts_leads_with_its_rig_and_the_median(record: Record) -> None:
    found = shown(offloaded(record))
    (line,) = re.findall(r"<tr>(?:(?!</tr>).)*deepseek-flash-dual-q8<.*?</tr>", found)
    assert "<b>17.1</b>" in line
    assert "rigs/two-epyc-7543/" in line
    assert "11.6</td>" in line
    assert "99" not in found


def test_models_on_the_cards_stand_apart_and_folded(record: Record) -> None:
    in_ram, _, rest = shown(record).partition("leaders-resident")
    assert "<table" not in in_ram
    assert "<details>" in rest
    in_ram, _, rest = shown(offloaded(record)).partition("leaders-resident")
    assert "<table" in in_ram
    assert "<details>" not in in_ram
    assert "<table" not in rest


def test_each_protocol_has_a_table_of_its_own(record: Record) -> None:
    rows = [
        {**row, "protocol": protocol}
        for row in record.measurements
        for protocol in ("club-canonical", "greedy-completion")
    ]
    found = shown(offloaded(record)._replace(measurements=rows))
    captions = re.findall(r"<caption>Decode, tokens/s, ([a-z-]+):", found)
    assert captions == ["club-canonical", "greedy-completion"]


def test_many_streams_together_are_not_one_rate(record: Record) -> None:
    assert "17.1" not in shown(changed(offloaded(record), "two", streams=8))


def test_one_persons_word_never_leads_without_saying_so(record: Record) -> None:
    stated = changed(offloaded(record), "", only_said=True)
    assert ", only stated</small>" in shown(stated)
    assert ", only stated" not in shown(changed(stated, "", only_said=False))

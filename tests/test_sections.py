import html

from sitegen.record import Record, Row
from sitegen.sections import decode, failures, oddities, others, quantities, verdicts

PAGE = "rigs/one-epyc-7543"


def rows(record: Record) -> list[Row]:
    return [row for row in record.measurements if row["rig_id"] == "one-epyc-7543"]


def test_a_page_without_decode_says_so(record: Record) -> None:
    assert "Nobody has reported" in decode(record, PAGE, [])
    assert "<table" in decode(record, PAGE, rows(record))


def test_rates_and_waiting_times_have_tables_of_their_own(record: Record) -> None:
    one = rows(record)[0]
    found = quantities(record, PAGE, [{**one, "quantity": "ttft"}, {**one, "quantity": "prefill"}])
    assert [block.partition("</summary>")[0].split(",")[0] for block in found] == [
        "<details><summary>Prefill",
        "<details><summary>Ttft",
    ]


def test_the_rest_is_listed_with_unit_and_protocol(record: Record) -> None:
    shown = html.unescape(others(record, PAGE, rows(record)))
    assert "Everything else measured (1)" in shown
    for words in ("acceptance", "0.33", "ratio", "club-canonical"):
        assert words in shown
    assert others(record, PAGE, []) == ""


def test_verdicts_are_shown_with_quality_and_only_where_there_are_any(record: Record) -> None:
    run = record.runs[0]
    assert verdicts(record, PAGE, [run]) == []
    judged = {**run, "verify": "pass", "soak": "fail", "suite_overall": "fail"}
    packs = {run["run_id"]: [{"pack": "tools", "passed": 11.0, "total": 12}]}
    shown = html.unescape("".join(verdicts(record._replace(quality=packs), PAGE, [judged])))
    assert 'class="stage pass">pass' in shown
    assert 'class="stage fail">fail' in shown
    assert "tools 11/12" in shown


def test_runs_that_ended_well_are_no_failures(record: Record) -> None:
    runs = [run for run in record.runs if run["rig_id"] == "one-epyc-7543"]
    assert "out of memory" in "".join(failures(record, PAGE, runs))
    assert failures(record, PAGE, [run for run in runs if run["outcome"] == "ok"]) == []


def test_odd_behaviour_and_doubt_about_a_run_are_told(record: Record) -> None:
    run = {**record.runs[0], "status": "flagged", "status_reason": "<i>paging"}
    odd = {"what": "slow <b>boot", "boots_affected": 2, "boots": 3}
    shown = oddities(record._replace(anomalies={run["run_id"]: [odd]}), [run])
    assert "slow <b>boot (2 of 3 boots)" in html.unescape(shown)
    assert "<b>" not in shown
    assert "flagged: <i>paging" in html.unescape(shown)
    assert oddities(record, record.runs[:1]) == ""

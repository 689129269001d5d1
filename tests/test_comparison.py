import html
import re

from sitegen.address import slug_page
from sitegen.comparison import LAUNCHES, ONE_RIG, OWN, Show, comparison, groups, workloads
from sitegen.record import Record, Row

SLUG = "llamacpp/deepseek-flash-dual-q8"


def decodes(record: Record) -> list[Row]:
    return [row for row in record.measurements if row["quantity"] == "decode"]


def written(record: Record, rows: list[Row], show: Show = OWN) -> str:
    return html.unescape(comparison(record, slug_page(SLUG), "Decode", rows, show))


def heads(table: str) -> list[str]:
    return re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table)


def test_rigs_stand_in_the_order_of_their_labels(record: Record) -> None:
    shown = written(record, decodes(record))
    found = re.findall(r'<th scope="row"[^>]*><a href="[^"]*rigs/([a-z]+)-', shown)
    labels = [record.machines[f"{name}-epyc-7543"]["label"] for name in found]
    assert labels == sorted(labels, key=str.lower)
    assert len(found) == 5


def test_narrative_and_code_stand_side_by_side_and_come_first(record: Record) -> None:
    row = decodes(record)[0]
    other = [{**row, "workload": name} for name in ("extract", "code", None)]
    assert workloads([row, *other]) == ["narrative", "code", "extract", "not stated"]
    assert heads(written(record, [row, *other]))[1:3] == ["Narrative", "Code"]
    assert len(groups(record, [row, *other])) == 1


def test_another_protocol_context_or_number_of_streams_is_another_line(record: Record) -> None:
    row = decodes(record)[0]
    changes = ({"protocol": "greedy-completion"}, {"context_tokens": 9000}, {"streams": 4})
    assert len(groups(record, [row, *({**row, **change} for change in changes)])) == 4


def test_every_line_names_protocol_bandwidth_method_and_source(record: Record) -> None:
    shown = written(record, decodes(record))
    for line in re.findall(r"<tr.*?</tr>", shown.partition("<tbody>")[2]):
        assert "club-canonical" in line
        assert "triad-v1" in line or "rated" in line
        assert 'href="https://example.org/rigs/1"' in line


def test_a_line_that_does_not_count_is_drawn_apart(record: Record) -> None:
    shown = written(record, decodes(record))
    (line,) = re.findall(r'<tr class="doubtful">.*?</tr>', shown)
    assert "five-epyc-7543" in line
    assert "flagged: paging" in line


def test_what_was_served_is_named_only_where_rows_differ_in_it(record: Record) -> None:
    assert "Served as" not in heads(written(record, decodes(record)))
    assert SLUG in written(record, decodes(record), LAUNCHES)


def test_on_a_rigs_own_page_its_hardware_is_not_said_again(record: Record) -> None:
    assert "Processor" in heads(written(record, decodes(record)))
    shown = written(record, decodes(record), ONE_RIG)
    assert not {"Processor", "Memory", "Cards"} & set(heads(shown))
    assert "triad-v1" in shown

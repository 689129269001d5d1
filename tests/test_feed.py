import xml.etree.ElementTree as ET
from datetime import date

from sitegen.feed import ATOM, NEWEST, feed
from sitegen.record import Record

NAMES = {"a": ATOM}


def entries(record: Record) -> list[ET.Element]:
    return ET.fromstring(feed(record)).findall("a:entry", NAMES)  # noqa: S314 - written here


def words(entry: ET.Element, path: str) -> str:
    return entry.findtext(f"a:{path}", "", NAMES)


def test_every_report_is_an_entry_with_rig_date_and_number_of_rows(record: Record) -> None:
    found = entries(record)
    assert len(found) == 5
    assert {words(entry, "summary") for entry in found} == {"2 measurements"}
    assert {words(entry, "updated") for entry in found} == {"2026-08-11T00:00:00Z"}
    link = found[0].find("a:link", NAMES)
    assert link is not None
    assert link.attrib["href"].startswith("../rigs/")


def test_the_newest_come_first_and_undated_ones_are_left_out(record: Record) -> None:
    runs = [
        {**record.runs[0], "bundle_id": f"{n:064}", "date": date(2026, 1 + n % 12, 1 + n // 12)}
        for n in range(60)
    ]
    undated = {**record.runs[0], "bundle_id": "f" * 64, "date": None}
    found = [words(entry, "updated") for entry in entries(record._replace(runs=[*runs, undated]))]
    assert found == sorted(found, reverse=True)
    assert len(found) == NEWEST


def test_hostile_names_stay_text(record: Record) -> None:
    hostile = "<script>\x00&\u202e"
    machines = {key: {**row, "label": hostile} for key, row in record.machines.items()}
    runs = [{**run, "author": hostile} for run in record.runs]
    (first, *_) = entries(record._replace(machines=machines, runs=runs))
    assert words(first, "title").startswith("<script>\ufffd&\ufffd: ")
    assert words(first, "author/a:name") == "<script>\ufffd&\ufffd"


def test_an_empty_record_gives_an_empty_feed(record: Record) -> None:
    assert entries(record._replace(runs=[])) == []

"""An Atom feed of the newest reports, for those who follow the record."""

import xml.etree.ElementTree as ET
from collections import Counter

from sitegen.address import rig_page
from sitegen.record import Record, Row

NEWEST = 50
"""Entries of the feed: some months of reports."""

ATOM = "http://www.w3.org/2005/Atom"
EPOCH = "1970-01-01"


def feed(record: Record) -> str:
    """Write the feed; the same record gives the same bytes. Addresses are relative to it."""
    runs = {run["bundle_id"]: run for run in record.runs if run["date"]}
    newest = sorted(runs.values(), key=lambda run: (str(run["date"]), run["bundle_id"]))
    newest = newest[: -NEWEST - 1 : -1]
    counts = Counter(row["bundle_id"] for row in record.measurements)
    root = ET.Element("feed", {"xmlns": ATOM})
    _add(root, "title", "Rigbook: new reports")
    _add(root, "id", "urn:rigbook:reports")
    _add(root, "updated", _moment(newest[0]["date"] if newest else EPOCH))
    _add(root, "link", rel="self", href="feed.xml")
    for run in newest:
        _entry(root, record, run, counts[run["bundle_id"]])
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _entry(root: ET.Element, record: Record, run: Row, count: int) -> None:
    entry = ET.SubElement(root, "entry")
    served = run["slug"] or " ".join(filter(None, (run["model"], run["quant"]))) or "a model"
    label = record.machines[run["rig_id"]]["label"]
    _add(entry, "title", _plain(f"{label}: {served}"))
    _add(entry, "id", f"urn:sha256:{run['bundle_id']}")
    _add(entry, "updated", _moment(run["date"]))
    _add(entry, "link", href=f"../{rig_page(run['rig_id'])}/")
    author = ET.SubElement(entry, "author")
    _add(author, "name", _plain(run["author"] or "unknown"))
    _add(entry, "summary", f"{count} measurements")


def _add(parent: ET.Element, tag: str, words: str | None = None, **attributes: str) -> None:
    ET.SubElement(parent, tag, attributes).text = words


def _moment(date: object) -> str:
    return f"{date}T00:00:00Z"


def _plain(words: str) -> str:
    """Leave out what XML cannot carry."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)

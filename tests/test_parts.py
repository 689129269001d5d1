import html
from pathlib import Path

from sitegen.escape import Html
from sitegen.parts import counts, methods, parts, protocols, write_parts
from sitegen.record import Record

ROOT = Path(__file__).parents[1]


def test_the_counts_are_the_records(record: Record) -> None:
    shown = counts(record)
    assert "<b>10</b> measurements" in shown
    assert "<b>5</b> rigs" in shown
    assert "<b>1</b> doubtful" in shown
    assert "2026-08-11" in shown


def test_every_protocol_and_method_is_explained(record: Record) -> None:
    shown = html.unescape(protocols(record) + methods(record))
    for entry in (*record.protocols.values(), *record.methods.values()):
        assert entry["meaning"] in shown


def test_hand_written_pages_take_in_exactly_what_is_made(record: Record, tmp_path: Path) -> None:
    made = parts(record, Html("<p>errors</p>"))
    write_parts(made, tmp_path / "parts")
    assert {path.name for path in (tmp_path / "parts").iterdir()} == set(made)
    pages = "".join(path.read_text() for path in (ROOT / "site/docs").glob("*.md"))
    for name in made:
        assert f'--8<-- "{name}"' in pages
    assert pages.count("--8<--") == len({*made, "examples.html"})

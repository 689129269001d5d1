import html

from sitegen.gaps import gaps
from sitegen.record import Record, Row

SLUG = "llamacpp/deepseek-flash-dual-q8"


def told(record: Record, rows: list[Row], **changes: object) -> str:
    return html.unescape("".join(gaps(record, {**record.slugs[SLUG], **changes}, rows)))


def own(record: Record) -> list[Row]:
    return [row for row in record.measurements if row["slug"] == SLUG]


def test_what_nobody_has_reported_is_asked_for(record: Record) -> None:
    shown = told(record, own(record))
    for words in ("decode, code", "70 to 140 GB/s", "above 280 GB/s", "prefill", "time to first"):
        assert words in shown, words
    for words in ("narrative", "up to 70 GB/s", "140 to 280 GB/s", "acceptance", "hit rate"):
        assert words not in shown, words


def test_a_row_that_does_not_count_fills_no_gap(record: Record) -> None:
    flagged = [{**row, "counts": False} for row in own(record)]
    assert "decode, narrative" in told(record, flagged)


def test_drafter_and_cache_are_asked_for_where_the_slug_has_them(record: Record) -> None:
    assert "acceptance" not in told(record, [], drafter=None)
    assert "acceptance" in told(record, [])
    assert "hit rate" in told(record, [], expert_cache=True)


def test_a_slug_on_the_cards_asks_for_nothing(record: Record) -> None:
    assert told(record, [], offload="none") == ""

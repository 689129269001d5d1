import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from sitegen.escape import text
from sitegen.numbers import ABSENT
from sitegen.table import MOST_LINES, Cell, Column, Line, table, without_empty

COLUMNS = (Column("Rig"), Column("Decode, tokens/s", numeric=True))


class Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.open = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.open = False

    def handle_data(self, data: str) -> None:
        if self.open:
            self.rows[-1][-1] += data


def cells(shown: str) -> list[list[str]]:
    reader = Cells()
    reader.feed(shown)
    return reader.rows


def test_the_first_cell_of_a_row_is_its_head_and_numbers_carry_their_value() -> None:
    shown = table("Rates", COLUMNS, [Line([text("a"), Cell(text("1,024"), 1024.0)])])
    assert '<th scope="row">a</th>' in shown
    assert '<td class="number" data-sort="1024">1,024</td>' in shown
    assert "<caption>Rates</caption>" in shown
    assert 'tabindex="0" aria-label="Rates"' in shown


def test_a_doubtful_row_is_drawn_apart() -> None:
    shown = table("Rates", COLUMNS, [Line([text("a"), text("1")], doubtful=True)])
    assert '<tr class="doubtful">' in shown


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=5))
def test_any_text_keeps_the_table_rectangular(rows: list[tuple[str, str]]) -> None:
    lines = [Line([text(name), Cell(text(rate), rate)]) for name, rate in rows]
    found = cells(table("Rates", COLUMNS, lines))
    assert [len(row) for row in found] == [2] * (len(rows) + 1)


def test_columns_in_which_no_row_says_anything_are_left_out() -> None:
    lines = [Line([ABSENT, ABSENT]), Line([ABSENT, Cell(ABSENT)])]
    columns, kept = without_empty(COLUMNS, lines, ABSENT)
    assert [column.head for column in columns] == ["Rig"]
    assert [len(line.cells) for line in kept] == [1, 1]


def test_a_column_with_one_word_stays() -> None:
    lines = [Line([text("a"), ABSENT]), Line([text("b"), Cell(text("0"), 0)])]
    columns, _ = without_empty(COLUMNS, lines, ABSENT)
    assert len(columns) == 2
    assert re.search('data-sort="0"', table("x", *without_empty(COLUMNS, lines, ABSENT)))


def test_a_long_table_is_cut_and_says_so() -> None:
    lines = [Line([text(number)]) for number in range(MOST_LINES + 1)]
    whole, cut = (table("t", [Column("n")], some) for some in (lines[:-1], lines))
    assert whole.count("<tr>") == cut.count("<tr>") == MOST_LINES + 1
    assert "rows" not in whole
    assert f"The first {MOST_LINES} of {MOST_LINES + 1} rows" in cut

"""Numbers as people read them: a value with its spread, a span, a mark for what was inferred."""

from datetime import date

from sitegen.escape import NOTHING, Html, joined, link, text
from sitegen.record import Row

ABSENT = Html('<span class="absent">–</span>')
RING = "◌"
FLAG = "⚑"

_DIGITS = 3


def number(value: float | None) -> str:
    """Write a number with three significant digits, whole ones in full: 17.1, 0.0412, 1,024."""
    if value is None:
        return ""
    if value == int(value) and abs(value) < 1e12:
        return f"{int(value):,}"
    if abs(value) >= 10 ** (_DIGITS - 1):
        return f"{value:,.0f}"
    written = f"{value:.{_DIGITS}g}"
    return f"{value:.8f}".rstrip("0") if "e" in written else written


def percent(fraction: float | None) -> str:
    """Write a fraction as a percentage: 0.033 → 3.3 %."""
    return "" if fraction is None else f"{number(fraction * 100)} %"


def span(low: float | None, high: float | None) -> str:
    """Write a range: 11.6–14.8; one-sided ones say so, equal ends are one number."""
    if low is None and high is None:
        return ""
    if low is None:
        return f"up to {number(high)}"
    if high is None:
        return f"from {number(low)}"
    ends = dict.fromkeys((number(low), number(high)))
    return "–".join(ends)


def measured(row: Row) -> Html:
    """Show one measurement: its value, then range, spread and repetitions, and its marks."""
    value = number(row["value"]) or span(row["low"], row["high"])
    if not value:
        return ABSENT
    main = text(f"≈ {value}" if row["statistic"] == "approx" else value)
    shown = inferred(main) if row["how"] == "inferred" else Html(f"<b>{main}</b>")
    notes = text(", ".join(note for note in _spread(row) if note))
    small = Html(f"<small>{notes}</small>") if notes else NOTHING
    said = doubt(row["status"], row["status_reason"], row["status_date"], row["status_link"])
    return joined([shown, small, said])


def _spread(row: Row) -> list[str]:
    ranged = span(row["low"], row["high"]) if row["value"] is not None else ""
    return [
        ranged,
        f"sd {number(row['sd'])}" if row["sd"] is not None else "",
        f"CV {percent(row['cv'])}" if row["cv"] is not None and row["sd"] is None else "",
        f"n {row['n']}" if row["n"] is not None else "",
    ]


def inferred(shown: Html) -> Html:
    """Mark a value that nobody stated."""
    return Html(f'<i class="inferred" title="inferred">{shown} {RING}</i>')


def value(raw: object, *, guessed: bool = False, unit: str = "") -> Html:
    """Show a field: a dash when unknown, marked when inferred."""
    if raw is None or raw == "":
        return ABSENT
    words = number(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else str(raw)
    shown = text(f"{words} {unit}" if unit else words)
    return inferred(shown) if guessed else shown


def doubt(
    status: str, reason: str | None, day: date | None = None, address: str | None = None
) -> Html:
    """Mark a row that does not count, with the reason in words, the day and where it was said."""
    if status == "active":
        return NOTHING
    words = reason or "no reason"
    why = link(address, words) if address else text(words)
    said = joined([why, text(f"({day})")]) if day else why
    return Html(f'<span class="doubt">{FLAG} {text(status)}: {said}</span>')

"""Numbers as a person reads them: few digits, their spread, their unit."""

from ingest.bundle import Measurement


def figure(one: Measurement) -> str:
    """Write one measurement with its spread: `12.9 tokens/s ± 0.13 (n 5)`."""
    ends = [number(end) for end in (one.low, one.high) if end is not None]
    value = " to ".join(ends) if one.value is None else number(one.value)
    spread = "" if one.sd is None else f" ± {number(one.sd, 2)}"
    n = f" (n {one.n})" if one.n and one.n > 1 else ""
    unit = "" if one.unit == "ratio" else f" {one.unit}"
    return f"{value}{unit}{spread}{n}"


def number(value: float, digits: int = 3) -> str:
    """Write a number with so many digits that tell, and never an exponent."""
    return f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"

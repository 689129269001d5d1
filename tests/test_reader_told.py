"""What people write by hand: only what leaves no doubt is taken."""

from collections.abc import Callable

import pytest

from ingest.bundle import Measurement, Source
from ingest.catalog import Catalog
from ingest.readers.reader import read

Reader = Callable[[str], tuple[Measurement, ...]]


@pytest.fixture
def figures(catalog: Catalog) -> Reader:
    def told(text: str) -> tuple[Measurement, ...]:
        understood = read(text, Source(kind="file", url="x"), catalog).understood
        return tuple(m for u in understood for run in u.bundle.runs for m in run.measurements)

    return told


@pytest.mark.parametrize(
    ("line", "quantity", "value", "workload"),
    [
        ("- Decode: 24.8 tok/s", "decode", 24.8, None),
        ("**Decode (code):** 24.8 t/s", "decode", 24.8, "code"),
        ("Prefill: 1,234 tokens/s", "prefill", 1234, None),
        ("TTFT: 1.5 s", "ttft", 1500, None),
        ("- Generation: **12.0** tps on average", "decode", 12, None),
        ("tg128: 14.2 t/s", "decode", 14.2, None),
        ("pp512: 310 t/s", "prefill", 310, None),
    ],
)
def test_a_label_with_a_unit_is_a_figure(
    line: str, quantity: str, value: float, workload: str | None, figures: Reader
) -> None:
    (m,) = figures(line)
    assert (m.quantity, m.value, m.workload, m.protocol) == (quantity, value, workload, "anecdote")


@pytest.mark.parametrize(
    "line",
    [
        "Decode is about 20 or so",
        "Decode: 24.8",
        "Decode: 24.8 GB/s",
        "Decode: 24.8 tok/s before, 31 after",
        "Decode: 30 - 20 tok/s",
        "My decode: 24.8 tok/s",
        "TTFT: 20 tok/s",
        "Decode: 20 ms",
        "Decode: 0 tok/s",
    ],
)
def test_what_leaves_a_doubt_is_left_unread(line: str, figures: Reader) -> None:
    assert figures(line) == ()


def test_a_range_stays_a_range_and_an_estimate_an_estimate(figures: Reader) -> None:
    (m,) = figures("Decode: 20-22 tok/s")
    assert (m.value, m.low, m.high, m.statistic) == (None, 20, 22, "range")
    assert figures("Decode: ~20 tok/s")[0].statistic == "approx"


def test_what_a_program_printed_is_not_told_a_second_time(figures: Reader) -> None:
    text = "prompt eval rate:     100.00 tokens/s\neval rate:            10.50 tokens/s\n"
    assert {m.protocol for m in figures(text)} == {"ktransformers-chat"}


def test_a_table_of_runs_gives_its_average_and_one_without_each_row(figures: Reader) -> None:
    head = "| Run | Decode tok/s |\n|---:|---:|\n| 1 | 40.0 |\n"
    assert [m.value for m in figures(head)] == [40.0]
    (m,) = figures(f"{head}| 2 | 42.0 |\n| **Average** | **41.0** |\n")
    assert (m.value, m.statistic, m.n) == (41.0, "mean", 2)


HERE = "narrative decode   96.47  (n=3, #7)   vs   61.72  (SPEC=off, here)   ~1.56x"


def test_of_two_reports_side_by_side_only_this_one_is_taken(figures: Reader) -> None:
    (m,) = figures(HERE)
    assert (m.quantity, m.value, m.workload, m.protocol) == (
        "decode",
        61.72,
        "narrative",
        "anecdote",
    )
    (deep,) = figures("prefill @10K     1,777.2  (#7)            vs   ~1,472 (here)")
    assert (deep.value, deep.nominal_tokens, deep.statistic) == (1472, 10000, "approx")


@pytest.mark.parametrize("line", [HERE.replace("here", "there"), HERE.replace("#7", "here, too")])
def test_two_sides_that_are_not_told_apart_are_left_unread(line: str, figures: Reader) -> None:
    assert figures(line) == ()


@pytest.mark.parametrize(
    ("line", "gib", "dimms"),
    [
        ("RAM: 8 x 32 GB DDR4-3200", 256, "8x32GB"),
        ("RAM: 8×32GB", 256, "8x32GB"),
        ("RAM: 256 GB (8 x 32 GB) DDR4-3200", 256, None),
        ("RAM: 128 GiB DDR4", 128, None),
        ("RAM: 0 x 32 GB", None, None),
        ("Hardware: RTX 3090 24 GB, 4 x 16 GB DDR4", 64, "4x16GB"),
    ],
)
def test_modules_are_counted_and_not_taken_for_the_whole_memory(
    line: str, gib: float | None, dimms: str | None, catalog: Catalog
) -> None:
    text = f"CPU: AMD EPYC 7543 (32C/64T)\n{line}\nDecode: 24.8 tok/s\n"
    (one,) = read(text, Source(kind="file", url="x"), catalog).understood
    assert (one.bundle.rig.memory.gib, one.bundle.rig.memory.dimms) == (gib, dimms)

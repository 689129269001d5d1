"""Sweeps: what makes a line, and that unlike rows never share one."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.chart import svg
from sitegen.record import Record, Row
from sitegen.sweep_chart import sweep_spec
from sitegen.sweep_figure import sweep_figures, sweeps_section
from sitegen.sweeps import MOST, SWEEPS, Trace, told_apart, traces

KINDS = {sweep.name: sweep for sweep in SWEEPS}
PAGE = "variants/x"


def swept(record: Record, axis: str, settings: list[tuple[int, float]]) -> tuple[Record, list[Row]]:
    """Make a series of runs on one rig whose `axis` changes: (setting, tokens/s)."""
    column = "threads" if axis == "threads" else "drafter_depth"
    run, row = record.runs[0], record.measurements[0]
    runs, rows = [], []
    for number, (setting, rate) in enumerate(settings):
        name = f"swept/{number}"
        runs.append({**run, "run_id": name, "series": "s", "series_axis": axis, column: setting})
        figures = {"quantity": "decode", "central": rate, "value": rate, "counts": True}
        rows.append({**row, **figures, "run_id": name, "streams": None})
    return record._replace(runs=[*record.runs, *runs]), rows


def deep(record: Record, depths: list[int]) -> list[Row]:
    row = {**record.measurements[0], "quantity": "prefill", "streams": 1, "counts": True}
    return [{**row, "nominal_tokens": depth, "central": 100.0, "value": 100.0} for depth in depths]


def test_a_series_of_threads_is_one_line_with_its_best_told(record: Record) -> None:
    made, rows = swept(record, "threads", [(8, 10.0), (16, 14.0), (32, 12.0)])
    (line,) = traces(made, KINDS["threads"], rows)
    assert [step.x for step in line.steps] == [8, 16, 32]
    (figure,) = sweep_figures(made, PAGE, rows)
    shown = html.unescape(figure.shown)
    assert "8 to 32 threads, 10–14 tokens/s" in shown
    assert "fastest at 16, 14 tokens/s" in shown
    assert shown.count('<th scope="row"') == 3
    assert [one.name for one in figure.pictures] == [
        "variants--x--threads.svg", "variants--x--threads.dark.svg",
    ]  # fmt: skip
    assert "One thing changed" in sweeps_section([figure])[0]


def test_threads_that_differ_outside_a_series_are_no_sweep(record: Record) -> None:
    made, rows = swept(record, "ubatch", [(8, 10.0), (16, 14.0), (32, 12.0)])
    assert traces(made, KINDS["threads"], rows) == []
    assert sweeps_section(sweep_figures(made, PAGE, rows)) == []


def test_a_drafter_that_is_off_stands_at_zero(record: Record) -> None:
    settings = [(0, 9.0), (2, 12.0), (5, 11.0)]
    made, rows = swept(record, "launch.drafter.depth", settings)
    runs = [{**run, "drafter": "none", "drafter_depth": None} if run["run_id"] == "swept/0" else run
            for run in made.runs]  # fmt: skip
    (line,) = traces(made._replace(runs=runs), KINDS["drafted"], rows)
    assert [step.x for step in line.steps] == [0, 2, 5]


@pytest.mark.parametrize(
    "change", [{"protocol": "greedy-completion"}, {"workload": "code"}, {"counts": False},
               {"streams": 4}],
)  # fmt: skip
def test_a_row_of_another_kind_or_a_doubtful_one_joins_no_line(record: Record, change: Row) -> None:
    rows = deep(record, [1000, 2000, 3000])
    (line,) = traces(
        record, KINDS["prefill"], [*rows, {**rows[0], "nominal_tokens": 4000, **change}]
    )
    assert len(line.steps) == 3


def test_two_points_make_no_chart(record: Record) -> None:
    assert traces(record, KINDS["prefill"], deep(record, [1000, 2000])) == []
    assert len(traces(record, KINDS["prefill"], deep(record, [1000, 2000, 3000]))) == 1


def test_the_context_is_taken_before_the_prompts_nominal_length(record: Record) -> None:
    rows = [{**row, "context_tokens": 9} for row in deep(record, [1, 2, 3])]
    assert traces(record, KINDS["prefill"], rows) == []


def test_more_lines_than_a_chart_holds_stand_in_the_table(record: Record) -> None:
    rows = [
        {**row, "workload": f"w{number}"}
        for number in range(MOST + 2)
        for row in deep(record, [1000, 2000])
    ]
    (figure,) = sweep_figures(record, PAGE, rows)
    assert "In the table only: 2 more." in html.unescape(figure.shown)
    assert figure.pictures[0].svg.count('aria-roledescription="line mark"') == MOST
    assert figure.shown.count('<th scope="row"') == 2 * (MOST + 2)


def test_a_name_with_markup_is_text_in_the_picture(record: Record) -> None:
    (line,) = traces(record, KINDS["prefill"], deep(record, [1, 2, 3]))
    drawn = svg(sweep_spec(KINDS["prefill"], [line._replace(label="<script>x</script>")]))
    assert "<script" not in drawn


@given(st.lists(st.sampled_from("ab"), max_size=9))
def test_labels_become_distinct(names: list[str]) -> None:
    labels = [line.label for line in told_apart([Trace(name, ()) for name in names])]
    assert len(set(labels)) == len(labels)

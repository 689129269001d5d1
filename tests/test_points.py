import copy
from typing import Any

from sitegen.points import MIN_POINTS, SHALLOW_TOKENS, clouds
from sitegen.record import Record, Row

SLUG = "llamacpp/deepseek-flash-dual-q8"


def factor(figure: Row) -> float | None:
    reads: float | None = figure["reads_per_gbps"]
    return reads


def rows(record: Record, *, own: bool = True) -> list[Row]:
    return [row for row in record.measurements if (row["slug"] == SLUG) == own]


def changed(record: Record, **changes: Any) -> list[Row]:  # noqa: ANN401 - columns of any kind
    return [{**copy.copy(row), **changes} for row in rows(record)]


def test_points_stand_at_read_bandwidth_of_the_rows_that_count(record: Record) -> None:
    (cloud,) = clouds(record, rows(record), [], factor)
    assert (cloud.protocol, cloud.workload) == ("club-canonical", "narrative")
    found = {point.rig_id: point for point in cloud.points}
    assert "five-epyc-7543" not in found, "its row is flagged"
    assert found["one-epyc-7543"].reads_gbps == 52.0 * 1.3333
    assert not found["one-epyc-7543"].inferred


def test_a_rig_without_a_figure_stands_at_its_rating_and_is_marked(record: Record) -> None:
    (cloud,) = clouds(record, rows(record), [], factor)
    (rated,) = [point for point in cloud.points if point.rig_id == "three-epyc-7543"]
    assert rated.method == "rated"
    assert rated.stated == "205 rated"
    assert rated.inferred


def test_the_same_weights_are_marked_as_not_the_slugs_own(record: Record) -> None:
    (cloud,) = clouds(record, rows(record), rows(record, own=False), factor)
    assert {point.rig_id for point in cloud.points if not point.own} == {"four-epyc-7543"}


def test_other_launches_alone_make_no_chart_of_a_slug(record: Record) -> None:
    assert clouds(record, [], rows(record), factor) == []


def test_two_protocols_never_share_a_chart(record: Record) -> None:
    other = [{**row, "protocol": "greedy-completion"} for row in rows(record)]
    found = clouds(record, [*other, *rows(record)], [], factor)
    assert [cloud.protocol for cloud in found] == ["club-canonical", "greedy-completion"]


def test_deep_contexts_many_streams_and_few_points_are_left_to_the_tables(record: Record) -> None:
    assert clouds(record, changed(record, context_tokens=SHALLOW_TOKENS + 1), [], factor) == []
    assert clouds(record, changed(record, streams=4), [], factor) == []
    few = [row for row in rows(record) if row["quantity"] == "decode"][: MIN_POINTS - 1]
    assert clouds(record, few, [], factor) == []


def test_a_sweep_on_one_rig_is_one_point_its_best(record: Record) -> None:
    (row,) = [row for row in rows(record) if row["rig_id"] == "one-epyc-7543" and row["counts"]
              and row["quantity"] == "decode"]  # fmt: skip
    sweep = [
        {**row, "series": "threads", "run_id": f"x/{n}", "central": float(n)} for n in (3, 9, 5)
    ]
    rest = [row for row in rows(record) if row["rig_id"] != "one-epyc-7543"]
    (cloud,) = clouds(record, [*rest, *sweep], [], factor)
    found = [point.tokens_per_s for point in cloud.points if point.rig_id == "one-epyc-7543"]
    assert found == [9.0]

from sitegen.record import Record


def test_rows_that_count_are_those_of_the_comparable_view(record: Record) -> None:
    counting = {row["rig_id"] for row in record.measurements
                if row["counts"] and row["quantity"] == "decode"}  # fmt: skip
    assert counting == {f"{name}-epyc-7543" for name in ("one", "two", "three", "four")}
    assert record.counts["comparable"] == sum(row["counts"] for row in record.measurements)


def test_every_row_finds_its_run_state_machine_and_source(record: Record) -> None:
    runs = {run["run_id"] for run in record.runs}
    for row in record.measurements:
        assert row["run_id"] in runs
        assert row["state_id"] in record.states
        assert row["rig_id"] in record.machines
        assert row["source_url"]
        assert row["author"] == "someone"


def test_the_counts_are_those_of_the_tables(record: Record) -> None:
    assert record.counts["measurements"] == len(record.measurements) == 10
    assert record.counts["rigs"] == len(record.machines) == 5
    assert record.counts["doubtful"] == 1

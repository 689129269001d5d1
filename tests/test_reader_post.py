"""Posts, reports and comments of one text."""

from tests.reading import REPORT, Reader, only


def test_two_reports_of_one_body_are_two_bundles_of_one_machine(reading: Reader) -> None:
    slower = REPORT.replace("2933 MT/s", "2666 MT/s")
    one = reading(f"{REPORT}\n---- comment ----\n{slower}")
    first, second = (found.bundle for found in one.understood)
    assert first.rig.machine == second.rig.machine
    assert first.rig.state != second.rig.state
    assert first.id != second.id
    assert one.understood[1].text.count("\n") == one.text.count("\n")


def test_a_piece_in_a_comment_is_another_run_of_the_same_rig(reading: Reader) -> None:
    piece = (
        "=== summary [code] (n=5) ===\n"
        "  decode_TPS  mean= 16.00 std= 0.10 CV= 0.6% min=15.90 max=16.10\n"
    )
    one = reading(f"{REPORT}\n---- comment ----\n{piece}")
    assert [len(run.measurements) for run in only(one).runs][1] == 1
    assert any("same rig" in problem.message for problem in one.problems)


def test_another_users_table_is_another_bundle(reading: Reader) -> None:
    table = "---- comment by another user ----\nTOTAL | 100 / 150 | 67% | 1.00s | ok\n"
    understood = reading(REPORT + table).understood
    assert [len(found.bundle.runs[0].quality) for found in understood] == [0, 1]

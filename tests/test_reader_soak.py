"""The soak stage, also where its summary is cut off."""

from tests.reading import REPORT, Reader, measured, only

TURN = "[soak]   turn {i}/5: status={status} wall=9000ms ttft={ttft}ms decode_tps={rate} vram=9MiB"


def turns(*rows: tuple[int, int, str]) -> str:
    return "\n".join(
        TURN.format(i=i, status=status, ttft=ttft, rate=rate)
        for i, (status, ttft, rate) in enumerate(rows, start=1)
    )


def test_without_a_summary_the_middle_turn_is_taken_with_its_own_line(reading: Reader) -> None:
    one = reading(turns((200, 300, "30.5"), (200, 100, "10.5"), (200, 200, "20.5")))
    told = {m.quantity: (m.value, m.evidence.line, m.n, m.workload) for m in measured(one)}
    assert told == {"decode": (20.5, 3, 3, "agentic"), "ttft": (200, 3, 3, "agentic")}


def test_a_turn_in_one_block_has_a_wait_and_no_rate(reading: Reader) -> None:
    one = reading(turns((200, 300, "0.0"), (200, 100, "517.516"), (500, 900, "9.0")))
    assert [(m.quantity, m.value) for m in measured(one)] == [("ttft", 100)]


FORM = "### Rig + bench report\n\n-\n\n### Soak-continuous verdict\n\nPASS — clean (no errors)\n\n"
SOAK = """[soak] session 1/2
[soak]   turn 1/2: status=200 wall=900ms ttft=100ms decode_tps=10.0 vram=23000MiB
[soak]   turn 2/2: status=200 wall=900ms ttft=100ms decode_tps=0.0 vram=23000MiB
[soak] session 2/2
[soak]   turn 1/2: status=200 wall=900ms ttft=100ms decode_tps=9.0 vram=23000MiB
[soak]   turn 2/2: status=200 wall=900ms ttft=100ms decode_tps=700.5 vram=23000MiB
[soak] summary
[soak]   verdict              INCONCLUSIVE
[soak]   tps_retention        100.0%
"""


def test_soak_turns_without_a_window_do_not_count_and_retention_is_recomputed(
    reading: Reader,
) -> None:
    bundle = only(reading(REPORT + SOAK))
    soak = {m.quantity: m for m in bundle.runs[0].measurements if m.protocol == "club-soak"}
    assert (soak["decode"].value, soak["decode"].n) == (9.0, 2)
    assert (soak["retention"].value, soak["retention"].how) == (0.9, "inferred")
    assert bundle.runs[0].stages["soak"].outcome == "timeout"


def in_notes(text: str) -> str:
    return f"{FORM}### Notes (optional)\n\n{text}"


def test_the_reports_own_soak_outranks_the_forms_dropdown(reading: Reader) -> None:
    assert only(reading(in_notes(REPORT))).runs[0].stages["soak"].outcome == "pass"
    failed = SOAK.replace("INCONCLUSIVE", "FAIL")
    assert only(reading(in_notes(REPORT + failed))).runs[0].stages["soak"].outcome == "fail"

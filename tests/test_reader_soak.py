"""The soak stage, also where its summary is cut off."""

from tests.reading import Reader, measured

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

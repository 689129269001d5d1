"""The agentic stage: turns of growing context."""

from tests.reading import Reader, measured

TURNS = """SESSION 1/1 — 12 turns, context grows to ~29,033 tokens
  Turn  Prompt tok   TTFT ms  Decode TPS  Result chars
  1          1,140      5612        24.8           307
  2         20,142     27711         n/a        17,397  (decode window 0 — single-block emission)
"""


def test_a_turn_in_one_block_has_a_wait_and_no_rate(reading: Reader) -> None:
    told = {(m.quantity, m.context_tokens): m.value for m in measured(reading(TURNS))}
    assert told == {("decode", 1140): 24.8, ("ttft", 1140): 5612, ("ttft", 20142): 27711}


def test_a_summary_that_was_cut_off_neither_doubles_nor_drops_a_turn(reading: Reader) -> None:
    summary = (
        "SUMMARY — multi-turn prefill stress (1 session(s) × 12 turns)\n"
        "  1          1,140      5612      0        24.8  cold-start\n"
    )
    one = reading(TURNS + summary)
    assert len(measured(one)) == 3
    assert not any("was another" in problem.message for problem in one.problems)

"""Scores of the quality packs."""

from tests.reading import Reader, runs_of, sample


def test_quality_scores_keep_the_thinking_mode(reading: Reader) -> None:
    on, off = (
        reading(sample("quality-pack.md").replace("thinking on", f"thinking {mode}"))
        for mode in ("on", "off")
    )
    assert {q.thinking for q in on.understood[0].bundle.runs[0].quality} == {True}
    assert {q.thinking for q in off.understood[0].bundle.runs[0].quality} == {False}


def test_a_skipped_pack_has_no_score(reading: Reader) -> None:
    text = sample("quality-pack.md").replace("900.00s | ok", "900.00s | skipped")
    scores = reading(text).understood[0].bundle.runs[0].quality
    assert [score.pack for score in scores] == ["toolcall-15", "total"]
    assert scores[-1].skipped == 1


def test_a_mode_that_is_told_below_holds_for_the_scores_above(reading: Reader) -> None:
    scores = sample("quality-pack.md").partition("\n")[2]
    below = runs_of(reading(f"{scores}\n[quality-test] thinking: off\n"))[0].quality
    assert {score.thinking for score in below} == {False}
    both = f"{scores}\n[quality-test] thinking: off\n{scores}[quality-test] thinking: on\n{scores}"
    assert [score.thinking for score in runs_of(reading(both))[0].quality] == [
        *[None] * 3,
        *[False] * 3,
        *[True] * 3,
    ]

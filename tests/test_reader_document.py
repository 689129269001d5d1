from hypothesis import given
from hypothesis import strategies as st

from ingest.readers.document import filled
from ingest.readers.item import Fact


def test_the_lowest_rank_wins_then_the_first_line() -> None:
    found = filled([Fact("a.b", 1, 5, rank=1), Fact("a.b", 2, 9), Fact("a.b", 3, 12)])
    assert found.document == {"a": {"b": 2}}
    assert found.facts["a.b"].line == 9


def test_what_a_later_line_says_differently_at_the_same_rank_is_a_doubt() -> None:
    assert [d.line for d in filled([Fact("a", 1, 5), Fact("a", 2, 9)]).doubts] == [9]
    assert filled([Fact("a", 1, 5), Fact("a", 1, 9)]).doubts == ()
    assert filled([Fact("a", 1, 5), Fact("a", 1.0, 9)]).doubts == ()
    assert filled([Fact("a", 1, 5), Fact("a", 2, 9, rank=1)]).doubts == ()


def test_off_and_on_cannot_both_stand() -> None:
    off, on = Fact("launch.drafter", {"kind": "none"}, 3), Fact("launch.drafter.kind", "mtp", 7)
    found = filled([off, on])
    assert found.document == {"launch": {"drafter": {"kind": "none"}}}
    assert "off and on" in found.doubts[0].message
    assert filled([off._replace(rank=2), on]).document == {"launch": {"drafter": {"kind": "mtp"}}}


def test_keyed_lists_become_lists_in_order_and_their_facts_move_along() -> None:
    found = filled(
        [Fact("rig.gpus.10.name", "b", 2), Fact("rig.gpus.2.name", "a", 1), Fact("x", 1, 3)]
    )
    assert found.document["rig"]["gpus"] == [{"name": "a"}, {"name": "b"}]
    assert found.facts["rig.gpus.1.name"].value == "b"


PLACES = st.sampled_from(["a", "a.b", "a.b.c", "rig.gpus", "rig.gpus.0.name", "quality.3"])
VALUES = st.one_of(st.integers(), st.text(max_size=3), st.just({"kind": "none"}), st.floats())
FACTS = st.builds(Fact, PLACES, VALUES, st.integers(1, 99), st.integers(0, 3))


@given(st.lists(FACTS, max_size=8))
def test_any_facts_fill_a_document_and_every_kept_fact_stands_in_it(facts: list[Fact]) -> None:
    found = filled(facts)
    for at in found.facts:
        place: object = found.document
        for step in at.split("."):
            place = place[int(step)] if isinstance(place, list) else place[step]  # type: ignore[index]

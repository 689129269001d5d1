from launch.ask import Ask, shipped_shelf, subject_of
from launch.line import UNNAMED
from launch.notes import cache_notes, unpublished_notes
from launch.payload import Payload

SIZED = Payload("m", {0: 1.0}, 1, 1.0, 0.0, 11.5)


def test_a_published_size_needs_no_note_and_every_stand_in_has_one() -> None:
    assert cache_notes(SIZED) == []
    (bounded,) = cache_notes(SIZED._replace(inferred=("kv_mib_per_1k",)))
    assert "11.5 MiB for 1,000 tokens" in bounded
    (unknown,) = cache_notes(SIZED._replace(inferred=("kv_mib_per_1k",), kv_mib_per_1k=0.0))
    assert "counts as nothing" in unknown


def test_a_name_that_was_given_is_no_longer_asked_for() -> None:
    shelf = shipped_shelf()
    slug = "llamacpp-club3090/deepseek-flash-vision-dual-q8-moecache"
    assert UNNAMED in " ".join(unpublished_notes(subject_of(Ask(slug=slug), shelf)))
    assert unpublished_notes(subject_of(Ask(slug=slug, weights="/m/v.gguf"), shelf)) == []

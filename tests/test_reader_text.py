import pytest

from ingest.readers.text import (
    MAX_BYTES,
    MAX_LINES,
    Line,
    OversizedError,
    decode,
    lines_of,
    restored,
    unwrapped,
)


def texts(raw: str) -> list[str]:
    return [line.text for line in lines_of(raw)]


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("\x1b[32m✓\x1b[0m ok", "✓ ok"),
        ("[32m✓[0m ok", "✓ ok"),
        ("\\033[33m⚠\\033[0m thin", "⚠ thin"),
        ("> > quoted", "quoted"),
        ("• bullet", "- bullet"),
        ("a\u200bb\u00a0c", "ab c"),
        ("â€” dash Ã— times", "— dash × times"),
        ("padded      ", "padded"),
        ("⚠\ufe0f both", "⚠ both"),
    ],
)
def test_damage_of_copying_is_repaired(raw: str, wanted: str) -> None:
    assert texts(raw) == [wanted]


@pytest.mark.parametrize("raw", ["x -> y", "a[1] = 2", "[soak] turn", "~1.2 × 3", "5 > 3"])
def test_what_only_looks_like_damage_stays(raw: str) -> None:
    assert texts(raw) == [raw]


def test_lines_keep_their_numbers_whatever_ends_them() -> None:
    assert lines_of("a\r\nb\rc\n\nd") == tuple(
        Line(number, text) for number, text in enumerate(["a", "b", "c", "", "d"], start=1)
    )


def test_other_separators_than_newlines_do_not_shift_the_numbers() -> None:
    assert len(lines_of("a\x0bb\x0cc\u2028d\x85e")) == 1


def test_a_wrapped_bullet_is_joined_and_a_new_one_is_not() -> None:
    long = "- CPU topology: 1 socket(s) × 16 core(s) = 16 physical, 2 thread(s)/core"
    lines = lines_of(f"{long}\n  → 32 logical\n- nproc: 32\n")
    assert [line.text for line in unwrapped(lines)] == [f"{long} → 32 logical", "- nproc: 32", ""]
    short = lines_of("- nproc: 32\n  prose")
    assert unwrapped(short) == short


def test_a_redaction_that_ate_a_letter_is_undone_inside_words_only() -> None:
    raw = "## <USER>ench.sh output\nmem<USER>w at /home/<USER>/x, ena<USER>led\n"
    assert [line.text for line in restored(lines_of(raw))] == [
        "## bench.sh output",
        "membw at /home/<USER>/x, enabled",
        "",
    ]


def test_without_a_fixed_line_nothing_is_guessed() -> None:
    lines = lines_of("ena<USER>led")
    assert restored(lines) == lines


def test_any_bytes_become_text() -> None:
    assert decode("é".encode("utf-16")) == "é"
    assert decode(b"\xef\xbb\xbfa") == "a"
    assert decode(b"\xff\x00a") == "\ufffd\x00a"


def test_a_text_that_no_person_pastes_is_refused_with_the_remedy() -> None:
    with pytest.raises(OversizedError, match="cut the log"):
        decode(b"x" * (MAX_BYTES + 1))
    with pytest.raises(OversizedError, match="lines"):
        lines_of("\n" * (MAX_LINES + 1))

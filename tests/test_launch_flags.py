from pathlib import Path

import pytest

from launch.flags import FlagError, Flags, load_flags, plain

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def flags() -> Flags:
    found, problems = load_flags(ROOT / "data/launchers/flags.toml")
    assert problems == []
    return found


def test_a_thing_is_said_in_the_form_of_the_build(flags: Flags) -> None:
    assert flags.form("load-whole", "b10236") == ["--no-mmap"]
    assert flags.form("load-whole", "b11434") == ["--load-mode", "none"]
    assert flags.form("draft-depth", "ik-2026-08", 4) == ["--draft-max", "4"]
    assert flags.form("draft-depth", "b11434", 4) == ["--spec-draft-n-max", "4"]


def test_what_no_form_says_on_a_build_is_refused(flags: Flags) -> None:
    with pytest.raises(FlagError, match="says 'expert-cache' on build b11434"):
        flags.form("expert-cache", "b11434", "auto")


@pytest.mark.parametrize(
    ("name", "build", "instead"),
    [
        ("--no-mmap", "b11434", "--load-mode none"),
        ("--mlock", "b11434", "--load-mode mlock"),
        ("--draft-max", "b11434", "--spec-draft-n-max N"),
        ("--moe-cache", "b11434", None),
    ],
)
def test_a_flag_that_fails_is_known_with_what_replaces_it(
    flags: Flags, name: str, build: str, instead: str | None
) -> None:
    entry = flags.refused(name, build)
    assert entry is not None
    assert flags.instead(entry, build) == instead


@pytest.mark.parametrize(
    ("name", "build"), [("--no-mmap", "b10236"), ("--load-mode", "b11434"), ("--metrics", "b11434")]
)
def test_a_flag_that_holds_or_is_unknown_is_not_refused(
    flags: Flags, name: str, build: str
) -> None:
    assert flags.refused(name, build) is None


@pytest.mark.parametrize(
    ("said", "meant"),
    [("--ctx_size", "-c"), ("--override-tensor", "-ot"), ("-c", "-c"), ("--new", "--new")],
)
def test_spellings_of_one_flag_are_one(said: str, meant: str) -> None:
    assert plain(said) == meant


@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("b10236", "b10236"),
        ("b11000", "b10236"),
        ("12000", "b11434"),
        ("b9967", None),
        ("club3090-v1.5", "club3090-v1.5"),
        ("latest", None),
    ],
)
def test_a_build_means_itself_or_the_last_known_before_it(
    flags: Flags, name: str, build: str | None
) -> None:
    assert flags.nearest(name) == build


@pytest.mark.parametrize(
    ("image", "build"),
    [
        ("ghcr.io/ggml-org/llama.cpp:server-cuda-b10236", "b10236"),
        ("ghcr.io/ggml-org/llama.cpp:full-b11500", "b11434"),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda", None),
        ("nginx", None),
    ],
)
def test_an_image_tells_its_build(flags: Flags, image: str, build: str | None) -> None:
    assert flags.of_image(image) == build
    pinned = flags.builds["club3090-v1.1"].image
    assert pinned is not None
    assert flags.of_image(pinned) == "club3090-v1.1"


def test_every_form_holds_or_fails_somewhere_and_never_both(flags: Flags) -> None:
    for flag in flags.flags:
        assert flag.holds or flag.fails, flag.form
        assert not set(flag.holds) & set(flag.fails), flag.form


BAD = {
    "builds = [": "is no readable TOML",
    "[[wrong]]\nx = 1": "unknown table; known: builds, flags",
    '[[builds]]\nid = "x"': "builds[0].",
    '[[flags]]\nmeans="a"\nmeaning="b"\nform=["-x"]\nholds=["b0"]\nsource=["s"]': "build 'b0'",
}


@pytest.mark.parametrize("text", BAD)
def test_a_wrong_catalogue_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "flags.toml"
    path.write_text(text)
    assert any(BAD[text] in str(problem) for problem in load_flags(path)[1])


def test_a_missing_catalogue_is_told(tmp_path: Path) -> None:
    assert "is no readable TOML" in str(load_flags(tmp_path / "none.toml")[1][0])

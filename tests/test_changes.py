import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.changes import changes, folder_tree, git_range, plain, write_out
from ingest.folder import MAX_FILE_BYTES
from ingest.misuse import Misuse


def git(repository: Path, *words: str) -> str:
    identity = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        identity |= {f"GIT_{role}_NAME": "t", f"GIT_{role}_EMAIL": "t@example.org"}
    ran = subprocess.run(
        ["git", "-C", str(repository), *words],
        env={**os.environ, **identity}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return ran.stdout.strip()


def commit(repository: Path, **files: str) -> None:
    for name, content in files.items():
        (repository / name).write_text(content)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "change")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, kept="1", gone="1", turned="1")
    git(tmp_path, "checkout", "-q", "-b", "work")
    (tmp_path / "gone").unlink()
    commit(tmp_path, turned="2", new="1")
    git(tmp_path, "checkout", "-q", "main")
    commit(tmp_path, elsewhere="1")
    return tmp_path


def words(repository: Path, spoken: str) -> dict[str, str]:
    return {one.path: one.word for one in changes(*git_range(repository, spoken))}


@pytest.mark.parametrize("spoken", ["main..work", "main...work"])
def test_a_range_is_what_the_head_changed_since_the_two_parted(
    repository: Path, spoken: str
) -> None:
    assert words(repository, spoken) == {"gone": "removed", "new": "added", "turned": "changed"}


def test_links_programs_and_odd_names_of_a_commit_are_seen_as_what_they_are(
    repository: Path,
) -> None:
    git(repository, "checkout", "-q", "work")
    (repository / "link").symlink_to("/etc/passwd")
    (repository / "run").write_text("x")
    (repository / "run").chmod(0o755)
    commit(repository, **{"a\nb": "x"})
    _, after = git_range(repository, "main..work")
    assert after["link"].kind == "link"
    assert after["run"].kind == "executable"
    assert not plain("a\nb")
    assert after["a\nb"].read() == b"x"


@pytest.mark.parametrize(
    "spoken",
    ["main", "..", "main..", "..work", "main..nowhere", "--output=x..work", "main..-h", "a b..c"],
)  # fmt: skip
def test_what_is_no_range_is_misuse_and_never_a_flag_of_git(repository: Path, spoken: str) -> None:
    with pytest.raises(Misuse):
        git_range(repository, spoken)


def test_folders_are_held_side_by_side_like_commits(tmp_path: Path) -> None:
    for side, text in (("a", "1"), ("b", "2")):
        (tmp_path / side / ".git").mkdir(parents=True)
        (tmp_path / side / ".git/config").write_text(side)
        (tmp_path / side / "file").write_text(text)
    (tmp_path / "b/link").symlink_to(tmp_path / "a")
    found = changes(folder_tree(tmp_path / "a"), folder_tree(tmp_path / "b"))
    assert [(one.path, one.word) for one in found] == [("file", "changed"), ("link", "added")]
    with pytest.raises(Misuse, match="there is no folder"):
        folder_tree(tmp_path / "c")


def test_only_plain_small_files_are_written_out(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "data").mkdir(parents=True)
    (tree / "data/good").write_text("x")
    (tree / "data/big").write_bytes(b" " * (MAX_FILE_BYTES + 1))
    (tree / "data/odd name").write_text("x")
    (tree / "data/link").symlink_to("/etc/passwd")
    (tree / "other").write_text("x")
    write_out(folder_tree(tree), ("data/",), tmp_path / "out")
    assert [p.name for p in (tmp_path / "out").rglob("*") if p.is_file()] == ["good"]


@given(st.text(max_size=40))
def test_a_plain_path_stays_in_its_tree(path: str) -> None:
    if plain(path):
        whole = Path("/tree", path)
        assert Path(os.path.normpath(whole)) == whole
        assert path.isascii()


@pytest.mark.parametrize("path", ["../x", "a/../b", "/etc", "a//b", "", "-rf", "a/-x", "a\\b", "~"])
def test_a_path_that_climbs_or_reads_as_a_flag_is_not_plain(path: str) -> None:
    assert not plain(path)

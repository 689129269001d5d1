"""What a change touches: two trees, of a git repository or of folders, entry by entry.

Nothing of the second tree is run, followed or unpacked: links are seen as links, and files are
written out only where their names are plain and they are small enough to read.
"""

import hashlib
import os
import re
import stat
import subprocess
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from ingest.folder import MAX_FILE_BYTES
from ingest.misuse import Misuse

Kind = Literal["file", "executable", "link", "submodule", "other"]

LEFT_OUT = frozenset({".git", ".venv", "build", "__pycache__", "node_modules"})
"""Folders of a checkout that git does not keep either."""

PLAIN_PATH = re.compile(r"^[A-Za-z0-9._][A-Za-z0-9._-]*(/[A-Za-z0-9._][A-Za-z0-9._-]*)*$")
"""A path that is the same on every file system, and climbs nowhere (`..` is looked for apart)."""

_MODES: dict[str, Kind] = {
    "100644": "file",
    "100755": "executable",
    "120000": "link",
    "160000": "submodule",
}


class Entry(NamedTuple):
    """One path of a tree: what it is, its size, a name for its content, and how to read it."""

    kind: Kind
    size: int
    digest: str
    read: Callable[[], bytes]


Tree = dict[str, Entry]


class Change(NamedTuple):
    """A path that is not the same in both trees; `before` or `after` is None where it is not."""

    path: str
    before: Entry | None
    after: Entry | None

    @property
    def word(self) -> str:
        """Say what happened: added, removed or changed."""
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"


def changes(before: Tree, after: Tree) -> list[Change]:
    """List what differs, by path."""
    return [
        Change(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if _name(before.get(path)) != _name(after.get(path))
    ]


def _name(entry: Entry | None) -> tuple[str, str] | None:
    return (entry.kind, entry.digest) if entry else None


def plain(path: str) -> bool:
    """Tell whether a path is of plain letters and stays in its tree."""
    return PLAIN_PATH.fullmatch(path) is not None and ".." not in path.split("/")


def git_range(repository: Path, spoken: str) -> tuple[Tree, Tree]:
    """Read the trees of `BASE..HEAD`: what HEAD changed since the two parted."""
    base, dots, head = spoken.partition("..")
    if not dots or not base or not head.strip("."):
        raise Misuse(f"should be BASE..HEAD or two folders, got {spoken!r}")
    first = _commit(repository, base)
    last = _commit(repository, head.lstrip("."))
    parted = _git(repository, "merge-base", first, last).decode().strip()
    return git_tree(repository, parted), git_tree(repository, last)


def _commit(repository: Path, name: str) -> str:
    """Resolve a name to a commit; `--end-of-options` keeps a name from being read as a flag."""
    words = ("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
    try:
        return _git(repository, *words).decode().strip()
    except Misuse as error:
        raise Misuse(
            f"{str(repository)!r} has no commit {name!r} ({error}); name a branch, a tag or a hash,"
            " such as origin/main"
        ) from error


def git_tree(repository: Path, commit: str) -> Tree:
    """List every path of a commit."""
    listing = _git(repository, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
    blobs = _Blobs(repository)
    tree: Tree = {}
    for line in listing.split(b"\0"):
        if line:
            facts, _, raw = line.partition(b"\t")
            mode, _type, digest, size = facts.decode().split()
            tree[raw.decode("utf-8", "backslashreplace")] = Entry(
                kind=_MODES.get(mode, "other"),
                size=0 if size == "-" else int(size),
                digest=digest,
                read=partial(blobs.read, digest),
            )
            if size.isdigit() and int(size) <= MAX_FILE_BYTES:
                blobs.wanted.append(digest)
    return tree


class _Blobs:
    """The contents of a commit, fetched by one call of git when the first is asked for."""

    def __init__(self, repository: Path) -> None:
        self.repository = repository
        self.wanted: list[str] = []
        self.known: dict[str, bytes] = {}

    def read(self, digest: str) -> bytes:
        if not self.known:
            self.known = self._fetched()
        return self.known[digest]

    def _fetched(self) -> dict[str, bytes]:
        names = "".join(f"{digest}\n" for digest in self.wanted).encode()
        told, found = _git(self.repository, "cat-file", "--batch", stdin=names), {}
        at = 0
        while at < len(told):
            head_ends = told.index(b"\n", at)
            digest, _type, size = told[at:head_ends].decode().split()
            starts = head_ends + 1
            found[digest] = told[starts : starts + int(size)]
            at = starts + int(size) + 1
        return found


def _git(repository: Path, *words: str, stdin: bytes = b"") -> bytes:
    ran = subprocess.run(  # noqa: S603 - no shell; names follow --end-of-options or are hashes
        ["git", "-C", str(repository), *words],  # noqa: S607 - git is found on PATH on purpose
        input=stdin,
        capture_output=True,
        check=False,
    )
    if ran.returncode:
        told = ran.stderr.decode(errors="replace").strip().splitlines()
        raise Misuse(f"git {words[0]}: {told[-1] if told else 'failed without a word'}")
    return ran.stdout


def folder_tree(root: Path) -> Tree:
    """List every path below a folder, following no link."""
    if not root.is_dir():
        raise Misuse(f"{root}: there is no folder; name BASE..HEAD or two folders")
    tree: Tree = {}
    for place, folders, files in os.walk(root):
        linked = [name for name in folders if Path(place, name).is_symlink()]
        folders[:] = [name for name in folders if name not in LEFT_OUT and name not in linked]
        for name in (*files, *linked):
            path = Path(place, name)
            tree[path.relative_to(root).as_posix()] = _entry(path)
    return tree


def _entry(path: Path) -> Entry:
    facts = path.lstat()
    if stat.S_ISLNK(facts.st_mode):
        return Entry("link", 0, str(path.readlink()), lambda: b"")
    if not stat.S_ISREG(facts.st_mode):
        return Entry("other", 0, "", lambda: b"")
    kind: Kind = "executable" if facts.st_mode & stat.S_IXUSR else "file"
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Entry(kind, facts.st_size, digest, path.read_bytes)


def write_out(tree: Tree, below: Iterable[str], root: Path) -> None:
    """Write the plain, small files of `tree` whose paths start with one of `below` under `root`."""
    starts = tuple(below)
    for path, entry in tree.items():
        readable = entry.kind == "file" and entry.size <= MAX_FILE_BYTES
        if readable and plain(path) and path.startswith(starts):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(entry.read())

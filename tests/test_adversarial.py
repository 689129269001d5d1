"""Submissions that each try one thing: all are refused or flagged, and none leaves its folder."""

import copy
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ingest.bundle import Bundle, bundle_id, canonical_json
from ingest.changes import folder_tree
from ingest.judging import Judged, judge
from models.review import Review
from sitegen.comment import comment, quiet

ROOT = Path(__file__).parents[1]
RAW = "# Rig report\ndecode 17.1 tokens/s\n"
OLD = "data/reports/ada-epyc-7543/2026-08-11-example"
M = "/runs/0/measurements/0"

Edits = dict[str, Any]
Act = Callable[[Path, Path], None]
"""Changes the tree at the first path; the second is the new bundle's folder."""


class Attempt(NamedTuple):
    """What is tried, by edits of the bundle or an act on the tree, and what must answer it."""

    message: str
    severity: str = "error"
    edits: Edits | None = None
    act: Act | None = None
    raw: str = RAW
    actor: str = "someone"


def _append(folder: str, **line: object) -> Act:
    def act(tree: Path, _: Path) -> None:
        whole = next((tree / "data/reports/ada-epyc-7543").glob(folder))
        status = {"reason": "because", "date": "2026-11-01", "by": "someone", **line}
        with (whole / "status.jsonl").open("a") as file:
            file.write(json.dumps(status) + "\n")

    return act


def _write(path: str, content: str = "x\n") -> Act:
    def act(tree: Path, _: Path) -> None:
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)

    return act


def _beside(name: str, content: bytes = b"x\n") -> Act:
    def act(_: Path, folder: Path) -> None:
        (folder / name).write_bytes(content)

    return act


def _old(tree: Path) -> Path:
    return next((tree / "data/reports/ada-epyc-7543").iterdir())


def _edit_old(tree: Path, _: Path) -> None:
    path = _old(tree) / "report.json"
    path.write_text(path.read_text().replace("17.1", "71.1"))


def _remove_old(tree: Path, _: Path) -> None:
    shutil.rmtree(_old(tree))


def _rewrite_states(tree: Path, _: Path) -> None:
    (_old(tree) / "status.jsonl").write_text("")


def _link(target: str) -> Act:
    def act(_: Path, folder: Path) -> None:
        (folder / "report.md").unlink()
        (folder / "report.md").symlink_to(target)

    return act


def _link_folder(tree: Path, _: Path) -> None:
    (tree / "data/reports/outside").symlink_to("/etc")


def _executable(_: Path, folder: Path) -> None:
    (folder / "report.md").chmod(0o755)


def _zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../evil", "x")
    return packed.getvalue()


def _zip_as_raw(_: Path, folder: Path) -> None:
    (folder / "report.md").write_bytes(_zip())


def _catalog(file: str, old: str, new: str) -> Act:
    def act(tree: Path, _: Path) -> None:
        path = tree / "data/catalog" / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return act


def _copy_of_old(tree: Path, folder: Path) -> None:
    shutil.rmtree(folder)
    old = _old(tree)
    shutil.copytree(old, old.with_name(f"2025-01-01-mine-{old.name[-8:]}"))


def _deep(_: Path, folder: Path) -> None:
    (folder / "report.json").write_text("[" * 100_000)


HUGE = 50_000_000
PLACED = {
    "/runs/0/launch/offload": {"kind": "experts", "layers_on_cpu": 43},
    "/runs/0/launch/expert_cache": {"kind": "none"},
}
ATTEMPTS: dict[str, Attempt] = {
    "333,333 tokens a second": Attempt("got 333333", edits={f"{M}/value": 333_333}),
    "faster than the memory": Attempt(
        "from memory that carries", edits={**PLACED, f"{M}/value": 220, f"{M}/high": 220}
    ),
    "not a number": Attempt("a finite number", act=lambda _, f: _replace(f, "17.1", "NaN")),
    "acceptance above one": Attempt("lies between 0 and 1", edits={
        "/runs/0/measurements/1/value": 1.4}),
    "sixteen channels on one socket": Attempt(
        "slots are not channels", edits={"/rig/memory/channels_total": 16}
    ),
    "DDR4 at 4800": Attempt("DDR4 runs at", "flag", edits={"/rig/memory/mts": 4800}),
    "a deviation of zero": Attempt("is 0 over 5 runs", "flag", edits={f"{M}/sd": 0}),
    "a date in the future": Attempt("is in the future", edits={"/sources/0/date": "2199-01-01"}),
    "a build older than its slug": Attempt(
        "b100 is older than b10236", "flag", edits={"/runs/0/engine/build": "b100"}
    ),
    "another person's handle": Attempt(
        "submit in your own name", edits={"/submitter": "ada"}
    ),
    "another person's machine": Attempt(
        "is a machine of ada", "flag", edits={"/rig/machine": "ada-epyc-7543"}
    ),
    "climbing machine name": Attempt("machine: ", edits={"/rig/machine": "../../etc"}),
    "hidden machine name": Attempt("machine: ", edits={"/rig/machine": ".github"}),
    "a path of odd letters": Attempt("rename it", act=_write("data/reports/a b;rm -r/x/a")),
    "a newline in a path": Attempt("rename it", act=_write("data/reports/m/b\nx/report.md")),
    "a link to a secret": Attempt("is a link, not a plain file", act=_link("/etc/passwd")),
    "a link to another bundle": Attempt("is a link", act=_link("../../ada-epyc-7543")),
    "a linked folder": Attempt("is a link", act=_link_folder),
    "fifty megabytes": Attempt("at most 5,000,000 bytes", act=_beside("report.md", b" " * HUGE)),
    "ten thousand runs": Attempt("at most 500 items", edits={
        "/runs": [{"id": f"r{i}"} for i in range(10_000)]}),
    "an archive beside a report": Attempt("is not part of a bundle", act=_beside("x.zip", _zip())),
    "an archive as the report": Attempt("should be plain text", act=_zip_as_raw),
    "a program beside the report": Attempt("is not part of a bundle", act=_beside("install.sh")),
    "an executable report": Attempt("chmod -x", act=_executable),
    "nesting without end": Attempt("Invalid JSON", act=_deep),
    "HTML": Attempt("reads as HTML", "flag", edits={"/rig/os": "<script>alert(1)</script>"}),
    "Markdown": Attempt("reads as Markdown", "flag", edits={
        "/rig/os": "![x](https://evil.example/pixel) @everyone"}),
    "a template": Attempt("reads as a template", "flag", edits={
        "/rig/environment": "{{ ''.__class__ }} ${{ secrets.GITHUB_TOKEN }}"}),
    "SQL": Attempt("reads as SQL", "flag", edits={
        "/runs/0/named": "x'; DROP TABLE runs; --"}),
    "a spreadsheet formula": Attempt("reads as a spreadsheet formula", "flag", edits={
        "/runs/0/named": '=HYPERLINK("http://evil.example")'}),
    "a look-alike slug": Attempt("CYRILLIC SMALL LETTER A", edits={
        "/runs/0/slug": "ll\u0430macpp/deepseek-flash-dual-q8"}),
    "text that turns around": Attempt("unseen character U+202E", edits={
        "/rig/gpus/0/name": "RTX \u202e0903"}),
    "a bundle that edits another": Attempt("but bundles are only added to", act=_edit_old),
    "a bundle that removes another": Attempt("but bundles are only added to", act=_remove_old),
    "states that are wiped": Attempt("its lines are only added to", act=_rewrite_states),
    "retracting another's row": Attempt(
        "only ada or a maintainer may say retracted", act=_append("*", state="retracted")
    ),
    "a state in another's name": Attempt(
        "name yourself", act=_append("*", state="flagged", by="ada")
    ),
    "a catalogue that makes it plausible": Attempt(
        "holds only with this change's own catalogue: decode lies between",
        edits={f"{M}/value": 9000, f"{M}/high": 9000},
        act=_catalog("quantities.toml", "high = 5000.0", "high = 500000.0"),
    ),
    "a slug of its own making": Attempt(
        "holds only with this change's own catalogue", "flag",
        edits={"/runs/1/slug": "llamacpp/best-rig-ever"},
        act=_catalog("slugs.toml", "llamacpp/deepseek-flash-dual-iq2", "llamacpp/best-rig-ever"),
    ),
    "workflow files": Attempt(
        "changes the workflows beside a report", act=_write(".github/workflows/x.yml", "on: push\n")
    ),
    "code beside a report": Attempt(
        "changes the project itself", act=_write("ingest/rules.py", "RULES = []\n")
    ),
    "making oneself a maintainer": Attempt(
        "changes the workflows", act=_write(".github/CODEOWNERS", "* @someone\n")
    ),
    "an old bundle as one's own": Attempt("the same bundle lies in", act=_copy_of_old),
    "somebody's name in the log": Attempt("redact the text", raw="model at /home/jdoe42/m.gguf\n"),
    "a changed raw text": Attempt(
        "were changed after it was made", act=_beside("report.md", b"# another\n")
    ),
    "an unknown key": Attempt("unknown key 'trusted'", act=lambda _, f: _replace(
        f, '"submitter"', '"trusted": true,\n  "submitter"')),
}  # fmt: skip


def _replace(folder: Path, old: str, new: str) -> None:
    path = folder / "report.json"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))


def _edited(document: dict[str, Any], edits: Edits) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    for pointer, value in edits.items():
        *path, last = pointer.split("/")[1:]
        place: Any = changed
        for step in path:
            place = place[int(step)] if isinstance(place, list) else place[step]
        place[int(last) if isinstance(place, list) else last] = value
    return changed


def _file(tree: Path, document: dict[str, Any], raw: str, date: str) -> Path:
    """Write a bundle as a submitter would, whatever it says; JSON of what no model accepts."""
    document["id"] = bundle_id([source["url"] for source in document["sources"]], raw)
    machine = document["rig"]["machine"]
    safe = machine if "/" not in machine else "someone-epyc-7543"
    folder = tree / "data/reports" / safe / f"{date}-example-{document['id'][:8]}"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(json.dumps(document, indent=1))
    (folder / "report.md").write_text(raw)
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of one bundle, ada's, and the catalogue; maintained by grace."""
    tree = tmp_path_factory.mktemp("base")
    shutil.copytree(ROOT / "data/catalog", tree / "data/catalog")
    document = json.loads((ROOT / "tests/reports/valid.json").read_text())
    document["sources"][0]["url"] = "example.org/rigs/ada"
    document["submitter"] = "ada"
    document["rig"]["machine"] = "ada-epyc-7543"
    document["runs"][0]["engine"]["build"] = "b10300"
    folder = _file(tree, document, "# ada's report\n", "2026-08-11")
    line = {"state": "flagged", "reason": "hot", "date": "2026-08-12", "by": "grace"}
    (folder / "status.jsonl").write_text(json.dumps(line) + "\n")
    (tree / ".github").mkdir()
    (tree / ".github/CODEOWNERS").write_text("* @grace\n")
    return tree


@pytest.fixture
def attempt(base: Path, tmp_path: Path, document: dict[str, Any]) -> Callable[[Attempt], Judged]:
    def make(one: Attempt) -> Judged:
        tree = tmp_path / "head"
        shutil.copytree(base, tree, symlinks=True)
        folder = _file(tree, _edited(document, one.edits or {}), one.raw, "2026-10-01")
        if one.act:
            one.act(tree, folder)
        return judge(folder_tree(base), folder_tree(tree), tmp_path / "judged", actor=one.actor)

    return make


def test_there_are_at_least_forty_attempts() -> None:
    assert len(ATTEMPTS) >= 40


def test_an_honest_submission_is_neither_refused_nor_flagged(
    attempt: Callable[[Attempt], Judged],
) -> None:
    judged = attempt(Attempt(""))
    assert [str(problem) for problem in judged.problems] == []
    assert len(judged.added) == 1


def _content(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_attempt_is_answered_and_changes_nothing_outside(
    name: str, attempt: Callable[[Attempt], Judged], base: Path, tmp_path: Path
) -> None:
    one, before = ATTEMPTS[name], _content(base)
    judged = attempt(one)
    told = [p for p in judged.problems if one.message in f"{p.where}: {p.message}"]
    assert told, [str(problem) for problem in judged.problems]
    assert one.severity in {problem.severity for problem in told}
    assert _content(base) == before
    assert {path.name for path in tmp_path.iterdir()} == {"head", "judged"}
    written = [path for path in (tmp_path / "judged").rglob("*") if not path.is_dir()]
    assert not any(path.is_symlink() or os.access(path, os.X_OK) for path in written)
    _shows_its_text_and_acts_on_none(judged, tmp_path)


def _shows_its_text_and_acts_on_none(judged: Judged, tmp_path: Path) -> None:
    report = comment(Review(judged, (), (), None, (tmp_path, tmp_path)))
    outside = "".join(part.rpartition("</code>")[2] for part in report.split("<code>"))
    for sign in ("<script", "![", "](", "${{", "{{", "@everyone", "\u202e"):
        assert sign not in report
    assert "evil.example" not in outside
    assert all(line.count(" | ") <= 3 for line in report.splitlines())


def test_a_preview_mentions_nobody_and_loads_nothing() -> None:
    block = '<a href="https://evil.example">x</a><img src="//evil.example">&#64;ada &#35;1'
    assert quiet(block) == "x&#64;&#8203;ada &#35;&#8203;1"


@pytest.mark.parametrize(
    ("actor", "by", "state"), [("ada", "ada", "retracted"), ("grace", "grace", "superseded")]
)
def test_a_submitter_and_a_maintainer_may_withdraw(
    attempt: Callable[[Attempt], Judged], actor: str, by: str, state: str
) -> None:
    act = _append("*", state=state, by=by)
    judged = attempt(Attempt("", act=act, actor=actor))
    assert not [p for p in judged.problems if "status.jsonl" in p.path]


def test_anybody_may_flag_with_a_reason(attempt: Callable[[Attempt], Judged]) -> None:
    judged = attempt(Attempt("", act=_append("*", state="flagged")))
    assert judged.problems == ()


def test_the_bundle_of_the_tests_is_one_of_the_format(document: dict[str, Any]) -> None:
    assert canonical_json(Bundle.model_validate(document))

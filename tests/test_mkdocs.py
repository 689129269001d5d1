from pathlib import Path

from sitegen.mkdocs import complaints, run_mkdocs

LOG = """INFO    -  Cleaning site directory
WARNING -  Doc file 'results/rigs/x.md' contains a link '../y.md', but the target is not found.
INFO    -  Doc file 'z.md' contains an absolute link
ERROR   -  Config value 'theme': unrecognised theme

Aborted with 1 warnings in strict mode!
"""


def test_warnings_and_errors_become_problems_at_their_page() -> None:
    link, theme = complaints(LOG)
    assert link.path == "site/docs/results/rigs/x.md"
    assert "'../y.md'" in link.message
    assert theme.path == "mkdocs.yml"


def project(tmp_path: Path, page: str) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text(page)
    config = tmp_path / "mkdocs.yml"
    config.write_text("site_name: x\ndocs_dir: docs\nstrict: true\ntheme: {name: material}\n")
    return config


def test_a_page_that_holds_is_built(tmp_path: Path) -> None:
    assert run_mkdocs(project(tmp_path, "# Hello"), tmp_path / "out") == []
    assert "Hello" in (tmp_path / "out/index.html").read_text()


def test_a_broken_link_is_a_problem(tmp_path: Path) -> None:
    (problem,) = run_mkdocs(project(tmp_path, "[x](missing.md)"), tmp_path / "out")
    assert problem.path == "site/docs/index.md"
    assert "missing.md" in problem.message


def test_a_broken_configuration_is_a_problem(tmp_path: Path) -> None:
    config = project(tmp_path, "# Hello")
    config.write_text("site_name: [")
    assert len(run_mkdocs(config, tmp_path / "out")) == 1

import difflib
import re
from pathlib import Path

import duckdb
import pytest

from ingest.check import check
from ingest.store import create, fill
from sitegen.address import rig_page, slug_page, variant_page
from sitegen.record import Record, read
from sitegen.redirect import read_redirects, redirect_problems, write_redirects

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests/golden/addresses.txt"


@pytest.fixture(scope="module")
def committed() -> Record:
    checked = check([ROOT / "data"])
    with duckdb.connect() as connection:
        create(connection)
        fill(connection, checked.filed, checked.catalog)
        return read(connection)


def addresses(record: Record) -> set[str]:
    served = {(run["model"], run["quant"]) for run in record.runs}
    named = {(slug["model"], slug["quant"]) for slug in record.slugs.values()}
    return {
        *(slug_page(slug) for slug in record.slugs),
        *(rig_page(rig_id) for rig_id in record.machines),
        *(variant_page(model, quant) for model, quant in served | named),
    }


def test_every_address_ever_published_still_leads_somewhere(committed: Record) -> None:
    now = addresses(committed)
    fresh = ROOT / "build/addresses.txt"
    fresh.parent.mkdir(exist_ok=True)
    fresh.write_text("".join(f"{one}\n" for one in sorted(now)))
    published = GOLDEN.read_text().splitlines()
    lost = set(published) - now - set(read_redirects(ROOT))
    assert not lost, f"{sorted(lost)}\nadd where each went to site/redirects.toml"
    fresh_ones = [line for line in difflib.ndiff(published, sorted(now)) if line.startswith("+")]
    assert not fresh_ones, f"{fresh_ones}\nnew pages: cp build/addresses.txt {GOLDEN.name}"


def test_the_committed_redirects_hold(committed: Record) -> None:
    assert redirect_problems(read_redirects(ROOT), addresses(committed)) == []


def test_an_old_address_leads_on_without_a_script(tmp_path: Path) -> None:
    write_redirects({"rigs/old": "rigs/new", "slugs/a/old": "rigs/new"}, tmp_path)
    one = (tmp_path / "rigs/old/index.html").read_text()
    two = (tmp_path / "slugs/a/old/index.html").read_text()
    assert re.findall(r'url=([^"]*)', one.replace("&#46;", ".")) == ["../../rigs/new/"]
    assert re.findall(r'url=([^"]*)', two.replace("&#46;", ".")) == ["../../../rigs/new/"]
    assert "<script" not in one


def test_a_redirect_that_hides_a_page_or_leads_to_none_is_a_problem() -> None:
    found = redirect_problems({"rigs/a": "rigs/b", "rigs/c": "rigs/d"}, {"rigs/a", "rigs/b"})
    assert [problem.where for problem in found] == ["rigs/a", "rigs/c"]


def test_a_checkout_without_a_map_has_no_redirects(tmp_path: Path) -> None:
    assert read_redirects(tmp_path) == {}

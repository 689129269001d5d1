import html
import re

import pytest

from sitegen.record import Record, Row
from sitegen.run import cache, drafter, engine, field, placement, served, source, thinking, verdict
from sitegen.table import Cell


def plain(shown: str | Cell) -> str:
    words = shown.shown if isinstance(shown, Cell) else shown
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", words)).split())


@pytest.fixture
def run(record: Record) -> Row:
    return next(run for run in record.runs if run["rig_id"] == "one-epyc-7543" and run["slug"])


def test_off_and_unknown_are_told_apart(run: Row) -> None:
    assert plain(drafter({**run, "drafter": "none"})) == "off"
    assert plain(drafter({**run, "drafter": None})) == "–"
    assert plain(cache({**run, "expert_cache": "none"})) == "off"
    assert plain(cache({**run, "expert_cache": None})) == "–"
    assert plain(thinking({**run, "thinking": False})) == "off"
    assert plain(thinking({**run, "thinking": None})) == "–"


def test_a_drafter_is_named_with_depth_and_device(run: Row) -> None:
    assert plain(drafter({**run, "drafter_device": "gpu"})) == "dspark, depth 5, on gpu"


def test_placement_counts_layers_where_they_are_known(run: Row) -> None:
    assert (
        plain(placement({**run, "offload": "experts", "layers_on_cpu": 26})) == "26 layers in RAM"
    )
    assert plain(placement({**run, "offload": "experts", "layers_on_cpu": None})) == "experts"
    assert plain(placement({**run, "offload": None, "layers_on_cpu": 0})) == "0 layers in RAM"


def test_inferred_launch_fields_are_marked(run: Row) -> None:
    guessed = {**run, "inferred": ["/launch/threads", "/launch/drafter/depth"]}
    assert "◌" in plain(field("threads", "/launch/threads")(guessed))
    assert "◌" in plain(drafter(guessed))
    assert "◌" not in plain(engine(guessed))


def test_what_was_served_is_the_slug_else_the_reports_name_else_the_weights(run: Row) -> None:
    assert plain(served(run)) == "llamacpp/deepseek-flash-dual-q8"
    bare = {**run, "slug": None}
    assert plain(served({**bare, "named": "my box"})) == "my box as the report names it"
    assert plain(served(bare)) == "deepseek-v4-flash-0731 UD-Q8_K_XL"
    assert plain(served({**bare, "model": None, "quant": None, "weights_spelled": "x"})) == "x"
    assert plain(served({**bare, "model": None, "quant": None, "weights_spelled": None})) == "–"


def test_a_source_names_author_and_post_and_links(run: Row) -> None:
    shown = source({**run, "author": "someone", "post": 13})
    assert plain(shown) == "someone #13"
    assert "example.org/rigs/1" in html.unescape(shown)
    assert "<a" not in source({**run, "source_url": "javascript:alert(1)"})


def test_a_stage_that_was_not_run_is_a_dash() -> None:
    assert plain(verdict(None)) == "–"
    assert 'class="stage fail"' in verdict("fail")

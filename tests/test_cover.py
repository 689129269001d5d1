from pathlib import Path

from models.record import FittedModel
from sitegen.chart import LIGHT, darkened
from sitegen.cover import cover

ASSETS = Path(__file__).parents[1] / "site/docs/assets"


def test_the_committed_picture_is_what_the_shipped_model_gives(fitted: FittedModel) -> None:
    drawn = cover(fitted)
    assert (ASSETS / "cover.svg").read_text() == f"{drawn}\n", "run `make readme`"
    assert (ASSETS / "cover.dark.svg").read_text() == f"{darkened(drawn)}\n", "run `make readme`"


def test_it_shows_every_predictor_once_and_ours_in_the_colour_of_ours(fitted: FittedModel) -> None:
    drawn = cover(fitted)
    names = {name for name in fitted.evaluation["scores"] if "Rigbook," not in name}
    assert all(name.replace("&", "&amp;") in drawn for name in names)
    assert drawn.count('aria-roledescription="bar"') == len(names)
    bars = [line for line in drawn.split("<path") if 'aria-roledescription="bar"' in line]
    assert [LIGHT.mark in bar for bar in bars] == ["Rigbook" in bar for bar in bars]


def test_readme_shows_it_in_both_schemes() -> None:
    readme = (ASSETS.parents[2] / "README.md").read_text()
    assert 'src="site/docs/assets/cover.svg"' in readme
    assert 'srcset="site/docs/assets/cover.dark.svg"' in readme
    assert len(readme.splitlines()) <= 120

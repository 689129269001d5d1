"""Where the files that come with Rigbook lie, in a checkout and in an installed wheel alike."""

from os.path import dirname, exists, join, realpath

_PACKAGE = dirname(realpath(__file__))


def shipped(part: str) -> str:
    """Find `part` of the shipped data: `catalog`, `launchers` or `model.json`.

    A wheel carries them inside the packages; a checkout keeps them under `data/` and
    `models/fitted/`. Raises FileNotFoundError naming both places. Pure `os.path`, since `predict`
    comes through here and starts in milliseconds.
    """
    model = join(dirname(_PACKAGE), "models", "fitted", part)
    places = (join(_PACKAGE, "data", part), join(dirname(_PACKAGE), "data", part), model)
    for place in places:
        if exists(place):
            return place
    raise FileNotFoundError(f"no {part}: looked for {', '.join(places)}; reinstall rigbook")

"""The fitted model as a file: `model.json`, read by `predict`, the site and the browser.

It is self-contained: parameters, interval factors, the catalogue facts that predictions need, the
measured rows that stand as neighbours, and the errors measured on machines left out.
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from ingest.misuse import Misuse
from ingest.shipped import shipped

SCHEMA = "rigbook.model/2"
BUILT = Path("build/model.json")


class FittedModel(NamedTuple):
    """A fitted decode model. Every part is plain JSON.

    - `parameters`: name → {value, unit, meaning, prior, sd}; `physics.Parameters` reads them.
    - `effects`: model → and variant → log of what is left, shrunk towards 0.
    - `components`: variance that two configurations on one machine share (`components.py`).
    - `intervals`: class (`setup.interval_of`) → level → [low, high]: measured / predicted, logs.
    - `ships`: stratum → `learned`, or `roofline` where that is better on machines left out.
    - `roofline`: stratum → the constant that scales the plain roofline.
    - `defaults`: what is assumed where acceptance or hit rate is not given.
    - `facts`: catalogue facts by table (`facts.py`): targets, cpus, gpus, methods.
    - `anchors`: the measured rows, as neighbours to show.
    - `prefill`: parameters, intervals and error of the prefill model (`prefill.py`).
    - `evaluation`: errors on machines left out, for this model and the baselines.
    """

    version: str
    fitted_on: dict[str, Any]
    parameters: dict[str, dict[str, Any]]
    effects: dict[str, float]
    components: dict[str, float]
    intervals: dict[str, dict[str, list[float]]]
    ships: dict[str, str]
    roofline: dict[str, float]
    defaults: dict[str, Any]
    facts: dict[str, Any]
    anchors: list[dict[str, Any]]
    prefill: dict[str, Any]
    evaluation: dict[str, Any]


def load_model(path: Path | None = None) -> FittedModel:
    """Read a model: `path`, else `build/model.json` of a checkout, else the one that ships.

    Raises Misuse, in one line, when the file is not there or is not a model of this schema.
    """
    file = path or (BUILT if BUILT.exists() else Path(shipped("model.json")))
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Misuse(f"{file}: no model there; run `rigbook fit` first") from error
    except (ValueError, OSError) as error:
        raise Misuse(f"{file}: is not a model: {error}; run `rigbook fit`") from error
    return from_document(document, str(file))


def from_document(document: object, name: str) -> FittedModel:
    """Make a model of parsed JSON; `name` is the file's, for the message."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise Misuse(f"{name}: should be a document of schema {SCHEMA!r}; run `rigbook fit` anew")
    missing = [field for field in FittedModel._fields if field not in document]
    if missing:
        raise Misuse(f"{name}: lacks {', '.join(missing)}; run `rigbook fit` anew")
    return FittedModel(**{field: document[field] for field in FittedModel._fields})


def as_text(model: FittedModel) -> str:
    """Write the model the one way it is stored: the same model gives the same bytes."""
    return json.dumps({"schema": SCHEMA, **model._asdict()}, indent=1, sort_keys=True) + "\n"


def write_model(model: FittedModel, path: Path) -> None:
    """Write `path` whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        beside.write_text(as_text(model), encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _sweep(path: Path) -> None:
    """Remove what a killed fit left beside `path`, unless its process still runs."""
    for left in path.parent.glob(f".{path.name}.*.new"):
        process = left.name.removeprefix(f".{path.name}.").removesuffix(".new")
        if process.isdigit() and not Path("/proc", process).exists():
            left.unlink(missing_ok=True)

"""A grid of rigs to hold the predictor page against `predict`; run as a script for the whole of it.

PYTHONPATH=.:site python tests/predictor_grid.py 10000
"""

import json
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.misuse import Misuse
from models.answer import Answer
from models.estimate import Question, estimate, parameters_of, speed_of
from models.insight import LEVERS
from models.predict import predict
from models.record import FittedModel, load_model
from models.request import GpuRequest, OwnRun, Request
from models.rig import rig_of
from models.targets import targets
from models.what_if import changed, what_if
from sitegen.browser import browser_json

ROOT = Path(__file__).parents[1]
TOLERANCE = 1e-9
"""Design law: the two languages differ by no more than this, relative."""

TURN = 1.1
Json = Any


def questions(
    model: FittedModel, number: int, seed: int = 7
) -> Iterator[tuple[Request, str | None]]:
    """Draw questions: each a rig, as much of it as some asker states, and perhaps a change."""
    draw = random.Random(seed)  # noqa: S311 - a grid, no secret
    for _ in range(number):
        yield _request(draw, model), draw.choice([None, None, _change(draw)])


def _some(draw: random.Random, share: float, value: Json) -> Json:
    return value if draw.random() < share else None


def _request(draw: random.Random, model: FittedModel) -> Request:
    facts = model.facts
    measured = draw.random() < 0.6
    cpu = _some(draw, 0.5, draw.choice([one["name"] for one in facts["cpus"].values()]))
    return Request(
        triad_gbps=round(math.exp(draw.uniform(0.5, 7)), 1) if measured else None,
        triad_method=_some(draw, 0.5, draw.choice(sorted(facts["methods"]))) if measured else None,
        channels=draw.choice([1, 2, 4, 6, 8, 12, 24]) if not measured else _some(draw, 0.2, 4),
        mts=draw.choice([1600.0, 2666, 3200, 4800, 6400])
        if not measured
        else _some(draw, 0.2, 3200),
        cores=None if cpu and draw.random() < 0.5 else draw.choice([1, 4, 6, 16, 23, 64, 192]),
        sockets=draw.choice([1, 1, 1, 2, 4]),
        threads=_some(draw, 0.3, draw.choice([1, 3, 8, 16, 31, 64, 256])),
        smt=_some(draw, 0.2, draw.random() < 0.5),
        cpu=cpu,
        ram_gib=_some(draw, 0.6, draw.choice([16.0, 62.5, 96, 125.5, 156, 160, 256, 1024])),
        gpus=_gpus(draw, model),
        vram_gib=_some(draw, 0.1, draw.choice([8.0, 24, 48, 96])),
        **_what(draw, model),
        **_run(draw),
        mine=tuple(_own(draw, model) for _ in range(draw.choice([0, 0, 0, 1, 2, 3]))),
        level=draw.choice([0.5, 0.8, 0.8, 0.9]),
    )


def _run(draw: random.Random) -> dict[str, Json]:
    return {
        "workload": draw.choice(["narrative", "narrative", "code", "chat"]),
        "depth": _some(draw, 0.3, draw.randint(0, 9)),
        "acceptance": _some(draw, 0.2, round(draw.random(), 3)),
        "hit_rate": _some(draw, 0.2, draw.choice([0.0, 0.3, 0.777, 1.0])),
        "cpu_layers": _some(draw, 0.1, draw.randint(0, 45)),
        "at_tokens": draw.choice([0, 0, 4000, 90_000]),
        "ubatch": _some(draw, 0.3, draw.choice([512, 2048, 4096])),
        "ctx_tokens": _some(draw, 0.3, draw.choice([8192, 65_536, 204_800])),
    }


def _what(draw: random.Random, model: FittedModel) -> dict[str, Json]:
    kind = draw.random()
    if kind < 0.7:
        return {}
    if kind < 0.85:
        return {"slugs": tuple(draw.sample(sorted(model.facts["slugs"]), 2))}
    return {"model": draw.choice(sorted(one["model"] for one in model.facts["variants"].values()))}


def _gpus(draw: random.Random, model: FittedModel) -> tuple[GpuRequest, ...]:
    kind = draw.random()
    if kind < 0.3:
        return ()
    if kind < 0.4:
        return (GpuRequest("none"),)
    names = [one["name"] for one in model.facts["gpus"].values()]
    usual = ["RTX 3090", "RTX 4090", "RTX 5090"]
    kinds = range(draw.choice([1, 1, 2]))
    return tuple(
        GpuRequest(draw.choice(draw.choice([names, usual])), draw.randint(1, 4)) for _ in kinds
    )


def _own(draw: random.Random, model: FittedModel) -> OwnRun:
    speed = round(math.exp(draw.uniform(0, 4)), 1)
    return OwnRun(draw.choice(sorted(model.facts["slugs"])), speed, draw.choice([None, "code"]))


def _change(draw: random.Random) -> str:
    return draw.choice(
        ["triad=116", "channels=8,mts=6400", "cores=32,threads=16", "ram=256", "depth=3",
         "acceptance=0.7", "hit-rate=0.5", "at=50000", "cpu=EPYC 7543", "sockets=2",
         "workload=code", "gpu=RTX 4090", "gpu=RTX 3090x3+RTX 4090",
         "gpu=none", "gpu=RTX 3090x2,vram=30", "channels=99", "cores=many", "gold=1"]
    )  # fmt: skip


def answered(model: FittedModel, request: Request, change: str | None) -> Json:
    """Answer in Python, in the shape of `predictor_parity.mjs`."""
    try:
        answers = predict(model, None, request)
        other = changed(request, change) if change else None
    except Misuse as error:
        return {"misuse": str(error)}
    question = Question(
        model, parameters_of(model), model.facts, rig_of(request, model.facts), request
    )
    target = next(
        one
        for one in targets(request, model.facts)
        if (one.slug, one.variant["model"], one.variant["quant"])
        == (answers[0].slug, answers[0].model, answers[0].quant)
    )
    changes = sorted(
        (one._asdict() for one in what_if(model, None, request, other)) if other else (),
        key=lambda one: (one["slug"] or "", one["model"], one["quant"]),
    )
    return {
        "answers": [one.as_json() for one in answers],
        "advice": {
            **_advice(model, request, answers[0]),
            "sensitivity": sensitivity(question, target),
        },
        "changes": changes if other else None,
    }


def _advice(model: FittedModel, request: Request, best: Answer) -> Json:
    """Ask for one answer whole: what Python adds to it where a slug or a model is named."""
    named: Json = (
        {"slugs": (best.slug,)} if best.slug else {"model": best.model, "quant": best.quant}
    )
    (whole,) = predict(model, None, request._replace(**named), advise=True)
    told = whole.as_json()
    if told["drafting"]:
        told["drafting"]["tokens_per_s"] = list(told["drafting"]["tokens_per_s"].values())
    added = told["warnings"][len(best.warnings) :]
    kept = {name: told[name] for name in ("drafting", "threads_enough", "prefill", "context")}
    return {**kept, "context_warnings": added}


def sensitivity(question: Question, target: Json) -> dict[str, float]:
    """Turn each lever of the model up by a tenth."""
    model, parameters = question.model, question.parameters
    here = estimate(question, target)
    return {
        lever: speed_of(
            model, parameters, target,
            here.setup._replace(inputs=turn(here.setup.inputs, TURN)),
        )
        / here.tokens_per_s
        for lever, turn in LEVERS.items()
    }  # fmt: skip


def in_browser(model: FittedModel, asked: list[tuple[Request, str | None]]) -> list[Json]:
    """Answer in JavaScript, by node."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "predictor.json")
        file.write_text(browser_json(model), encoding="utf-8")
        lines = [
            json.dumps({"request": _plain(request), "what_if": change}) for request, change in asked
        ]
        done = subprocess.run(
            ["node", str(ROOT / "tests/predictor_parity.mjs"),
             str(ROOT / "site/docs/assets/predictor"), str(file)],
            input="\n".join(lines), capture_output=True, text=True, check=True,
        )  # fmt: skip
    return [_ordered(json.loads(line)) for line in done.stdout.splitlines()]


def _plain(request: Request) -> dict[str, Json]:
    return {
        **request._asdict(),
        "gpus": [gpu._asdict() for gpu in request.gpus],
        "mine": [run._asdict() for run in request.mine],
    }


def _ordered(told: Json) -> Json:
    if told.get("changes"):
        told["changes"].sort(key=lambda one: (one["slug"] or "", one["model"], one["quant"]))
    return told


PYTHON_ALONE = {"drafting", "threads_enough", "prefill", "context", "protocol", "quantity"}
"""Keys of an answer that the page has elsewhere, or does not show."""


def differences(python: Json, browser: Json, place: str = "") -> Iterator[str]:
    """List where two answers differ, numbers by more than the tolerance."""
    if isinstance(python, dict) and isinstance(browser, dict):
        for key in sorted((python.keys() | browser.keys()) - _unshared(python)):
            yield from differences(python.get(key), browser.get(key), f"{place}.{key}")
    elif isinstance(python, list) and isinstance(browser, list) and len(python) == len(browser):
        for index, pair in enumerate(zip(python, browser, strict=True)):
            yield from differences(*pair, f"{place}[{index}]")
    elif isinstance(python, int | float) and isinstance(browser, int | float):
        if not math.isclose(python, browser, rel_tol=TOLERANCE, abs_tol=1e-12):
            yield f"{place}: {python!r} in Python, {browser!r} in the browser"
    elif python != browser:
        yield f"{place}: {python!r} in Python, {browser!r} in the browser"


def _unshared(told: Json) -> set[str]:
    return PYTHON_ALONE if "basis" in told else set()


def compare(model: FittedModel, number: int, seed: int = 7) -> tuple[int, list[str]]:
    """Ask both languages; give the number of answers compared and the differences."""
    asked = list(questions(model, number, seed))
    compared, found = 0, []
    for pair, browser in zip(asked, in_browser(model, asked), strict=True):
        python = answered(model, *pair)
        compared += len(python.get("answers", ()))
        found += [f"{pair}: {line}" for line in differences(python, browser)]
    return compared, found


if __name__ == "__main__":
    rigs = int(sys.argv[1])
    compared, found = compare(load_model(ROOT / "models/fitted/model.json"), rigs)
    sys.stdout.write("".join(f"{line}\n" for line in found[:20]))
    sys.stdout.write(f"{rigs} rigs, {compared} answers, {len(found)} differences\n")
    sys.exit(bool(found))

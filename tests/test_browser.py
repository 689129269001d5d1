import json

from models import physics
from models.record import FittedModel
from sitegen.browser import ANCHOR, CONSTANTS, CPU, browser_document, browser_json
from sitegen.record import Record


def test_every_row_and_number_of_the_model_arrives(fitted: FittedModel) -> None:
    document = json.loads(browser_json(fitted))
    assert document["parameters"]["yield"] == fitted.parameters["yield"]["value"]
    assert document["slugs"]["id"] == list(fitted.facts["slugs"])
    rows = [
        dict(zip(ANCHOR, row, strict=True))
        for row in zip(*document["anchors"].values(), strict=True)
    ]
    assert rows == [{field: anchor[field] for field in ANCHOR} for anchor in fitted.anchors]
    assert set(document["cpus"]) == set(CPU)


def test_constants_are_those_of_the_modules_that_own_them() -> None:
    assert CONSTANTS["reuse"] == physics.REUSE
    assert json.loads(json.dumps(CONSTANTS))["what_if"]["triad"] == ["triad_gbps", "float"]


def test_only_pages_that_exist_are_linked(fitted: FittedModel, record: Record) -> None:
    assert browser_document(fitted)["rig_pages"] == {}
    linked = browser_document(fitted, record)["rig_pages"]
    assert linked.keys() <= record.machines.keys()
    assert all(page.startswith("rigs/") for page in linked.values())


def test_the_same_model_gives_the_same_bytes(fitted: FittedModel, record: Record) -> None:
    assert browser_json(fitted, record) == browser_json(fitted, record)
    assert "NaN" not in browser_json(fitted)


def test_names_tell_rows_apart_where_no_id_goes_along(fitted: FittedModel) -> None:
    facts = fitted.facts
    assert len({cpu["name"] for cpu in facts["cpus"].values()}) == len(facts["cpus"])
    variants = facts["variants"].items()
    assert all(key == f"{one['model']}/{one['quant']}" for key, one in variants)

import copy
import json
from pathlib import Path

import jsonschema
import pytest

from models.record import FittedModel
from models.schema import model_schema

SHIPPED = json.loads((Path(__file__).parents[1] / "models/fitted/model.json").read_text())


def test_the_schema_describes_every_part_of_a_model() -> None:
    assert set(model_schema()["properties"]) == {"schema", *FittedModel._fields}


def test_the_shipped_model_fits_its_schema() -> None:
    jsonschema.validate(SHIPPED, model_schema())


@pytest.mark.parametrize("part", ["parameters", "intervals", "ships", "schema"])
def test_a_broken_part_is_seen(part: str) -> None:
    broken = copy.deepcopy(SHIPPED)
    broken[part] = {"x": {"y": "z"}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, model_schema())

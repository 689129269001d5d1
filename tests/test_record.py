import json
import os
from pathlib import Path

import pytest

from ingest.misuse import Misuse
from models.record import SCHEMA, FittedModel, as_text, from_document, load_model, write_model

EMPTY = FittedModel("1", {}, {}, {}, {}, {}, {}, {}, {}, {}, [], {}, {})


def test_a_model_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    write_model(EMPTY, tmp_path / "deep/model.json")
    assert load_model(tmp_path / "deep/model.json") == EMPTY
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["model.json"]


def test_what_a_killed_fit_left_is_swept_and_a_running_one_is_left_alone(tmp_path: Path) -> None:
    gone = 2**22 + 1  # a process number that Linux never gives
    for process in (gone, os.getppid()):
        (tmp_path / f".model.json.{process}.new").touch()
    write_model(EMPTY, tmp_path / "model.json")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [f".model.json.{os.getppid()}.new", "model.json"]


def test_a_model_that_cannot_be_put_in_its_place_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "model.json").mkdir()
    with pytest.raises(OSError, match=r"model\.json"):
        write_model(EMPTY, tmp_path / "model.json")
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_the_same_model_gives_the_same_bytes_whatever_the_order_of_its_keys() -> None:
    one = EMPTY._replace(effects={"a": 1.0, "b": 2.0})
    other = EMPTY._replace(effects={"b": 2.0, "a": 1.0})
    assert as_text(one) == as_text(other)


def test_the_shipped_model_loads_and_knows_what_it_was_fitted_on() -> None:
    model = load_model(Path(__file__).parents[1] / "models/fitted/model.json")
    assert model.fitted_on["rows"] > 150
    assert model.fitted_on["rigs"] > 40


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is not a model"),
        ("[]", f"should be a document of schema '{SCHEMA}'"),
        ('{"schema": "rigbook.model/99"}', "should be a document of schema"),
        (json.dumps({"schema": SCHEMA}), "lacks version, fitted_on"),
    ],
)
def test_a_file_that_is_no_model_is_one_line_with_the_remedy(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(Misuse) as found:
        load_model(path)
    assert told in str(found.value)
    assert "rigbook fit" in str(found.value)


def test_a_missing_file_says_what_makes_it(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="no model there; run `rigbook fit` first"):
        load_model(tmp_path / "none.json")


def test_a_document_may_carry_more_than_this_version_knows() -> None:
    document = {**json.loads(as_text(EMPTY)), "later": 1}
    assert from_document(document, "x") == EMPTY

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ingest.bundle import OFF, Bundle, Drafter, Launch, Off, bundle_id, canonical_json, leaves


def test_a_bundle_survives_its_own_json(document: dict[str, Any]) -> None:
    bundle = Bundle.model_validate(document)
    assert Bundle.model_validate_json(canonical_json(bundle)) == bundle


def test_canonical_json_is_a_fixed_point(document: dict[str, Any]) -> None:
    once = canonical_json(Bundle.model_validate(document))
    assert canonical_json(Bundle.model_validate_json(once)) == once


@pytest.mark.parametrize(
    ("stored", "meant"),
    [({}, None), ({"drafter": None}, None), ({"drafter": {"kind": "none"}}, OFF)],
)
def test_unknown_and_off_are_two_values(stored: dict[str, Any], meant: Off | None) -> None:
    assert Launch.model_validate(stored).drafter == meant


def test_a_drafter_is_not_mistaken_for_off() -> None:
    launch = Launch.model_validate({"drafter": {"kind": "dspark", "depth": 0}})
    assert launch.drafter == Drafter(kind="dspark", depth=0)


def test_a_measured_zero_is_kept(document: dict[str, Any]) -> None:
    document["runs"][0]["measurements"][0] |= {"value": 0, "low": None, "high": None}
    stored = json.loads(canonical_json(Bundle.model_validate(document)))
    assert stored["runs"][0]["measurements"][0]["value"] == 0


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_a_value_that_is_no_number_is_refused(document: dict[str, Any], value: str) -> None:
    document["runs"][0]["measurements"][0]["value"] = float(value)
    with pytest.raises(ValidationError):
        Bundle.model_validate(document)


@pytest.mark.parametrize("machine", ["../other", "a/b", "", "A", ".hidden", "a\u0430b", "a b"])
def test_a_machine_key_cannot_leave_its_folder(document: dict[str, Any], machine: str) -> None:
    document["rig"]["machine"] = machine
    with pytest.raises(ValidationError):
        Bundle.model_validate(document)


def test_the_id_depends_on_sources_and_text_but_not_on_the_order_of_sources() -> None:
    assert bundle_id(["a", "b"], "text") == bundle_id(["b", "a"], "text")
    assert len({bundle_id(["a"], "text"), bundle_id(["a"], "texts"), bundle_id(["b"], "text")}) == 3


@given(
    st.recursive(
        st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_every_leaf_can_be_found_by_its_pointer(document: Any) -> None:  # noqa: ANN401 - any JSON
    for pointer, value in leaves(document):
        found = document
        for step in pointer.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            found = found[int(name)] if isinstance(found, list) else found[name]
        assert found == value

"""JSON documents anywhere in a text."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ingest.readers.jsons import Found, objects
from ingest.readers.text import lines_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


def found(text: str) -> tuple[Found, ...]:
    return objects(lines_of(text))


@given(st.lists(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), max_size=5))
def test_objects_inside_an_array_are_the_array_with_their_own_lines(
    rows: list[dict[str, Any]],
) -> None:
    text = json.dumps({"rows": rows}, indent=1)
    (whole,) = found(text)
    inner = whole.inside("rows")
    assert [one.value for one in inner] == rows
    lines = text.split("\n")
    for one in inner:
        assert json.loads("\n".join(lines[one.first - 1 : one.last]).strip(" ,")) == one.value


def test_what_is_no_array_has_nothing_inside() -> None:
    (whole,) = found('{"rows": {"a": 1}, "n": 3}')
    assert whole.inside("rows") == whole.inside("n") == whole.inside("absent") == ()


def test_a_cut_off_object_is_none() -> None:
    assert found('{"rows": [{"a": 1}') == ()

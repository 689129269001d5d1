"""Turn pydantic's validation errors into problems a person can act on."""

import difflib
from collections.abc import Callable, Iterable

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ingest.problem import Problem


def shape_problems(path: str, error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """List every error of `error` as a problem of the file `path`, checked against `model`."""
    return [
        Problem(path, _place(detail["loc"]), _message(detail, model)) for detail in error.errors()
    ]


def _place(location: Iterable[int | str]) -> str:
    """Write a location the way a person points at it: `runs[2].measurements[0].value`."""
    text = ""
    for step in location:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.isidentifier():
            text += f".{step}" if text else step
    return text


def _shown(value: object) -> str:
    """Show what stands there, cut short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _unknown_key(detail: ErrorDetails, model: type[BaseModel]) -> str:
    key = str(detail["loc"][-1])
    near = difflib.get_close_matches(key, _known_keys(model), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "; remove it"
    return f"unknown key {key!r}{hint}"


def _known_keys(model: type[BaseModel]) -> list[str]:
    schema = model.model_json_schema()
    parts = [schema, *schema.get("$defs", {}).values()]
    return sorted({key for part in parts for key in part.get("properties", {})})


def _missing(detail: ErrorDetails, _: type[BaseModel]) -> str:
    return f"{str(detail['loc'][-1])!r} is missing; add it"


def _plain(detail: ErrorDetails, _: type[BaseModel]) -> str:
    wanted = detail["msg"].replace("Input should be", "should be")
    return f"{wanted}, got {_shown(detail['input'])}"


def _literal(detail: ErrorDetails, model: type[BaseModel]) -> str:
    # Another version of the form is no slip of the pen, and a newer one is not the file's fault.
    if detail["loc"][-1] != "schema_version":
        return _plain(detail, model)
    return f"{_plain(detail, model)}; if it is newer, update Rigbook (`git pull`)"


_MESSAGES: dict[str, Callable[[ErrorDetails, type[BaseModel]], str]] = {
    "extra_forbidden": _unknown_key,
    "missing": _missing,
    "literal_error": _literal,
}


def _message(detail: ErrorDetails, model: type[BaseModel]) -> str:
    return _MESSAGES.get(detail["type"], _plain)(detail, model)

"""What a server says of itself: which engine, which model, which context, which counters.

Everything here is text from a stranger: it is read by name, checked by type and cut to length.
"""

import json
import math
import re
from typing import Any, NamedTuple

import httpx

from capture.client import Target, tls

MAX_TEXT = 300
MAX_BODY_BYTES = 16_000_000
"""/metrics of vLLM has some hundred kB; /props a chat template of some ten."""


class Server(NamedTuple):
    """A server, as it describes itself; None where it does not."""

    engine: str | None
    build: str | None
    model_id: str
    model_file: str | None
    ftype: str | None
    size_gib: float | None
    ctx: int | None
    slots: int | None
    has_metrics: bool
    busy_slots: int = 0
    """Requests of others that it was answering when it was asked."""


class Unusable(Exception):  # noqa: N818 - what the server is
    """The server cannot be benched; the text says why and what would help."""


def describe(target: Target, model: str | None) -> Server:
    """Ask a server what it serves; `model` names one where it serves several."""
    with httpx.Client(timeout=10, headers=target.headers(), trust_env=False, verify=tls()) as http:
        models = _asked(http, f"{target.url}/v1/models")
        if models is None:
            raise Unusable(
                f"{target.url}/v1/models gives no list of models; is the server up, is the address"
                " right (without /v1), and does it want --api-key-file?"
            )
        served = _served(models, model)
        props = _asked(http, f"{target.url}/props") or {}
        version = _asked(http, f"{target.url}/version") or {}
        metrics = _text(http, f"{target.url}/metrics") or ""
        slots = _text(http, f"{target.url}/slots") or ""
    return _server(served, props, version, metrics)._replace(busy_slots=busy_slots(slots, metrics))


def _server(
    served: dict[str, Any], props: dict[str, Any], version: dict[str, Any], metrics: str
) -> Server:
    llama, vllm = _words(props.get("build_info")), _words(version.get("version"))
    by_metrics = "vllm" if "vllm:" in metrics else "llama.cpp" if "llamacpp:" in metrics else None
    by_answers = "llama.cpp" if llama else "vllm" if vllm else None
    meta = served.get("meta") if isinstance(served.get("meta"), dict) else {}
    settings = props.get("default_generation_settings")
    size = _number((meta or {}).get("size"))
    ctx = _number(settings.get("n_ctx")) if isinstance(settings, dict) else None
    return Server(
        engine=by_metrics or by_answers,
        build=llama or vllm,
        model_id=_words(served.get("id")) or "unnamed",
        model_file=_file_name(props.get("model_path")),
        ftype=_words(props.get("model_ftype")),
        size_gib=round(size / 1024**3, 2) if size else None,
        ctx=ctx or _number(served.get("max_model_len")),
        slots=_number(props.get("total_slots")),
        has_metrics=bool(metrics),
    )


def _served(models: dict[str, Any], wanted: str | None) -> dict[str, Any]:
    rows = models.get("data")
    known = {
        row["id"]: row
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict) and isinstance(row.get("id"), str)
    }
    if wanted is None and len(known) == 1:
        return next(iter(known.values()))
    if wanted is None or wanted not in known:
        names = ", ".join(str(_words(name)) for name in known) or "none"
        raise Unusable(f"no model {wanted or '(not given)'}; --served takes one of: {names}")
    return known[wanted]


def _asked(http: httpx.Client, address: str) -> dict[str, Any] | None:
    """Get an object; None where the server has nothing, or nothing of use, at `address`."""
    try:
        found = json.loads(_text(http, address) or "null")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


BROKEN = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
"""How a connection ends that the server closed between two questions."""


def _text(http: httpx.Client, address: str) -> str | None:
    """Get a text; asked once more over a new connection where the kept one had been closed."""
    try:
        return _once(http, address)
    except BROKEN:
        pass
    except (httpx.TransportError, httpx.DecodingError):
        return None
    try:
        return _once(http, address)
    except (httpx.TransportError, httpx.DecodingError):
        return None


def _once(http: httpx.Client, address: str) -> str | None:
    with http.stream("GET", address) as response:
        if response.status_code != httpx.codes.OK:
            return None
        content = b""
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > MAX_BODY_BYTES:
                return None
        return content.decode("utf-8", errors="replace")


def _words(value: object) -> str | None:
    """Cut a text to length, and take out what would steer a terminal."""
    if not isinstance(value, str) or not value.strip():
        return None
    return "".join(char if char.isprintable() else "?" for char in value[:MAX_TEXT])


def _number(value: object) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and isinstance(value, int) and value > 0 else None


def _file_name(value: object) -> str | None:
    """Keep a path's last part: the folders above may name a person."""
    text = _words(value)
    return re.split(r"[/\\]", text)[-1] if text else None


def is_alive(target: Target) -> bool:
    """Tell whether the server still answers."""
    try:
        answer = httpx.get(
            f"{target.url}/v1/models",
            headers=target.headers(),
            timeout=5,
            trust_env=False,
            verify=tls(),
        )
    except httpx.HTTPError:
        return False
    return answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR


METRIC = re.compile(
    r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{[^\n]*\})? ([0-9.eE+-]+|NaN|[+-]?Inf)$", re.MULTILINE
)


def metrics_of(text: str) -> dict[str, float]:
    """Read Prometheus text: the sum of each name over its labels."""
    sums: dict[str, float] = {}
    for name, value in METRIC.findall(text):
        try:
            number = float(value)
        except ValueError:
            continue
        if math.isfinite(number):
            sums[name] = sums.get(name, 0.0) + number
    return sums


BUSY = ("llamacpp:requests_processing", "vllm:num_requests_running")


def busy_slots(slots: str, metrics: str) -> int:
    """Count the requests in work, by `/slots` of llama-server or by the counters."""
    try:
        found = json.loads(slots or "[]")
    except (ValueError, RecursionError):
        found = []
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    working = sum(row.get("is_processing") is True for row in rows)
    told = metrics_of(metrics)
    return max(working, *(round(told.get(name, 0)) for name in BUSY))


def counters(target: Target) -> dict[str, float]:
    """Read the server's counters; empty where it has none."""
    with httpx.Client(timeout=10, headers=target.headers(), trust_env=False, verify=tls()) as http:
        return metrics_of(_text(http, f"{target.url}/metrics") or "")


DRAFTED = ("llamacpp:spec_decode_num_draft_tokens_total", "vllm:spec_decode_num_draft_tokens_total")
ACCEPTED = (
    "llamacpp:spec_decode_num_accepted_tokens_total",
    "vllm:spec_decode_num_accepted_tokens_total",
)
DRAFTS = ("llamacpp:spec_decode_num_drafts_total", "vllm:spec_decode_num_drafts_total")


class Drafting(NamedTuple):
    """Counters of a drafter over a window."""

    drafted: int
    accepted: int
    drafts: int | None


def drafting(before: dict[str, float], after: dict[str, float]) -> Drafting | None:
    """Tell what a drafter did between two readings; None where nothing was counted."""

    def grown(names: tuple[str, ...]) -> int | None:
        told = [after[name] - before.get(name, 0) for name in names if name in after]
        return round(told[0]) if told and told[0] >= 0 else None

    drafted, accepted = grown(DRAFTED), grown(ACCEPTED)
    if not drafted or accepted is None:
        return None
    return Drafting(drafted, accepted, grown(DRAFTS))

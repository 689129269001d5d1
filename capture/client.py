"""Ask a server and time its streamed answer; every way to fail is an answer too."""

import asyncio
import functools
import ssl
import time
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import httpx

from capture.reply import MAX_WORDS, Fault, Reply, Stream
from capture.sse import Events, TooLong

MAX_REPLY_BYTES = 256_000_000
"""An event a token of 2 kB over 100,000 tokens: more is no answer but a flood."""


class Timeouts(NamedTuple):
    """Seconds: to connect, to the first token, between two, and for the whole answer."""

    connect_s: float = 10
    first_s: float = 1800
    between_s: float = 120
    total_s: float = 7200


class Target(NamedTuple):
    """Where to ask: the server's address without `/v1`, and the key that it wants."""

    url: str
    key: str | None = None

    def headers(self) -> dict[str, str]:
        """Give the headers of every request."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


@functools.cache
def tls() -> ssl.SSLContext:
    """Give the one context of this process: making it reads all certificates, for 50 ms."""
    return ssl.create_default_context()


def ask(target: Target, body: dict[str, Any], timeouts: Timeouts) -> Reply | Fault:
    """Send one chat request and time its answer."""
    return asyncio.run(_ask(target, body, timeouts))


async def _ask(target: Target, body: dict[str, Any], timeouts: Timeouts) -> Reply | Fault:
    try:
        async with asyncio.timeout(timeouts.total_s):
            return await _answer(target, body, timeouts)
    except TimeoutError:
        return Fault("too-slow", f"no whole answer within {timeouts.total_s:g} s")
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        return Fault("unreachable", f"{target.url} does not answer: {_words(error)}")
    except httpx.RemoteProtocolError as error:
        return Fault("cut", f"the answer broke off: {_words(error)}")
    except httpx.TransportError as error:
        return Fault("reset", f"the connection broke: {_words(error)}")
    except (TooLong, httpx.DecodingError) as error:
        return Fault("flood", f"the answer is not a chat stream: {_words(error)}")


def _words(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:MAX_WORDS]


async def _answer(target: Target, body: dict[str, Any], timeouts: Timeouts) -> Reply | Fault:
    # Waiting is ours, chunk by chunk: httpx has one limit for the first byte and for all others.
    waits = httpx.Timeout(None, connect=timeouts.connect_s)
    async with httpx.AsyncClient(
        timeout=waits, headers=target.headers(), trust_env=False, verify=tls()
    ) as http:
        stream = Stream(time.perf_counter)
        request = http.build_request("POST", f"{target.url}/v1/chat/completions", json=body)
        try:
            async with asyncio.timeout(timeouts.first_s):
                response = await http.send(request, stream=True)
        except TimeoutError:
            return Fault("slow-start", f"no answer began within {timeouts.first_s:g} s")
        try:
            return await _refusal(response) or await _read(response, stream, timeouts)
        finally:
            await response.aclose()


async def _refusal(response: httpx.Response) -> Fault | None:
    """Say why a response is no stream of events; None if it is one."""
    if response.status_code != httpx.codes.OK:
        words = (await _some(response)).decode("utf-8", errors="replace")[:MAX_WORDS]
        return Fault("status", f"HTTP {response.status_code}: {words!r}")
    kind = response.headers.get("content-type", "")
    if not kind.startswith("text/event-stream"):
        return Fault("content-type", f"should be text/event-stream, got {kind[:MAX_WORDS]!r}")
    return None


async def _some(response: httpx.Response) -> bytes:
    async for chunk in response.aiter_bytes():
        return chunk
    return b""


async def _read(response: httpx.Response, stream: Stream, timeouts: Timeouts) -> Reply | Fault:
    events, chunks, taken = Events(), response.aiter_bytes().__aiter__(), 0
    while not stream.done:
        wait_s = timeouts.between_s if stream.started else timeouts.first_s
        try:
            chunk = await _next(chunks, wait_s)
        except TimeoutError:
            if stream.started:
                return Fault("stall", f"no further token within {wait_s:g} s")
            return Fault("slow-start", f"no first token within {wait_s:g} s")
        taken += len(chunk or b"")
        if taken > MAX_REPLY_BYTES:
            return Fault("flood", f"an answer of more than {MAX_REPLY_BYTES:,} bytes")
        for data in events.end() if chunk is None else events.feed(chunk):
            fault = stream.take(data)
            if fault:
                return fault
        if chunk is None:
            break
    return stream.reply()


async def _next(chunks: AsyncIterator[bytes], wait_s: float) -> bytes | None:
    """Wait for the next chunk; None at the end of the answer."""
    async with asyncio.timeout(wait_s):
        return await anext(chunks, None)

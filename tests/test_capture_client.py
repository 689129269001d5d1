import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.client import Target, Timeouts, ask
from capture.protocol import NARRATIVE, SAMPLED, chat_body
from capture.reply import Fault, Reply, Stream
from capture.sse import Events

BODY = chat_body("tiny", [{"role": "user", "content": "hi"}], 32, SAMPLED)
QUICK = Timeouts(connect_s=2, first_s=0.6, between_s=0.4, total_s=5)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
)
Start = Callable[[Any], Any]


def event(**delta: object) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": delta}]}).encode() + b"\n\n"


END = (
    b'data: {"choices": [{"delta": {}, "finish_reason": "length"}],'
    b' "usage": {"completion_tokens": 8, "prompt_tokens": 11},'
    b' "timings": {"predicted_n": 8, "predicted_per_second": 25.5, "prompt_per_second": 90.0,'
    b' "cache_n": 0, "draft_n": 6, "draft_n_accepted": 3}}\n\ndata: [DONE]\n\n'
)


def asked(start: Start, acts: list[bytes | float], timeouts: Timeouts = QUICK) -> Reply | Fault:
    server = start(lambda _path, _body: acts)
    return ask(Target(server.url), BODY, timeouts)


def fault(start: Start, acts: list[bytes | float]) -> tuple[str, str]:
    found = asked(start, acts)
    assert isinstance(found, Fault), found
    return found.kind, found.message


def test_a_streamed_answer_is_timed_and_counted(fake_server: Start) -> None:
    pieces: list[bytes | float] = [event(content="a "), 0.02]
    found = asked(fake_server, [HEAD, 0.05, *pieces * 8, END])
    assert isinstance(found, Reply)
    assert (found.tokens, found.tokens_told, found.prompt_tokens) == (8, True, 11)
    assert 0.05 <= found.ttft_s <= found.wall_s
    assert found.decode_tokens_per_s == pytest.approx(8 / (found.wall_s - found.ttft_s))
    assert found.timings == (25.5, 90.0, 0, 6, 3)
    assert (found.thought, found.answered, found.finish) == (False, True, "length")


def test_a_slow_first_token_is_waited_for_as_long_as_its_own_limit(fake_server: Start) -> None:
    found = asked(fake_server, [HEAD, 0.45, event(content="a"), END])
    assert isinstance(found, Reply)
    assert found.ttft_s > 0.4


def test_an_answer_without_a_decode_window_has_no_decode_rate(fake_server: Start) -> None:
    found = asked(fake_server, [HEAD, 0.4, event(content="all at once"), END])
    assert isinstance(found, Reply)
    assert found.decode_tokens_per_s is None
    assert found.wall_tokens_per_s == pytest.approx(8 / found.wall_s)


def test_chunks_may_be_cut_anywhere(fake_server: Start) -> None:
    whole = event(content="é\u2028ü") + END
    halves = [whole[at : at + 1] for at in range(len(whole))]
    found = asked(fake_server, [HEAD, *halves])
    assert isinstance(found, Reply)
    assert found.tokens == 8


def test_pieces_are_counted_where_the_server_does_not_count(fake_server: Start) -> None:
    found = asked(fake_server, [HEAD, *[event(content="a")] * 3, b"data: [DONE]\n\n"])
    assert isinstance(found, Reply)
    assert (found.tokens, found.tokens_told, found.prompt_tokens) == (3, False, None)


def test_a_thinking_model_answers_with_its_thoughts_first(fake_server: Start) -> None:
    found = asked(fake_server, [HEAD, event(reasoning_content="hm"), event(content="a"), END])
    assert isinstance(found, Reply)
    assert (found.thought, found.answered) == (True, True)


@pytest.mark.parametrize(
    ("acts", "kind", "words"),
    [
        ([HEAD, event(content="a"), 1.0], "stall", "no further token within 0.4 s"),
        ([HEAD, 1.0], "slow-start", "no first token within 0.6 s"),
        ([1.0], "slow-start", "no answer began within 0.6 s"),
        ([b"HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\nbang"], "status", "HTTP 500: 'bang'"),
        ([b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"],
         "content-type", "should be text/event-stream, got 'text/html'"),
        ([CHUNKED, b"ff\r\ndata: {"], "cut", "the answer broke off"),
        ([HEAD, event(content="a")], "cut", "ended after 1 pieces without a reason"),
        ([HEAD, b"data: {half\n\n"], "garbled", "not JSON"),
        ([HEAD, b"data: [1, 2]\n\n"], "garbled", "not an object"),
        ([HEAD, b'data: {"error": {"message": "no slot"}}\n\n'], "error", "no slot"),
        ([HEAD, END], "empty", "no text; 8 tokens were counted"),
        ([HEAD, b"data: " + b"x" * 5_000_000], "flood", "more than 4,000,000 bytes"),
        ([b"\x00\xff\r\n\r\n"], "cut", "broke off"),
    ],
)  # fmt: skip
def test_each_fault_is_an_answer_with_its_reason(
    fake_server: Start, acts: list[bytes | float], kind: str, words: str
) -> None:
    found = fault(fake_server, acts)
    assert found[0] == kind
    assert words in found[1]


def test_an_answer_of_thoughts_alone_is_marked_as_not_answered(fake_server: Start) -> None:
    found = asked(fake_server, [HEAD, event(reasoning_content="hm"), END])
    assert isinstance(found, Reply)
    assert (found.thought, found.answered) == (True, False)


def test_a_connection_that_is_reset_is_told_as_broken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def reset() -> None:
            peer, _ = listener.accept()
            peer.recv(65536)
            peer.sendall(HEAD + event(content="a"))
            time.sleep(0.1)
            # Linger of nothing makes close() a reset.
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()

        thread = threading.Thread(target=reset)
        thread.start()
        found = ask(Target(f"http://127.0.0.1:{listener.getsockname()[1]}"), BODY, QUICK)
        thread.join()
    assert isinstance(found, Fault)
    assert found.kind == "reset"


def test_a_server_that_is_not_there_is_unreachable() -> None:
    found = ask(Target("http://127.0.0.1:9"), BODY, QUICK)
    assert isinstance(found, Fault)
    assert found.kind == "unreachable"


def test_an_answer_that_never_ends_is_cut_off(fake_server: Start) -> None:
    drip: list[bytes | float] = [event(content="a"), 0.1]
    found = asked(fake_server, [HEAD, *drip * 100], QUICK._replace(total_s=0.5))
    assert isinstance(found, Fault)
    assert (found.kind, found.message) == ("too-slow", "no whole answer within 0.5 s")


def test_a_clock_that_jumps_moves_no_rate(
    fake_server: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    jumps = iter(range(10**6, 0, -1))
    monkeypatch.setattr(time, "time", lambda: float(next(jumps)))
    found = asked(fake_server, [HEAD, event(content="a"), 0.1, event(content="b"), END])
    assert isinstance(found, Reply)
    assert 0.08 <= found.window_s < 2


@pytest.mark.parametrize("rate", [-3, 0, 1e300, "fast", None, True])
def test_a_rate_that_cannot_be_is_none(rate: object) -> None:
    stream = Stream(iter(map(float, range(99))).__next__)
    stream.take('{"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}')
    stream.take(json.dumps({"timings": {"predicted_n": 8, "predicted_per_second": rate}}))
    found = stream.reply()
    assert isinstance(found, Reply)
    assert found.timings.decode_tokens_per_s is None


def test_the_key_goes_into_the_header_and_the_prompt_into_the_body(fake_server: Start) -> None:
    server = fake_server(lambda _path, _body: [HEAD, event(content="a"), END])
    ask(Target(server.url, "secret"), BODY, QUICK)
    assert server.bodies == [BODY]


def test_the_canonical_prompts_have_their_lengths() -> None:
    assert len(NARRATIVE.prompt) == 65


@given(st.lists(st.binary(max_size=30), max_size=20))
def test_any_bytes_are_events_or_none(chunks: list[bytes]) -> None:
    events = Events()
    cut = [data for chunk in chunks for data in events.feed(chunk)] + list(events.end())
    whole = Events()
    assert cut == [*whole.feed(b"".join(chunks)), *whole.end()]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                    lambda inner: st.lists(inner) | st.dictionaries(
                        st.sampled_from(["choices", "delta", "content", "usage", "timings", "error",
                                         "completion_tokens", "predicted_n", "finish_reason"]),
                        inner)))  # fmt: skip
def test_any_json_is_an_event_or_a_fault(value: object) -> None:
    stream = Stream(time.perf_counter)
    stream.take(json.dumps(value))
    assert isinstance(stream.reply(), Reply | Fault)

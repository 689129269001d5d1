import pytest

from launch.ask import Ask, shipped_shelf, subject_of
from launch.command import read_commands
from launch.finding import Known
from launch.flags import Flags
from launch.lint_memory import card_memory
from launch.payload import Payload
from launch.placement import free_mib
from launch.rules import EXPERTS

NONE = Flags({}, ())
SMALL = Payload("m", dict.fromkeys(range(8), 1000.0), 8, 9000.0, 0.0, 0.0)


def findings(line: str, payload: Payload, *free: float) -> list[str]:
    (command,) = read_commands(f"llama-server {line}", "t")
    known = Known(NONE, payload=payload, cards_free_mib=free)
    return [f"{p.severity}: {p.message}" for p in card_memory(command, known)]


# A card holds 8,000 of dense layers (8 of 9), 866 of buffers beside an 8 MiB mask, and 768 extra.
LINE = f"-c 4096 -ub 512 -ngl 99 -ot '{EXPERTS}=CPU'"
LOAD = 9000.0 + 866.0 + 8.0 + 768.0


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (1100.0, None),
        (900.0, "flag: card 0 may boot, but a deep prefill will not fit"),
        (500.0, "error: card 0 may boot, but a deep prefill will not fit"),
        (-10.0, "error: card 0 does not boot"),
    ],
)
def test_a_card_keeps_headroom_for_a_deep_prefill(left: float, told: str | None) -> None:
    got = findings(LINE, SMALL, LOAD + left)
    assert [text.startswith(told) for text in got] == [True] if told else got == []


def test_experts_pinned_by_rules_and_a_drafter_count() -> None:
    pinned = f"-c 4096 -ngl 99 -ot 'blk\\.(0|1){EXPERTS}=CUDA0,{EXPERTS}=CPU'"
    assert findings(pinned, SMALL, LOAD + 2000 + 1100) == []
    assert findings(pinned, SMALL, LOAD + 2000 - 100)
    draft = 866.0 + 8.0  # a context of its own: buffers and mask
    assert findings(f"{LINE} -md d.gguf", SMALL, LOAD + 1100)
    assert findings(f"{LINE} -md d.gguf", SMALL, LOAD + 1100 + draft) == []


def test_the_split_decides_whose_the_layers_are() -> None:
    even = findings(f"{LINE} -ts 1,1", SMALL, LOAD - 2000, LOAD - 2000)
    assert even == []
    skewed = findings(f"{LINE} -ts 9,0", SMALL, LOAD - 2000, LOAD - 2000)
    assert [text.split(":")[1][:8] for text in skewed] == [" card 0 "]


def test_a_context_too_large_for_two_cards_is_found() -> None:
    payload = subject_of(Ask(slug="llamacpp/deepseek-flash-dual-q8"), shipped_shelf()).payload
    cards = (free_mib(24), free_mib(24))
    line = f"-ngl 99 -ub 4096 -ts 1,1 -ot '{EXPERTS}=CPU' -c "
    assert findings(line + "65536 -md d", payload, *cards) == []
    assert findings(line + "524288", payload, *cards) == []
    assert findings(line + "786432 -md d", payload, *cards)
    assert findings(line + "1048576 -md d -devd none", payload, *cards)


@pytest.mark.parametrize("line", ["-ngl 99", "-c 0", "-c x", "-c 4096 -ot bad"])
def test_without_the_facts_there_is_no_finding(line: str) -> None:
    assert findings(line, SMALL, 10.0) == []
    (command,) = read_commands(f"llama-server {LINE}", "t")
    assert list(card_memory(command, Known(NONE, payload=SMALL))) == []


def test_the_context_that_boots_and_dies_on_its_first_prefill_is_found() -> None:
    # Booted at 97.4 % of the cards and died on a prefill of 15,700 tokens (club-3090).
    slug = shipped_shelf().catalog.slugs["llamacpp/deepseek-flash-dual-q8"]
    payload = subject_of(Ask(slug=slug.id), shipped_shelf()).payload
    assert slug.drafter
    known = Known(
        NONE,
        payload=payload,
        cards_free_mib=(free_mib(24), free_mib(24)),
        drafter_mib=(slug.drafter.file_gib or 0) * 1024,
    )
    line = f"llama-server -ngl 99 -ub 4096 -ts 1,1 -ot '{EXPERTS}=CPU' -md d -c "

    def told(ctx: int) -> list[str]:
        (command,) = read_commands(line + str(ctx), "t")
        return [problem.message[:21] for problem in card_memory(command, known)]

    assert told(204_800) == []
    assert told(262_144) == ["card 0 may boot, but "]

"""Override rules (`-ot PATTERN=BUFFER,…`): written for a placement, and read from a text.

The first rule whose pattern occurs anywhere in a tensor's name decides where it goes
(llama.cpp, llama-model-loader.cpp: std::regex_search, then break). A comma ends a rule, so no
pattern can hold one.
"""

import re
import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from launch.placement import Placement

EXPERTS = r"\.ffn_(up|down|gate|gate_up)_(ch|)exps"
"""llama.cpp's own pattern for routed experts (`LLM_FFN_EXPS_REGEX`, common.h, build 11434)."""
CPU = "CPU"
TEXT_LIMIT = 100_000
"""Longest rule list read: the longest that Linux takes as one argument is 128 KiB."""
_NOT_ECMASCRIPT = re.compile(r"\(\?(?![:=!])|\\[AZ]|[*+?}]\+")
"""What Python's patterns know and those of C++'s std::regex do not."""


class RuleError(ValueError):
    """A rule list that the engine would refuse, or could not mean."""


class Rule(NamedTuple):
    """Tensors whose name holds `pattern` go to `buffer`; `origin` is the flag it comes from."""

    pattern: str
    buffer: str
    origin: str = "-ot"

    def __str__(self) -> str:
        """Write the rule as the engine reads it."""
        return f"{self.pattern}={self.buffer}"

    def fits(self, name: str) -> bool:
        """Tell whether the pattern occurs in a tensor's name."""
        return re.search(self.pattern, name) is not None


def parse_rules(text: str, origin: str = "-ot") -> list[Rule]:
    """Read a comma-separated rule list. Raises RuleError with the rule that is wrong."""
    if len(text) > TEXT_LIMIT:
        raise RuleError(f"the rule list has {len(text)} characters, more than {TEXT_LIMIT}")
    return [_parse(part, number, origin) for number, part in enumerate(text.split(","), 1)]


def _parse(part: str, number: int, origin: str) -> Rule:
    pattern, equals, buffer = part.partition("=")
    place = f"rule {number} ({part[:80]!r})"
    if not equals or not pattern or not buffer:
        raise RuleError(f"{place} is not PATTERN=BUFFER; a comma inside a pattern ends the rule")
    foreign = _NOT_ECMASCRIPT.search(pattern)
    if foreign:
        raise RuleError(f"{place}: {foreign[0]!r} is no part of the engine's patterns (ECMAScript)")
    try:
        with warnings.catch_warnings():
            # `[[:digit:]]` and the like mean one thing to the engine and another to Python.
            warnings.simplefilter("error", FutureWarning)
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError, FutureWarning) as error:
        raise RuleError(f"{place} is no pattern: {error}") from error
    return Rule(pattern, buffer, origin)


def cpu_moe_rules(layers: int | None) -> list[Rule]:
    """Write what `--cpu-moe` (None) or `--n-cpu-moe LAYERS` adds to the list."""
    if layers is None:
        return [Rule(EXPERTS, CPU, "--cpu-moe")]
    return [Rule(rf"blk\.{block}{EXPERTS}", CPU, "--n-cpu-moe") for block in range(layers)]


def rules_for(placement: Placement, devices: Sequence[str]) -> list[Rule]:
    """Write the rules of a placement: those of the cards first, the catch-all last.

    `devices` names the cards in order, as the engine does: `CUDA0`, `RPC0[127.0.0.1:50052]`.
    """
    if len(placement.on_cards) > len(devices):
        raise RuleError(f"{len(placement.on_cards)} cards are to hold experts, but the devices "
                        f"are {', '.join(devices) or 'none'}")  # fmt: skip
    rules = [
        Rule(rf"blk\.({'|'.join(map(str, sorted(blocks)))}){EXPERTS}", device)
        for blocks, device in zip(placement.on_cards, devices, strict=False)
        if blocks
    ]
    return [*rules, Rule(rf"blk\.[0-9]+{EXPERTS}", CPU)]


def to_text(rules: Iterable[Rule]) -> str:
    """Join rules into the one argument of `-ot`."""
    return ",".join(map(str, rules))


def leading_layers(placement: Placement, blocks: Sequence[int]) -> int | None:
    """Give the N for which `--n-cpu-moe N` is this placement; None if there is none.

    The engine counts blocks from 0, dense ones too; the rest then goes to the card that owns its
    layer, so this serves one card only.
    """
    host = set(placement.on_cpu)
    count = max(host, default=-1) + 1
    fits = all((block in host) == (block < count) for block in blocks)
    return count if fits and len(placement.on_cards) == 1 else None

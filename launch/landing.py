"""Where each tensor lands: the rule list run against the tensor list, first match wins.

Where no rule fits, the engine's own split decides (llama.cpp, llama-model.cpp, build 11434): the
look-up table stays on the host, and of the last `gpu_layers` of all blocks and the output layer,
each goes to the device whose share of the tensor split it falls in.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from launch.gguf import Tensor
from launch.placement import Placement
from launch.rules import CPU, Rule
from launch.tensors import MIB, block_of, role


class Split(NamedTuple):
    """How the engine deals layers to devices where no rule decides.

    `shares` are the proportions of `-ts`, one a device; `gpu_layers` is `-ngl`.
    """

    devices: tuple[str, ...]
    shares: tuple[float, ...]
    blocks: int
    gpu_layers: int = 999

    def device_of(self, block: int | None, *, embedding: bool = False) -> str:
        """Name the device that owns a block; the output layer counts as the one after the last."""
        layer = self.blocks if block is None else block
        start = max(self.blocks + 1 - self.gpu_layers, 0)
        active = min(self.gpu_layers, self.blocks + 1)
        if embedding or not self.devices or not start <= layer < start + active:
            return CPU
        ends = [part / sum(self.shares) for part in accumulate(self.shares)]
        return self.devices[min(bisect_right(ends, (layer - start) / active), len(ends) - 1)]


class Landed(NamedTuple):
    """One tensor, where it lands, and the number of the rule that sent it (None: the split)."""

    tensor: Tensor
    device: str
    rule: int | None


class RuleUse(NamedTuple):
    """How many tensors a rule fits, and how many it decides."""

    rule: Rule
    fits: int
    wins: int


class Landing(NamedTuple):
    """The outcome of a rule list on a tensor list."""

    landed: tuple[Landed, ...]
    uses: tuple[RuleUse, ...]

    def mib_by_device(self, what: str | None = None) -> dict[str, float]:
        """Add up the MiB on each device, of one role or of all."""
        sums: Counter[str] = Counter()
        for row in self.landed:
            if what is None or role(row.tensor.name) == what:
                sums[row.device] += row.tensor.size_bytes
        return {device: size / MIB for device, size in sorted(sums.items())}

    def expert_blocks(self) -> dict[int, frozenset[str]]:
        """Map each block to the devices on which tensors of its routed experts lie."""
        found: dict[int, set[str]] = {}
        for row in self.landed:
            block = block_of(row.tensor.name)
            if block is not None and role(row.tensor.name) == "routed":
                found.setdefault(block, set()).add(row.device)
        return {block: frozenset(devices) for block, devices in sorted(found.items())}


def simulate(tensors: Iterable[Tensor], rules: Sequence[Rule], split: Split) -> Landing:
    """Run the rules against the tensors."""
    fits, wins, landed = [0] * len(rules), [0] * len(rules), []
    for tensor in tensors:
        fitting = [n for n, rule in enumerate(rules) if rule.fits(tensor.name)]
        for number in fitting:
            fits[number] += 1
        if fitting:
            wins[fitting[0]] += 1
            landed.append(Landed(tensor, rules[fitting[0]].buffer, fitting[0]))
        else:
            table = role(tensor.name) == "embedding"
            device = split.device_of(block_of(tensor.name), embedding=table)
            landed.append(Landed(tensor, device, None))
    uses = (RuleUse(*row) for row in zip(rules, fits, wins, strict=True))
    return Landing(tuple(landed), tuple(uses))


def disagreements(landing: Landing, placement: Placement, devices: Sequence[str]) -> list[str]:
    """List what a rule list does otherwise than planned; empty if it does what was planned."""
    planned = dict.fromkeys(placement.on_cpu, CPU)
    for blocks, device in zip(placement.on_cards, devices, strict=False):
        planned |= dict.fromkeys(blocks, device)
    found = landing.expert_blocks()
    wrong = [
        f"experts of block {block} are planned for {planned.get(block, 'no device')}, "
        f"but land on {' and '.join(sorted(lands))}"
        for block, lands in found.items()
        if lands != {planned.get(block)}
    ]
    missing = sorted(planned.keys() - found.keys())
    wrong += [f"block {block} is planned, but has no routed experts" for block in missing]
    pinned = any(placement.on_cards)
    if pinned and all(lands == {CPU} for lands in found.values()):
        wrong.insert(0, "every expert lands on the host although cards were to hold some: "
                        "a catch-all stands before the rules of the cards")  # fmt: skip
    return wrong


def lines(landing: Landing) -> list[str]:
    """Describe what lands where for a person: a line a device, a line a rule."""
    total, experts = landing.mib_by_device(), landing.mib_by_device("routed")
    homes: dict[str, list[int]] = {device: [] for device in total}
    for block, devices in landing.expert_blocks().items():
        for device in devices:
            homes[device].append(block)
    said = [
        f"{device:<8} {mib / 1024:8.2f} GiB, of it routed experts "
        f"{experts.get(device, 0.0) / 1024:8.2f} GiB: blk {ranges(homes[device]) or 'none'}"
        for device, mib in total.items()
    ]
    return said + [
        f"rule {number}: {str(use.rule)[:100]}: fits {use.fits} tensors, decides {use.wins}"
        for number, use in enumerate(landing.uses, 1)
    ]


def ranges(numbers: Sequence[int]) -> str:
    """Write sorted numbers in short: `0-2 5 7-9`."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return " ".join(f"{g[0]}-{g[-1]}" if len(g) > 1 else f"{g[0]}" for g in groups)

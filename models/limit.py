"""What binds: the time of a pass by resource, and the speed if only that resource counted."""

from typing import NamedTuple

from models.parameters import Parameters
from models.physics import Inputs, parts


class Limit(NamedTuple):
    """The binding resource, its wall in tokens/s, and the share of time each resource takes."""

    name: str
    wall_tokens_per_s: float
    time_share: dict[str, float]


def limit_of(inputs: Inputs, parameters: Parameters) -> Limit:
    """Share out the time of a pass and name the resource that binds.

    Memory and compute share the experts' time by their squares, as the 2-norm has them.
    """
    cost = parts(inputs, parameters)
    memory = cost.memory**2 / cost.experts if cost.experts else 0.0
    compute = cost.compute**2 / cost.experts if cost.experts else 0.0
    seconds = {
        "ram-bandwidth": memory,
        "cpu-compute": compute,
        "hand-off": cost.hand_off,
        "gpu": cost.gpu,
        "drafter": cost.drafter,
        "fixed": cost.fixed,
    }
    total = sum(seconds.values())
    bare = {**seconds, "ram-bandwidth": cost.memory, "cpu-compute": cost.compute}
    name = max(seconds, key=lambda resource: seconds[resource])
    wall = inputs.tokens_per_pass / bare[name]
    return Limit(name, wall, {resource: part / total for resource, part in seconds.items()})

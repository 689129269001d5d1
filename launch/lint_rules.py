"""Lint of override rules: orders that lose, rules that fit nothing, experts on the wrong side."""

from collections.abc import Iterator

from ingest.problem import Problem, Severity
from launch.command import Command
from launch.finding import Known, Lint, found, offloads
from launch.gguf import Tensor
from launch.landing import RuleUse, Split, simulate
from launch.rules import CPU, EXPERTS, Rule, RuleError, cpu_moe_rules, parse_rules, to_text
from launch.tensors import role

ASSUMED_BLOCKS = 128
"""Blocks of the stand-in model where no GGUF is given; the deepest catalogued model has 94."""
PARKED = "99999"
"""Block number of rules that fit nothing on purpose (the reference's default)."""


def rules_of(command: Command) -> list[Rule]:
    """List the override rules of a line in the order in which the engine gets them."""
    rules: list[Rule] = []
    for argument in command.arguments:
        if argument.flag == "-ot":
            rules += parse_rules(argument.value)
        elif argument.flag == "--cpu-moe":
            rules += cpu_moe_rules(None)
        elif argument.flag == "--n-cpu-moe" and argument.value.isdecimal():
            rules += cpu_moe_rules(min(int(argument.value), 1000))
    return rules


def assumed_tensors(blocks: int = ASSUMED_BLOCKS) -> tuple[Tensor, ...]:
    """Name the tensors of a stand-in model: routed and shared experts, attention, tables."""
    per_block = [f"ffn_{m}_{k}.weight" for m in ("gate", "up", "down") for k in ("exps", "shexp")]
    per_block += ["ffn_gate_inp.weight", "attn_q.weight", "attn_norm.weight", "ffn_norm.weight"]
    names = [f"blk.{block}.{name}" for block in range(blocks) for name in per_block]
    names += ["token_embd.weight", "output.weight", "output_norm.weight"]
    return tuple(Tensor(name, (1,), "F32", 0, 1) for name in names)


def unreadable_rules(command: Command, _: Known) -> Iterator[Problem]:
    """Refuse override rules that the engine refuses."""
    try:
        rules_of(command)
    except RuleError as error:
        yield found(command, "-ot", str(error))


def _uses(command: Command, known: Known) -> tuple[RuleUse, ...]:
    try:
        rules = rules_of(command)
    except RuleError:
        return ()
    split = Split(("GPU",), (1.0,), ASSUMED_BLOCKS)
    return simulate(known.tensors or assumed_tensors(), rules, split).uses


def shadowed_rules(command: Command, known: Known) -> Iterator[Problem]:
    """Find rules that decide nothing because an earlier one takes all that they fit."""
    uses = _uses(command, known)
    order = [use.rule for use in uses if use.wins or not use.fits]
    for number, use in enumerate(uses, 1):
        if not use.fits or use.wins:
            continue
        fixed = [*(r for r in (u.rule for u in uses) if r.buffer != CPU), *(
            r for r in order if r.buffer == CPU)]  # fmt: skip
        what = "a catch-all stands before it" if use.rule.buffer != CPU else "earlier rules decide"
        severity: Severity = "error" if use.rule.buffer != CPU else "flag"
        yield found(
            command,
            f"rule {number}",
            f"'{str(use.rule)[:80]}' decides nothing: {what}, and the first rule that fits wins; "
            f"put rules of cards first: -ot '{to_text(fixed)}'",
            severity,
        )


def idle_rules(command: Command, known: Known) -> Iterator[Problem]:
    """Find rules that fit no tensor."""
    for number, use in enumerate(_uses(command, known), 1):
        if not use.fits and PARKED not in use.rule.pattern:
            model = "this model" if known.tensors else "models of the usual names"
            yield found(
                command,
                f"rule {number}",
                f"'{str(use.rule)[:80]}' fits no tensor of {model}; "
                f"routed experts are named like '{EXPERTS}'",
                "error" if known.tensors else "flag",
            )


def dense_model(command: Command, known: Known) -> Iterator[Problem]:
    """Find offload flags on a model without routed experts: a silent no-op."""
    if (
        known.tensors
        and offloads(command)
        and not any(role(t.name) == "routed" for t in known.tensors)
    ):
        yield found(
            command, "-ot", "the model has no routed experts: rules for them do nothing; use -ngl"
        )


def shared_on_host(command: Command, known: Known) -> Iterator[Problem]:
    """Find shared experts sent to the host: every token reads them, so they belong on a card."""
    try:
        rules = rules_of(command)
    except RuleError:
        return
    tensors = known.tensors or assumed_tensors()
    landing = simulate(tensors, rules, Split(("GPU",), (1.0,), ASSUMED_BLOCKS))
    guilty = {
        row.rule
        for row in landing.landed
        if row.rule is not None and row.device == CPU and role(row.tensor.name) == "shared"
    }
    for number in sorted(guilty):
        yield found(
            command,
            f"rule {number + 1}",
            f"'{str(rules[number])[:80]}' sends shared experts to the host, which every token "
            f"reads; write {EXPERTS}={CPU}",
            "flag",
        )


def repeated_override(command: Command, known: Known) -> Iterator[Problem]:
    """Find several `-ot`, of which some builds let only the last hold."""
    said = command.all("-ot")
    if len(said) < 2:
        return
    build = known.flags.builds.get(known.build or "")
    holds = build.repeated_override if build else "unknown"
    told: dict[str, str] = {
        "last": f"on {known.build} only the last is reported to hold",
        "all": f"{known.build} warns of it but applies all",
        "unknown": "some builds let only the last hold",
    }
    joined = ",".join(argument.value for argument in said)
    severities: dict[str, Severity] = {"last": "error", "all": "note", "unknown": "flag"}
    fix = f"join them: -ot '{joined}'"
    yield found(
        command, "-ot", f"stands {len(said)} times: {told[holds]}; {fix}", severities[holds]
    )


OVERRIDE_RULES: tuple[Lint, ...] = (
    unreadable_rules,
    dense_model,
    shadowed_rules,
    idle_rules,
    shared_on_host,
    repeated_override,
)

"""What is wrong with an existing launch line, each finding with its fix.

One function a rule: it takes the line and what is known beside it, and yields problems. The rules
of files and of memory stand in `lint_files` and `lint_memory`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ingest.problem import Problem
from launch.command import Command
from launch.flags import Flags
from launch.gguf import Tensor
from launch.landing import RuleUse, Split, simulate
from launch.rules import CPU, EXPERTS, Rule, RuleError, cpu_moe_rules, parse_rules, to_text
from launch.tensors import role

ASSUMED_BLOCKS = 128
"""Blocks of the stand-in model where no GGUF is given; the deepest catalogued model has 94."""
CACHE_BATCH = 8
"""Largest batch that the expert cache serves (engine range 1 to 8, default 8)."""
OP_OFFLOAD_BATCH = 32
"""Batches from here on go to the cards anyway; between the two lies a dead band."""
NEVER_SET = "GGML_OP_OFFLOAD_MIN_BATCH"
PARKED = "99999"
"""Block number of rules that fit nothing on purpose (the reference's default)."""


class Known(NamedTuple):
    """What is known beside the line; None where it is not.

    `tensors` are those of the GGUF that the line loads, `cores` the physical cores of the host.
    """

    flags: Flags
    build: str | None = None
    tensors: tuple[Tensor, ...] | None = None
    cores: int | None = None


Lint = Callable[[Command, Known], Iterator[Problem]]


def lint(command: Command, known: Known, more: Sequence[Lint] = ()) -> list[Problem]:
    """Run every rule on a line, the engine build taken from the image where none is given."""
    if known.build is None and command.image:
        known = known._replace(build=known.flags.of_image(command.image))
    return [problem for rule in (*RULES, *more) for problem in rule(command, known)]


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


def offloads(command: Command) -> bool:
    """Tell whether the line keeps experts on the host."""
    said = {argument.flag for argument in command.arguments}
    return bool({"--cpu-moe", "--n-cpu-moe"} & said) or any(
        f"={CPU}" in argument.value for argument in command.all("-ot")
    )


def assumed_tensors(blocks: int = ASSUMED_BLOCKS) -> tuple[Tensor, ...]:
    """Name the tensors of a stand-in model: routed and shared experts, attention, tables."""
    per_block = [f"ffn_{m}_{k}.weight" for m in ("gate", "up", "down") for k in ("exps", "shexp")]
    per_block += ["ffn_gate_inp.weight", "attn_q.weight", "attn_norm.weight", "ffn_norm.weight"]
    names = [f"blk.{block}.{name}" for block in range(blocks) for name in per_block]
    names += ["token_embd.weight", "output.weight", "output_norm.weight"]
    return tuple(Tensor(name, (1,), "F32", 0, 1) for name in names)


def _problem(command: Command, where: str, message: str, severity: str = "error") -> Problem:
    return Problem(command.where, where, message, "error")._replace(severity=severity)  # type: ignore[arg-type]


def unreadable_rules(command: Command, _: Known) -> Iterator[Problem]:
    """Refuse override rules that the engine refuses."""
    try:
        rules_of(command)
    except RuleError as error:
        yield _problem(command, "-ot", str(error))


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
        severity = "error" if use.rule.buffer != CPU else "flag"
        yield _problem(
            command,
            f"rule {number}",
            f"{str(use.rule)[:80]!r} decides nothing: {what}, and the first rule that fits wins; "
            f"put rules of cards first: -ot '{to_text(fixed)}'",
            severity,
        )


def idle_rules(command: Command, known: Known) -> Iterator[Problem]:
    """Find rules that fit no tensor."""
    for number, use in enumerate(_uses(command, known), 1):
        if not use.fits and PARKED not in use.rule.pattern:
            model = "this model" if known.tensors else "models of the usual names"
            yield _problem(
                command,
                f"rule {number}",
                f"{str(use.rule)[:80]!r} fits no tensor of {model}; "
                f"routed experts are named like {r'blk\.0' + EXPERTS!r}",
                "error" if known.tensors else "flag",
            )


def dense_model(command: Command, known: Known) -> Iterator[Problem]:
    """Find offload flags on a model without routed experts: a silent no-op."""
    if (
        known.tensors
        and offloads(command)
        and not any(role(t.name) == "routed" for t in known.tensors)
    ):
        yield _problem(
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
        yield _problem(
            command,
            f"rule {number + 1}",
            f"{str(rules[number])[:80]!r} sends shared experts to the host, which every token "
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
    told = {
        "last": f"on {known.build} only the last is reported to hold",
        "all": f"{known.build} warns of it but applies all",
        "unknown": "some builds let only the last hold",
    }
    joined = ",".join(argument.value for argument in said)
    severity = {"last": "error", "all": "note", "unknown": "flag"}[holds]
    fix = f"join them: -ot '{joined}'"
    yield _problem(command, "-ot", f"stands {len(said)} times: {told[holds]}; {fix}", severity)


def missing_gpu_layers(command: Command, _: Known) -> Iterator[Problem]:
    """Find offload without `-ngl`: the dense part then goes where the engine likes."""
    if offloads(command) and command.get("-ngl") is None:
        yield _problem(
            command,
            "-ngl",
            "is missing: say -ngl 99, so that all dense layers are on cards",
            "flag",
        )


def split_mode(command: Command, _: Known) -> Iterator[Problem]:
    """Find a split of tensors across cards together with offload."""
    mode = command.get("-sm")
    if offloads(command) and mode in ("row", "tensor"):
        yield _problem(
            command,
            "-sm",
            f"{mode} with experts on the host: prefill 305 against 2031 t/s, decode 33 against 47, "
            "and a crash with drafts (measured); use -sm layer",
        )


def card_drafter_with_cache(command: Command, _: Known) -> Iterator[Problem]:
    """Find a drafter on a card beside an expert cache, which then never hits."""
    if command.get("--moe-cache") and command.get("-md") and command.get("-devd") != "none":
        yield _problem(
            command, "-devd", "a drafter on a card leaves the expert cache no hits; add -devd none"
        )


def draft_depth(command: Command) -> int | None:
    """Read the drafted tokens a pass, in whichever flag says it."""
    for flag in ("--spec-draft-n-max", "--draft-max", "--draft"):
        value = command.get(flag) or ""
        if value.isdecimal():
            return int(value)
    return None


def cache_batch(command: Command, _: Known) -> Iterator[Problem]:
    """Find drafts that bypass the expert cache: a pass verifies depth + 1 tokens."""
    depth = draft_depth(command)
    if command.get("--moe-cache") is None or depth is None:
        return
    name = "GGML_CUDA_MOE_CACHE_MAX_BATCH"
    said = command.environment.get(name, "")
    limit = int(said) if said.isdecimal() else CACHE_BATCH
    if depth < limit:
        return
    if depth < CACHE_BATCH:
        fix = f"set {name}={depth + 1}"
    else:
        dead = ", and is below the batch that goes to the cards" if depth < OP_OFFLOAD_BATCH else ""
        fix = f"no setting serves it{dead}; draft at most {CACHE_BATCH - 1}"
    yield _problem(
        command,
        "--moe-cache",
        f"verifies {depth + 1} tokens a pass, but serves batches of {limit} at most; {fix}",
    )


def op_offload(command: Command, _: Known) -> Iterator[Problem]:
    """Find the setting that keeps the expert cache from being made."""
    if NEVER_SET in command.environment:
        yield _problem(
            command,
            NEVER_SET,
            "must not be set: 22.3 fell to 5.3 t/s with it (measured); remove it",
        )


def silent_drafter(command: Command, known: Known) -> Iterator[Problem]:
    """Find a drafter that is loaded and never drafts."""
    if not command.get("-md") or command.get("--spec-type"):
        return
    if known.build is None or known.flags.has("draft-kind", known.build):
        sure = known.build == "b11434"
        yield _problem(
            command,
            "-md",
            "loads a drafter, but without --spec-type "
            f"{'this build never drafts' if sure else 'newer builds (11434) never draft'}; "
            "add --spec-type draft-simple (or the drafter's own kind)",
            "error" if sure else "flag",
        )


def refused_flags(command: Command, known: Known) -> Iterator[Problem]:
    """Find flags that the build refuses, with what says the same there."""
    builds = [known.build] if known.build else [b for b in known.flags.builds if b == "b11434"]
    for build in builds:
        for argument in command.arguments:
            entry = known.flags.refused(argument.said, build)
            if entry is None:
                continue
            instead = known.flags.instead(entry, build)
            fix = f"write {instead}" if instead else "remove it"
            severity = "error" if known.build else "note"
            yield _problem(command, argument.said, f"is an error on build {build}; {fix}", severity)


def too_many_threads(command: Command, known: Known) -> Iterator[Problem]:
    """Find more threads than physical cores: they wait for one another."""
    said = command.get("-t") or ""
    if known.cores and said.isdecimal() and int(said) > known.cores:
        yield _problem(
            command,
            "-t",
            f"is {said}, above the {known.cores} physical cores; decode falls behind its knee; "
            f"say -t {known.cores} or fewer",
            "flag",
        )


def engine_fit(command: Command, known: Known) -> Iterator[Problem]:
    """Find placement by rules while the engine still chooses a placement of its own."""
    if command.all("-ot") and command.get("--fit") is None:
        if known.build and not known.flags.has("fit", known.build):
            return
        yield _problem(command, "--fit", "is on by default and moves layers; add --fit off", "flag")


RULES: tuple[Lint, ...] = (
    unreadable_rules,
    dense_model,
    shadowed_rules,
    idle_rules,
    shared_on_host,
    repeated_override,
    missing_gpu_layers,
    split_mode,
    card_drafter_with_cache,
    cache_batch,
    op_offload,
    silent_drafter,
    refused_flags,
    too_many_threads,
    engine_fit,
)

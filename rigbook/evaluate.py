"""Score the model on machines left out, beside the plain roofline and published formulas."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from ingest.misuse import Misuse

EXAMPLES = """examples:
  rigbook evaluate
  rigbook evaluate --json > build/evaluation.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of `rigbook evaluate`."""
    parser.add_argument("--db", type=Path, default=Path("build/rigbook.duckdb"))
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Evaluate anew and print the tables."""
    from ingest.catalog import load_catalog  # noqa: PLC0415 - only when the verb runs
    from ingest.shipped import shipped  # noqa: PLC0415
    from ingest.store import opened  # noqa: PLC0415
    from models.accidents import accidents  # noqa: PLC0415
    from models.evaluate import evaluate  # noqa: PLC0415
    from models.facts import facts_of  # noqa: PLC0415
    from models.fit import read_features  # noqa: PLC0415
    from models.prefill_fit import fit_prefill, prefill_rows  # noqa: PLC0415
    from models.record import load_model  # noqa: PLC0415

    catalog, _ = load_catalog(Path(shipped("catalog")))
    facts = facts_of(catalog)
    try:
        with opened(args.db) as connection:
            found = read_features(connection, catalog, facts)
            priced = [*found.used, *found.excluded]
            warned = accidents(connection, load_model())
            read = fit_prefill(prefill_rows(connection, priced, facts))
    except FileNotFoundError as error:
        raise Misuse(error) from error
    except ValueError as error:
        print(f"{args.db}: {error}")
        return 1
    evaluation = {**evaluate(found, facts).as_json(), "prefill": read["error"]}
    evaluation["accidents"] = {kind: one._asdict() for kind, one in warned.items()}
    if args.json:
        print(json.dumps({"schema": "rigbook.evaluation/1", **evaluation}, indent=1))
    else:
        print(*lines(evaluation), sep="\n")
        sys.stderr.write("errors are absolute, by row; whole rigs are left out\n")
    return 0


def lines(evaluation: dict[str, Any]) -> list[str]:
    """Lay out errors, coverage and exclusions as text."""
    strata = list(evaluation["scores"]["Rigbook"])
    head = f"{'median / 80th percentile of error':<45}"
    told = [head + "".join(f"{name:>14}" for name in strata)]
    for name, by in evaluation["scores"].items():
        cells = (f"{by[s]['median_ape']:.0%} / {by[s]['p80_ape']:.0%}" for s in strata)
        told.append(f"{name:<45}" + "".join(f"{cell:>14}" for cell in cells))
    told.append(f"{'bias, predicted / measured':<45}" + _cells(evaluation, strata))
    told += ["", f"{'coverage by rig (width, high / low)':<45}"]
    for level, by in evaluation["coverage"].items():
        cells = (f"{by[s]['by_rig']:.0%} (x{by[s]['width']:.2f})" for s in strata)
        told.append(f"{float(level):<45.0%}" + "".join(f"{cell:>14}" for cell in cells))
    read = evaluation["prefill"]
    errors = f"{read['median_ape']:.0%} / {read['p80_ape']:.0%}"
    told += ["", f"{'prefill':<45}{errors:>14}  {read['rows']} rows of {read['rigs']} rigs"]
    told += ["", *_accidents(evaluation["accidents"])]
    told += ["", *_insight(evaluation)]
    told += ["", "the worst rows, tokens/s: measured, predicted, what may explain it"]
    told += [
        f"  {row['measured']:7.2f} {row['predicted']:7.2f}  {row['rig'][:32]:<33}"
        f"{row['variant']:<38}{'; '.join(row['why'])}"
        for row in evaluation["worst"]
    ]
    rows, rigs = evaluation["rows"], evaluation["rigs"]
    share = evaluation["excluded_share"]
    told += [
        "",
        f"{rows} rows of {rigs} rigs; rules on inputs keep out {share:.0%} of usable rows:",
    ]
    for rule, by in evaluation["excluded"].items():
        told.append(f"  {rule:<24}" + ", ".join(f"{n} {stratum}" for stratum, n in by.items()))
    told += [f"  unusable: {n} rows, {reason}" for reason, n in evaluation["unusable"].items()]
    return told


def _insight(evaluation: dict[str, Any]) -> list[str]:
    """Lay out slopes, gain by an own run, order and learning curve."""
    strata = [name for name in evaluation["scores"]["Rigbook"] if name != "all"]
    told = [
        f"{'% of speed per % of input (± error)':<45}{'':>14}" + "".join(f"{s:>14}" for s in strata)
    ]
    for lever, by in evaluation["slopes"].items():
        cells = (
            f"{by[s]['median']:.2f} ± {by[s]['error']:.2f}" if s in by else "-" for s in strata
        )
        told.append(f"{lever:<59}" + "".join(f"{cell:>14}" for cell in cells))
    told.append("")
    for kind, found in evaluation["own_run"].items():
        cells = (f"{found[k]['median_ape']:.0%} / {found[k]['p80_ape']:.0%}" for k in found)
        told.append(f"{'own run of the ' + kind:<45}" + " -> ".join(cells))
    for stratum, found in evaluation["ordering"].items():
        told.append(f"{'order of two on one rig, ' + stratum:<45}{_order(found)}")
    for point in evaluation["learning_curve"]:
        errors = f"{point['median_ape']:.0%} / {point['p80_ape']:.0%}"
        told.append(f"{'trained on ' + str(point['rigs']) + ' rigs':<45}{errors}")
    return told


def _accidents(found: dict[str, dict[str, int]]) -> list[str]:
    """Tell how many of the accidents that people flagged a prediction warns of."""
    flagged = [one for kind, one in found.items() if kind != "none"]
    rows, told, warned = (sum(one[key] for one in flagged) for key in ("rows", "told", "warned"))
    kinds = ", ".join(
        f"{kind} {one['warned']}/{one['rows']}" for kind, one in found.items() if kind != "none"
    )
    caught = f"{warned} of {rows} ({told} state what a warning needs): {kinds}"
    false = f"{found['none']['warned']} of {found['none']['rows']}"
    return [
        f"{'flagged accidents that a prediction warns of':<45}{caught}",
        f"{'rows without a flag that it warns of':<45}{false}",
    ]


def _order(found: dict[str, float]) -> str:
    """Tell both rates; where no two figures share a protocol, the second alone."""
    any_two = f"{found['right_any']:.0%} of {found['pairs_any']} across protocols"
    if "right" not in found:
        return any_two
    return f"{found['right']:.0%} of {found['pairs']} pairs right, {any_two}"


def _cells(evaluation: dict[str, Any], strata: list[str]) -> str:
    found = evaluation["scores"]["Rigbook"]
    return "".join(f"{found[stratum]['bias']:>14.2f}" for stratum in strata)

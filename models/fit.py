"""Database → fitted model: train on all rows, take intervals and errors from machines left out."""

import hashlib
import json
from collections.abc import Sequence
from math import exp
from typing import Any

import duckdb
from threadpoolctl import threadpool_limits

from ingest.catalog import Catalog
from models.assumptions import BEFORE
from models.components import components
from models.conformal import brackets
from models.estimator import Array
from models.evaluate import evaluation_of, left_out, shipped
from models.facts import Facts, facts_of
from models.features import Features, features
from models.prefill_fit import fit_prefill, prefill_rows
from models.record import FittedModel
from models.rows import FitRow, with_defaults
from models.setup import INTERVALS, interval_of
from models.training import Trained, log_speeds, priors_of, train

ROWS_LEAST = 30
"""Fewer rows than this teach nothing that the priors do not say better."""


def read_features(
    connection: duckdb.DuckDBPyConnection, catalog: Catalog, facts: Facts
) -> Features:
    """Read the rows and refuse a record too small to fit."""
    found = features(connection, catalog, facts, BEFORE)
    if len(found.used) < ROWS_LEAST:
        raise ValueError(
            f"only {len(found.used)} usable decode rows, {ROWS_LEAST} are needed;"
            " run `rigbook load` on the whole record"
        )
    return found


def fit(connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> FittedModel:
    """Fit the model on the database; the same rows give the same model."""
    facts = facts_of(catalog)
    found = read_features(connection, catalog, facts)
    rows = found.used
    with threadpool_limits(1):  # small matrices: more threads only wait, and change last digits
        out = left_out(rows, rows, facts)
        evaluation = evaluation_of(found, facts, out)
        trained = train(rows, facts)
    data_hash = hash_of(rows)
    unseen = shipped(rows, out, evaluation.ships)
    left = log_speeds(rows) - unseen
    return FittedModel(
        version=f"1.{data_hash[:12]}",
        fitted_on={"rigs": evaluation.rigs, "rows": evaluation.rows, "data_hash": data_hash},
        parameters=_parameters(trained, facts),
        effects=trained.effects,
        components=components(rows, left),
        intervals=brackets(
            left,
            [row.rig for row in rows],
            [interval_of(row.stratum, row.inputs) for row in rows],
            INTERVALS,
        ),
        ships=evaluation.ships,
        roofline=trained.roofline,
        defaults=trained.defaults,
        facts=facts,
        anchors=anchors(rows, trained, facts, unseen),
        prefill=_rounded(
            fit_prefill(prefill_rows(connection, [*found.used, *found.excluded], facts))
        ),
        evaluation=_rounded(evaluation.as_json()),
    )


def hash_of(rows: Sequence[FitRow]) -> str:
    """Name the data: SHA-256 over the rows that were fitted."""
    text = json.dumps([[*row[:-2], *row.inputs] for row in rows], default=float)
    return hashlib.sha256(text.encode()).hexdigest()


def _parameters(trained: Trained, facts: Facts) -> dict[str, dict[str, Any]]:
    return {
        prior.name: {
            "value": trained.parameters[prior.name],
            "unit": prior.unit,
            "meaning": prior.meaning,
            "prior": prior.value,
            "sd": prior.sd,
        }
        for prior in priors_of(facts)
    }


def anchors(
    rows: Sequence[FitRow], trained: Trained, facts: Facts, unseen: Array
) -> list[dict[str, Any]]:
    """Keep of each row what neighbours are found and shown by.

    `unseen` are the log predictions by models that never saw the row's machine.
    """
    methods = sorted(facts["methods"])
    return [
        {
            "rig": row.rig,
            "state": row.state,
            "slug": row.slug,
            "model": row.model,
            "quant": row.quant,
            "workload": row.workload,
            "protocol": row.protocol,
            "tokens_per_s": row.tokens_per_s,
            "left_out_tokens_per_s": float(f"{exp(guess):.4g}"),
            "read_gbps": x.gbps * facts["methods"][methods[x.method]],
            "cores": x.busy_cores,
            "verified": x.verified,
            "cpu_share": x.cpu_share,
            "dense_on_cpu": x.dense_on_cpu,
            "cache_on": x.cache_on,
            "measured_bandwidth": row.measured_bandwidth,
            "url": row.url,
        }
        for row, guess in zip(rows, unseen, strict=True)
        for x in (with_defaults(row, trained.defaults).inputs,)
    ]


def _rounded(plain: dict[str, Any]) -> dict[str, Any]:
    """Keep six digits: more is noise."""
    text = json.dumps(plain)
    kept: dict[str, Any] = json.loads(
        text, parse_float=lambda digits: float(f"{float(digits):.6g}")
    )
    return kept

# %% [markdown]
# # The bandwidth model, from the published files to every number
#
# This is the analysis behind the [method page](../method.md): what the record holds, what it says
# by itself through pairs that differ in one thing, what is fitted, how large the errors are on
# machines that the fit has never seen, and what to measure next. Nothing in it is random, so it
# gives the same numbers each time.
#
# It is a plain script with cell marks: run it with `python bandwidth_model.py`, open it in
# Jupyter with jupytext, or read it here. It needs the wheel (`rigbook[data,fit,site]`) and the
# files of the data page in one folder; `RIGBOOK_DATA` says where that is.

# %%
import os
from pathlib import Path

import altair as alt
import duckdb
import numpy as np
import polars as pl
from threadpoolctl import threadpool_limits

from ingest.catalog import load_catalog
from ingest.comparable import Refusal, compare, guarded
from ingest.shipped import shipped
from models.evaluate import evaluation_of, left_out
from models.facts import facts_of
from models.fit import hash_of, read_features
from models.record import load_model
from models.training import log_speeds, priors_of, train
from sitegen.chart import LIGHT

DATA = Path(globals().get("DATA") or os.environ.get("RIGBOOK_DATA") or "build/site/results/data")
MARK = {"color": LIGHT.mark, "size": 34, "filled": True, "opacity": 0.6}


def chart(told, *layers):
    """Lay charts over each other, with what they show in words."""
    return alt.layer(*layers).properties(width=480, height=290, description=told)


# %% [markdown]
# ## The record
#
# One row is one number with its source. A row takes part when it and its run are active, its run
# ended well and it is the best of its kind (`counts`). Everything below uses those rows only.

# %%
measurements = pl.read_parquet(DATA / "measurements.parquet")
rigs = pl.read_parquet(DATA / "rigs.parquet")
decode = (
    measurements.filter(pl.col("quantity") == "decode", pl.col("counts"))
    .with_columns(
        tokens_per_s=pl.coalesce("value", (pl.col("low") + pl.col("high")) / 2, "low", "high")
    )
    .join(rigs.select("state_id", "mts", "channels_populated", "cores"), on="state_id", how="left")
)
pl.DataFrame(
    {
        "what": ["measurements", "of them counted", "decode rates counted", "machines with one"],
        "number": [
            len(measurements),
            measurements["counts"].sum(),
            len(decode),
            decode["rig_id"].n_unique(),
        ],
    }
)

# %% [markdown]
# The rates by protocol. Rates of two protocols are never set against each other: they divide
# different tokens by different seconds.

# %%
decode.group_by("protocol").agg(
    rates=pl.len(),
    machines=pl.col("rig_id").n_unique(),
    median_tokens_per_s=pl.col("tokens_per_s").median(),
).sort("rates", "protocol", descending=[True, False])

# %% [markdown]
# ## Controlled pairs
#
# Before any model: two rates of **one machine**, one model, one protocol, one workload and depth,
# that differ in one thing. `HELD` lists what must be equal; unknown equals unknown. Where people
# changed more than one thing at once, `also` says what, and the pair shows all of it together. The
# fastest rate of each setting stands; the engine's build is not held, since people update between
# two runs. Pairs show what happened on those machines, not what another machine would gain.
#
# `guard` is what `rigbook compare` and the site's compare page say of the two rates: the fields
# for which they would refuse to set them side by side. The lever itself may be among them; any
# other field there is a second thing that changed.

# %%
HELD = [
    "rig_id",
    "model",
    "quant",
    "workload",
    "protocol",
    "context_tokens",
    "nominal_tokens",
    "streams",
    "engine",
    "threads",
    "layers_on_cpu",
    "drafter",
    "drafter_depth",
    "expert_cache",
    "thinking",
    "gpus_used",
    "mts",
    "channels_populated",
]


ids = decode.filter(pl.coalesce("value", pl.col("low") + pl.col("high")).is_not_null())
with duckdb.connect(str(DATA / "rigbook.duckdb"), read_only=True) as connection:
    guard_rows = {
        row["measurement_id"]: row for row in guarded(connection, ids["measurement_id"].to_list())
    }


def refused(two):
    """Name the fields for which the guard refuses a pair of measurements, with their values."""
    if not all(one in guard_rows for one in two):
        return "one of them is a bound, not a rate"
    answer = compare([guard_rows[one] for one in two])
    return "; ".join(map(str, answer.differences)) if isinstance(answer, Refusal) else ""


def pairs(lever, frame=decode, free=(), is_lever=()):
    """Give the lowest and highest setting of `lever` in each group; `also` is what moved with it.

    `free` columns may move, and are told; `is_lever` ones move because the lever is made of them.
    """
    held = [column for column in HELD if column not in (lever, *free, *is_lever)]
    freed = [column for column in HELD if column in free]
    best = (
        frame.filter(pl.col(lever).is_not_null())
        .sort("tokens_per_s", "measurement_id", descending=[True, False])
        .group_by([*held, lever], maintain_order=True)
        .first()
        .sort(lever)
    )
    ends = [pl.col(column).first().ne_missing(pl.col(column).last()) for column in freed]
    moved = [pl.when(end).then(pl.lit(name)) for end, name in zip(ends, freed, strict=True)]
    found = best.group_by(held).agg(
        low=pl.col(lever).first().cast(pl.String),
        high=pl.col(lever).last().cast(pl.String),
        from_tokens_per_s=pl.col("tokens_per_s").first(),
        to_tokens_per_s=pl.col("tokens_per_s").last(),
        ratio=pl.col("tokens_per_s").last() / pl.col("tokens_per_s").first(),
        also=pl.concat_str(moved, separator=", ", ignore_nulls=True) if free else pl.lit(""),
        guard=pl.concat_list(
            pl.col("measurement_id").first(), pl.col("measurement_id").last()
        ).map_elements(refused, return_dtype=pl.String),
        settings=pl.col(lever).n_unique(),
        source=pl.col("source_url").last(),
    )
    shown = ["rig_id", "model", "quant", "workload", "protocol", "low", "high"]
    shown += ["from_tokens_per_s", "to_tokens_per_s", "ratio", "also", "guard", "source"]
    return (
        found.filter(pl.col("settings") > 1)
        .select(column for column in shown if column not in is_lever)
        .sort("ratio", "rig_id", "model", "workload", descending=[True, False, False, False])
    )


# %% [markdown]
# **Drafter.** The same weights with a drafter and known to be without one. What a drafter gains
# depends on the share of its tokens that are kept, which is why code gains more than narrative.

# %%
with_drafter = decode.filter(pl.col("drafter").is_not_null()).with_columns(
    drafter_on=pl.when(pl.col("drafter") == "none").then(pl.lit("0 off")).otherwise(pl.lit("1 on"))
)
drafting = pairs(
    "drafter_on",
    with_drafter,
    free=("threads", "expert_cache", "layers_on_cpu"),
    is_lever=("drafter", "drafter_depth"),
)
drafting

# %% [markdown]
# **Memory clock.** Modules re-clocked on one machine. Decoding that reads experts from host RAM
# should move with the clock; what it falls short by was spent elsewhere.

# %%
clocks = pairs("mts", free=("context_tokens",))
clocks

# %% [markdown]
# **Channels.** The same machine with fewer of its channels populated (seven of eight is the usual
# accident). Other things often changed when modules were moved: read the sources.

# %%
channels = pairs(
    "channels_populated",
    free=("threads", "mts", "drafter", "drafter_depth", "expert_cache", "layers_on_cpu"),
)
channels

# %% [markdown]
# **Threads.** Fewest against most threads of each sweep. A ratio near one, or below, is a machine
# past its knee.

# %%
threads = pairs("threads")
threads

# %% [markdown]
# **Depth.** Shallowest against deepest context of each sweep.

# %%
depths = pairs("context_tokens", is_lever=("nominal_tokens",))
depths.head(20)

# %% [markdown]
# **Expert cache.** A GPU cache of experts, known to be off and on.

# %%
with_cache = decode.filter(pl.col("expert_cache").is_in(["none", "on"]))
moving = ("threads", "engine", "drafter", "drafter_depth", "layers_on_cpu", "gpus_used")
caches = pairs("expert_cache", with_cache, free=moving)
caches

# %% [markdown]
# **Bytes.** The same model at two quants on one machine: fewer bytes read for each token, if
# nothing else binds. The layers left on the CPU follow the file's size, so they are not held.

# %%
with duckdb.connect(str(DATA / "rigbook.duckdb"), read_only=True) as connection:
    told = connection.sql("SELECT model, quant, file_gib FROM catalog_variants").fetchall()
files = pl.DataFrame(told, schema=["model", "quant", "file_gib"], orient="row")
sized = decode.join(files, on=["model", "quant"], how="left")
quants = pairs("file_gib", sized, free=("layers_on_cpu", "threads"), is_lever=("quant",))
quants

# %% [markdown]
# ## Bandwidth alone
#
# What one would draw first: decode rate against read bandwidth over all rigs. The spread at one
# bandwidth is what the model has to explain: other bytes for each token, other placements, other
# processors.

# %%
catalog, _ = load_catalog(Path(shipped("catalog")))
facts = facts_of(catalog)
with duckdb.connect(str(DATA / "rigbook.duckdb"), read_only=True) as connection:
    found = read_features(connection, catalog, facts)
methods = sorted(facts["methods"])
rows = pl.DataFrame(
    [
        {
            "rig": row.rig,
            "variant": row.variant,
            "stratum": row.stratum,
            "tokens_per_s": row.tokens_per_s,
            "read_gbps": row.inputs.gbps * facts["methods"][methods[row.inputs.method]],
            "url": row.url,
        }
        for row in found.used
    ]
)
chart(
    "Decode against read bandwidth, both on logarithmic axes; one point a row that is fitted. "
    "Points of one stratum rise with bandwidth, and spread by several times at any one bandwidth.",
    alt.Chart(rows)
    .mark_point(**MARK)
    .encode(
        x=alt.X("read_gbps:Q", scale=alt.Scale(type="log"), title="Read bandwidth, GB/s"),
        y=alt.Y("tokens_per_s:Q", scale=alt.Scale(type="log"), title="Decode, tokens/s"),
        shape=alt.Shape("stratum:N", title="Run"),
    ),
)

# %% [markdown]
# ## Which rows are fitted
#
# Rules on inputs alone keep rows out, before anybody looks at a rate; they are scored apart. Rows
# that lack what a prediction needs cannot be priced.

# %%
out_of_fit = [(rule, sum(by.values())) for rule, by in found.excluded_by_rule().items()]
unpriced = list(found.unusable_by_reason().items())
pl.DataFrame(
    [
        {"rows": len(found.used), "what": "fitted and scored"},
        *({"rows": number, "what": f"kept out by rule: {rule}"} for rule, number in out_of_fit),
        *({"rows": number, "what": f"cannot be priced: {reason}"} for reason, number in unpriced),
    ]
)

# %% [markdown]
# ## The fit
#
# Each number has a meaning, a unit and a value that was believed before any data (`prior`), with
# a spread. The fit moves a number away from its prior only as far as the rows demand: a value
# that stayed is one that the record says nothing of.

# %%
trained = train(found.used, facts)
pl.DataFrame(
    [
        {
            "name": prior.name,
            "prior": prior.value,
            "fitted": float(trained.parameters[prior.name]),
            "moved_by_spreads": float(
                np.log(trained.parameters[prior.name] / prior.value) / prior.sd
            ),
            "unit": prior.unit,
            "meaning": prior.meaning,
        }
        for prior in priors_of(facts)
    ]
)

# %% [markdown]
# ## Errors on machines left out
#
# Whole machines are left out, one at a time: each is predicted by a fit that has never seen it.
# The baselines get the same rows and the same true inputs. `median` and `p80` are shares of the
# measured rate.

# %%
with threadpool_limits(1):  # as the fit does: more threads change the last digits
    out = left_out(found.used, found.used, facts)
    evaluation = evaluation_of(found, facts, out).as_json()
scores = pl.DataFrame(
    [
        {
            "predictor": name,
            "run": stratum,
            "rows": one["rows"],
            "machines": one["rigs"],
            "median": one["median_ape"],
            "p80": one["p80_ape"],
            "predicted_over_measured": one["bias"],
        }
        for name, by in evaluation["scores"].items()
        for stratum, one in by.items()
    ]
)
scores.filter(pl.col("run") == "all").sort("median")

# %% [markdown]
# By kind of run: what ships is the learned model, or the plain roofline where the learned one
# does not beat it.

# %%
scores.filter(
    pl.col("predictor").is_in(["Rigbook", "plain roofline"]), pl.col("run") != "all"
).join(
    pl.DataFrame([{"run": run, "ships": answer} for run, answer in evaluation["ships"].items()]),
    on="run",
)

# %% [markdown]
# ## Residuals
#
# Predicted against measured. Points on the line are right; the band is a factor of 1.25 either
# way. It does not show which error comes from the model and which from a rate or a bandwidth that
# was misreported.

# %%
fitted = rows.with_columns(predicted=pl.Series(np.exp(out.learned)))
ends = pl.DataFrame({"tokens_per_s": [0.5, 100.0]}).with_columns(
    low=pl.col("tokens_per_s") / 1.25, high=pl.col("tokens_per_s") * 1.25
)
log_axis = alt.Scale(type="log", domain=[0.5, 100])
band = alt.Chart(ends).mark_area(color=LIGHT.band, opacity=0.18)
chart(
    "Predicted against measured decode rate on machines left out, both on logarithmic axes, "
    "with a band of a factor of 1.25 either way.",
    band.encode(
        x=alt.X("tokens_per_s:Q", scale=log_axis), y=alt.Y("low:Q", scale=log_axis), y2="high:Q"
    ),
    alt.Chart(fitted)
    .mark_point(**MARK)
    .encode(
        x=alt.X("tokens_per_s:Q", scale=log_axis, title="Measured, tokens/s"),
        y=alt.Y("predicted:Q", scale=log_axis, title="Predicted, tokens/s"),
        shape=alt.Shape("stratum:N", title="Run"),
    ),
)

# %% [markdown]
# The largest misses, with their sources: a model is judged best where it fails.

# %%
pl.DataFrame(evaluation["worst"]).select(
    "rig", "variant", "stratum", "measured", "predicted", "url"
).head(10)

# %% [markdown]
# ## Coverage
#
# How often the interval held the measured rate on machines left out, counted by machine, and how
# wide it was (high ÷ low). An interval is worth something when its share comes near its level
# *and* it is narrow.

# %%
pl.DataFrame(
    [
        {
            "level": float(level),
            "run": stratum,
            "machines": one["rigs"],
            "held_by_machine": one["by_rig"],
            "held_by_row": one["by_row"],
            "width": one["width"],
        }
        for level, by in evaluation["coverage"].items()
        for stratum, one in by.items()
    ]
)

# %% [markdown]
# ## Sensitivity
#
# By how many per cent the rate moves when one input moves by one per cent, with its error over
# the fits. An upgrade pays by its slope: a slope of 0.5 for bandwidth means that doubling it
# gives about 1.4 times the rate.

# %%
pl.DataFrame(
    [
        {"input": lever, "run": stratum, "slope": one["median"], "error": one["error"]}
        for lever, by in evaluation["slopes"].items()
        for stratum, one in by.items()
    ]
)

# %% [markdown]
# ## Own runs, order, and more data
#
# What a single rate of one's own tells of the others, how often two rows of one machine come out
# in the right order, and how the error falls with the number of machines in the fit.

# %%
pl.DataFrame(evaluation["learning_curve"])

# %%
pl.DataFrame([{"run": run, **one} for run, one in evaluation["ordering"].items()])

# %% [markdown]
# ## What to measure next
#
# Where few machines stand behind a stratum and the interval is wide, one more rig helps most.
# Levers with few pairs are the experiments that anybody with one machine can do: change one
# thing, report both rates.

# %%
EXPERIMENTS = {
    "drafter on or off": drafting,
    "memory clock": clocks,
    "channels": channels,
    "threads": threads,
    "context": depths,
    "expert cache on or off": caches,
    "quant": quants,
}
pl.DataFrame(
    [
        {"change_one_thing": name, "pairs": len(one), "machines": one["rig_id"].n_unique()}
        for name, one in EXPERIMENTS.items()
    ]
).sort("machines", "change_one_thing")

# %% [markdown]
# ## The numbers are the published ones
#
# The model file beside the data was fitted on the same rows, and its errors, which the method
# page shows and `rigbook evaluate` prints, are the ones computed above. If a cell here differs,
# this script stops.

# %%
published = load_model(DATA / "model.json")
assert published.fitted_on["data_hash"] == hash_of(found.used), (
    "the model file is of other data: run `rigbook fit`"
)
for name, by in published.evaluation["scores"].items():
    for stratum, one in by.items():
        for key, value in one.items():
            assert np.isclose(evaluation["scores"][name][stratum][key], value, rtol=1e-4), (
                name,
                stratum,
                key,
            )
for name, entry in published.parameters.items():
    assert np.isclose(trained.parameters[name], entry["value"], rtol=1e-4), name
own = evaluation["scores"]["Rigbook"]["all"]
error = np.median(np.abs(np.exp(out.learned - log_speeds(found.used)) - 1))
assert np.isclose(error, own["median_ape"], rtol=1e-4)
(
    f"Median error {own['median_ape']:.1%} on {evaluation['rigs']} machines left out, "
    f"{evaluation['rows']} rows: as published."
)

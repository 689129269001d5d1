// Answers: tokens/s of each slug on a rig, with interval, evidence and limit. A port of models/predict.py.
import { estimate, ownRuns, questionOf, targetsOf } from "./estimate.js";
import { bounds, told } from "./interval.js";
import { basisOf, nearest, ownRows } from "./nearest.js";
import { limitOf } from "./physics.js";
import { checked, short } from "./request.js";
import { bundlesOf } from "./setup.js";

/** Order as Python orders texts. */
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Answer a request, fastest first. Throws Misuse for a request that no rig fits, or an unknown name. */
export function predict(model, request) {
  const question = questionOf(model, checked(request, model.constants));
  const own = ownRuns(question);
  const found = targetsOf(request, model).map((target) => answer(question, target, own));
  return found.sort((a, b) => b.tokens_per_s - a.tokens_per_s || byText(a.slug ?? "", b.slug ?? "") || byText(a.quant, b.quant));
}

/** Answer for one target, given own runs on the rig. */
export function answer(question, target, own) {
  const { model, rig, request } = question;
  const { setup, tokens_per_s: bare, known } = estimate(question, target);
  const learned = told(model.components, known, own);
  const speed = bare * Math.exp(learned.shift);
  const level = short(request.level);
  const interval = setup.stratum + (rig.sockets > 1 ? model.constants.several_sockets : "");
  const [low, high] = bounds(speed, model.intervals[interval][level], known.doubts, model.constants.z[level], learned.variance_left);
  const limit = limitOf(setup.inputs, model);
  const rows = ownRows(model, target);
  const place = { inputs: setup.inputs, read_gbps: rig.gbps * model.methods[rig.method], workload: request.workload };
  const near = nearest(model, target, place);
  const fits = rig.ram_gib === null ? null : setup.host_ram_gib <= rig.ram_gib;
  return {
    slug: target.slug,
    model: known.model,
    quant: known.quant,
    workload: request.workload,
    tokens_per_s: speed,
    low,
    high,
    level: request.level,
    basis: basisOf(rows, near, model.constants),
    rigs: new Set(rows.map((row) => row.rig)).size,
    rows: rows.length,
    limit: fits === false ? "paging" : limit.name,
    time_share: limit.time_share,
    wall_tokens_per_s: limit.wall_tokens_per_s,
    host_ram_gib: setup.host_ram_gib,
    fits,
    threads: setup.threads,
    layers_on_cpu: setup.layers_on_cpu,
    tokens_per_pass: setup.inputs.tokens_per_pass,
    depth: setup.depth,
    acceptance: setup.acceptance,
    hit_rate: setup.hit_rate,
    nearest: near,
    warnings: cautionsOf(model, target, setup, rig, near.length ? near[0].distance : model.constants.far + 1),
    inferred: [...rig.inferred, ...setup.inferred],
    own_run_factor: own.length ? Math.exp(learned.shift) : null,
    // Beyond what Python publishes: for the page alone.
    target,
    seconds: limit.seconds,
    setup,
  };
}

/** A whole number as Python's `:.0f` writes it: halves go to the even side. */
function whole(value) {
  const floor = Math.floor(value);
  const up = value - floor === 0.5 ? floor % 2 === 1 : value - floor > 0.5;
  return String(up ? floor + 1 : floor);
}

/** All weights of a variant: a mapped file passes through host memory whole. */
function fileGib(target, constants) {
  return [...bundlesOf(target.variant).values()].reduce((sum, mib) => sum + mib, 0) / 1024 + target.variant.dense_gb / constants.gb_per_gib;
}

function cautionsOf(model, target, setup, rig, far) {
  const found = [...rig.cautions, ...setup.cautions];
  const needs = whole(setup.host_ram_gib);
  if (rig.ram_gib !== null) {
    const missing = setup.host_ram_gib - rig.ram_gib;
    if (missing > 0) {
      found.push({ code: "does-not-fit", message: `needs ${needs} GiB of host RAM, ${whole(missing)} more than there is`, remedy: "choose a smaller quant or add RAM" });
    } else if (missing > -model.constants.comfort_gib) {
      found.push({ code: "tight-ram", message: `needs ${needs} of ${whole(rig.ram_gib)} GiB: tight, may page`, remedy: "close other programs, or a smaller quant" });
    } else if (fileGib(target, model.constants) > model.constants.near_ram * rig.ram_gib) {
      const file = whole(fileGib(target, model.constants));
      found.push({ code: "file-near-ram", message: `the whole file has ${file} GiB of ${whole(rig.ram_gib)}: mapped, it may page`, remedy: "load it with --no-mmap" });
    }
  }
  if (far > model.constants.far) {
    found.push({ code: "outside-data", message: "no measured rig is near: outside the data", remedy: "trust the interval less, and submit a run" });
  }
  if (model.ships[setup.stratum] === "roofline") {
    found.push({ code: "roofline", message: "the plain roofline answers here: the learned model did not beat it", remedy: "submit runs of this kind" });
  }
  return found;
}

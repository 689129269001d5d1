// One configuration priced: a port of models/estimate.py and models/targets.py.
import { moves } from "./interval.js";
import { Misuse } from "./model.js";
import { rooflineTokensPerS, tokensPerS } from "./physics.js";
import { rigOf } from "./rig.js";
import { setupOf } from "./setup.js";

/** A request read against a model: the same for every target. */
export const questionOf = (model, request) => ({ model, request, rig: rigOf(request, model) });

/** What was asked for: slugs by name, the variants of a model, or every slug that offloads. */
export function targetsOf(request, model) {
  if (request.model || request.quant) return variantTargets(request, model);
  return (request.slugs.length ? request.slugs : [...model.slugs.keys()]).map((slug) => slugTarget(slug, model, "--slug"));
}

/** Find a slug; `flag` is the one that named it. */
export function slugTarget(slug, model, flag) {
  const launch = model.slugs.get(slug);
  if (!launch) throw new Misuse(`${flag}: no slug '${slug}'`);
  return { slug, launch, variant: model.variants.get(`${launch.model}/${launch.quant}`) };
}

/** Every variant as a target of its own, as it runs without a slug. */
export function variantTargets(request, model) {
  const asked = (name, value) => request[name] === null || request[name] === value;
  const found = [...model.variants.values()].filter((variant) => asked("model", variant.model) && asked("quant", variant.quant));
  if (!found.length) throw new Misuse(`--model, --quant: no variant '${request.model ?? "?"}/${request.quant ?? "?"}' with known bytes`);
  return found.map((variant) => ({ slug: null, launch: { ...model.constants.bare, model: variant.model, quant: variant.quant }, variant }));
}

/** Set one target up and price it. */
export function priced(question, target) {
  const { model, rig, request } = question;
  let setup = setupOf(target, rig, request, model);
  if (request.threads === null) setup = atKnee(setup, model);
  return { setup, tokens_per_s: speedOf(model, target, setup) };
}

/** Price one target, with how far each doubt moves it. */
export function estimate(question, target) {
  const found = priced(question, target);
  const doubts = moves(found.setup.inputs, question.model, found.setup.doubts);
  return { ...found, known: { stratum: found.setup.stratum, model: target.variant.model, quant: target.variant.quant, doubts } };
}

/** Price the runs that the asker measured; each with its log of measured over predicted. */
export function ownRuns(question) {
  return question.request.mine.map((run) => {
    const workload = run.workload || question.request.workload;
    const asked = { ...question, request: { ...question.request, workload } };
    const found = estimate(asked, slugTarget(run.slug, question.model, "--mine"));
    return { known: found.known, left: Math.log(run.tokens_per_s / found.tokens_per_s) };
  });
}

/** Tokens/s: by the learned model, or by the roofline where that is what ships. */
export function speedOf(model, target, setup) {
  if (model.ships[setup.stratum] === "roofline") return rooflineTokensPerS(setup.inputs, model, model.roofline[setup.stratum]);
  const { model: name, quant } = target.variant;
  const left = (model.effects[name] ?? 0) + (model.effects[`${name}/${quant}`] ?? 0);
  return tokensPerS(setup.inputs, model) * Math.exp(left);
}

/** Choose the fewest threads, in sixteenths of the cores, that come near the best speed. */
function atKnee(setup, model) {
  const cores = setup.inputs.busy_cores;
  const counts = new Set(Array.from({ length: 16 }, (_, step) => Math.max(1, Math.ceil((cores * (step + 1)) / 16))));
  const inputs = { ...setup.inputs };
  const tried = [...counts].map((threads) => {
    inputs.busy_cores = threads;
    return [threads, tokensPerS(inputs, model)];
  });
  const best = Math.max(...tried.map(([, speed]) => speed));
  const [threads] = tried.find(([, speed]) => speed >= model.constants.knee * best);
  return { ...setup, threads, inputs: { ...setup.inputs, busy_cores: threads } };
}

// Advice that falls out of the model: drafting depth, threads, what moves the number. Ports of models/advice.py and the levers of models/insight.py.
import { priced, speedOf } from "./estimate.js";
import { tokensPerS } from "./physics.js";

function speedAt(question, target, changes) {
  return priced({ ...question, request: { ...question.request, ...changes } }, target).tokens_per_s;
}

/** Price every depth; null for a target that launches no drafter. */
export function drafting(question, target) {
  const own = target.launch.drafter;
  if (own === null) return null;
  const { deepest } = question.model.constants;
  const speeds = Array.from({ length: deepest + 1 }, (_, depth) => speedAt(question, target, { depth }));
  const depth = question.request.depth || own.depth;
  return {
    best_depth: speeds.indexOf(Math.max(...speeds)),
    tokens_per_s: speeds,
    depth,
    pays_above: paysAbove(question, target, depth, speeds[0]),
  };
}

/** The accepted share at which drafting breaks even, by bisection. */
function paysAbove(question, target, depth, without) {
  let [low, high] = [0, 1];
  if (speedAt(question, target, { depth, acceptance: high }) <= without) return null;
  for (let turn = 0; turn < 20; turn += 1) {
    const middle = (low + high) / 2;
    if (speedAt(question, target, { depth, acceptance: middle }) < without) low = middle;
    else high = middle;
  }
  return high;
}

/** The fewest and the most threads that come near the best speed. */
export function enoughThreads(question, target) {
  const { setup } = priced(question, target);
  const speeds = Array.from({ length: question.rig.cores }, (_, at) => tokensPerS({ ...setup.inputs, busy_cores: at + 1 }, question.model));
  const best = speeds.reduce((a, b) => Math.max(a, b), 0);
  const near = speeds.flatMap((speed, at) => (speed >= question.model.constants.knee * best ? [at + 1] : []));
  return [near[0], near.at(-1)];
}

const LEVERS = {
  bandwidth: (x, factor) => ({ ...x, gbps: x.gbps * factor }),
  threads: (x, factor) => ({ ...x, busy_cores: x.busy_cores * factor }),
  "core speed": (x, factor) => ({ ...x, core_speed: x.core_speed * factor }),
  "accepted tokens": (x, factor) => ({ ...x, tokens_per_pass: 1 + (x.tokens_per_pass - 1) * factor }),
  "GPU bandwidth": (x, factor) => ({ ...x, gpu_gbps: x.gpu_gbps * factor }),
};

/** What a turn of each input by `factor` multiplies the speed by. */
export function sensitivity(question, target, factor) {
  const { setup, tokens_per_s: here } = priced(question, target);
  return Object.fromEntries(
    Object.entries(LEVERS).map(([lever, turn]) => [lever, speedOf(question.model, target, { ...setup, inputs: turn(setup.inputs, factor) }) / here]),
  );
}

// The interval of one prediction, and what own runs tell of it: ports of models/interval.py and models/own_run.py.
import { tokensPerS } from "./physics.js";

function perturbed(inputs, field, spread) {
  if (field === "hit_rate") return { ...inputs, hit_rate: 1 - (1 - inputs.hit_rate) * Math.exp(-spread) };
  return { ...inputs, [field]: inputs[field] * Math.exp(spread) };
}

/** How far each assumed input moves the speed (log) when it moves by its spread. */
export function moves(inputs, model, doubts) {
  const here = tokensPerS(inputs, model);
  return Object.fromEntries(
    Object.entries(doubts).map(([field, spread]) => [field, Math.log(tokensPerS(perturbed(inputs, field, spread), model) / here)]),
  );
}

const beyond = (side, extra) => (side ** 2 + extra ** 2) ** 0.5 - Math.abs(side);

/** The interval around a speed: the bracket of the stratum and the doubt in quadrature, narrowed by own runs. */
export function bounds(speed, [low, high], moved, z, left) {
  const doubt = Object.values(moved).reduce((sum, step) => sum + step ** 2, 0) ** 0.5;
  const ends = [
    speed * Math.exp(Math.min(low, 0) - beyond(low, z * doubt)),
    speed * Math.exp(Math.max(high, 0) + beyond(high, z * doubt)),
  ];
  return ends.map((end) => speed * (end / speed) ** (left ** 0.5));
}

function levelOf(a, b) {
  if (a.stratum !== b.stratum) return "stratum";
  return a.model !== b.model ? "rig" : a.quant !== b.quant ? "model" : "variant";
}

const shared = (components, a, b) => components[levelOf(a, b)] + doubtsOf(a, b);

const variance = (components, one) => components.row + doubtsOf(one, one);

const doubtsOf = (a, b) => Object.entries(a.doubts).reduce((sum, [field, moved]) => sum + moved * (b.doubts[field] ?? 0), 0);

/** Condition on own runs, each with its log of measured over predicted. */
export function told(components, asked, runs) {
  if (!runs.length) return { shift: 0, variance_left: 1 };
  const across = runs.map((run) => shared(components, asked, run.known));
  const among = runs.map((a, i) => runs.map((b, j) => (i === j ? variance(components, a.known) : shared(components, a.known, b.known))));
  const weights = solve(among, across);
  const shift = weights.reduce((sum, weight, i) => sum + weight * runs[i].left, 0);
  const explained = weights.reduce((sum, weight, i) => sum + weight * across[i], 0);
  return { shift, variance_left: Math.max(0, 1 - explained / variance(components, asked)) };
}

/** Solve a small positive definite system. */
function solve(matrix, right) {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  rows.forEach((pivot, i) => {
    for (let j = i + 1; j < rows.length; j += 1) {
      const factor = rows[j][i] / pivot[i];
      rows[j] = rows[j].map((x, k) => x - factor * pivot[k]);
    }
  });
  const solved = rows.map(() => 0);
  for (let i = rows.length - 1; i >= 0; i -= 1) {
    let known = 0;
    for (let j = i + 1; j < rows.length; j += 1) known += rows[i][j] * solved[j];
    solved[i] = (rows[i].at(-1) - known) / rows[i][i];
  }
  return solved;
}

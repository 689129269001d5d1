// Drafted tokens and cached experts: ports of models/drafting.py and models/expert_cache.py.

/** The share of drafted tokens accepted: a token counts only if all before it were right. */
export function acceptedShare(alpha, depth) {
  let sum = 0;
  for (let position = 1; position <= depth; position += 1) sum += alpha ** position;
  return depth ? sum / depth : 0;
}

/** What to assume for a drafter on a workload: the chance of a token, and its spread. */
export function defaultAlpha(known, kind, workload) {
  const places = [`${kind}/${workload}`, kind, `any/${workload}`, "any"];
  return known[places.find((place) => Object.hasOwn(known, place))];
}

/** The pool for cached experts: what VRAM is left by dense weights, context, buffers and reserve. */
export function poolGib(variant, vramGib, ctxTokens, drafter, constants) {
  const taken = variant.dense_gb / constants.gb_per_gib
    + ((variant.kv_mib_per_1k || 0) * ctxTokens) / 1000 / 1024
    + vramGib.length * (constants.reserve_gib + constants.compute_gib)
    + (drafter ? constants.host_drafter_gib : 0);
  return Math.max(0, vramGib.reduce((sum, gib) => sum + gib, 0) - taken);
}

/** The hit rate of a cache that holds `coverage` of the routed bytes: popular experts come first. */
export function hitRateOf(known, model, coverage) {
  const gamma = known.gamma[model] ?? known.other;
  return 1 - (1 - Math.min(1, Math.max(0, coverage))) ** gamma;
}

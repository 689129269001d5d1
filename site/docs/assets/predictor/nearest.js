// The measured rigs nearest to a question: a port of models/nearest.py.

const squared = (value) => value * value;

function distance(anchor, target, place, constants) {
  const { variant } = target;
  const x = place.inputs;
  const weights = anchor.model !== variant.model ? constants.other_model : anchor.quant !== variant.quant ? constants.other_quant : 0;
  return Math.sqrt(
    squared(Math.log(anchor.read_gbps / place.read_gbps))
    + squared(0.5 * Math.log(anchor.cores / x.busy_cores))
    + squared(0.5 * Math.log(anchor.verified / x.verified))
    + squared(anchor.cpu_share - x.cpu_share)
    + squared(anchor.dense_on_cpu - x.dense_on_cpu)
    + squared(anchor.cache_on - x.cache_on)
    + squared(weights),
  );
}

const order = (a, b) => a.far - b.far || a.other - b.other || a.index - b.index;

/** The nearest rigs, one row each: the nearest, at the workload asked where it is there. */
export function nearest(model, target, place) {
  const best = new Map();
  model.anchors.forEach((anchor, index) => {
    const found = { far: distance(anchor, target, place, model.constants), other: Number(anchor.workload !== place.workload), index, anchor };
    const before = best.get(anchor.rig);
    if (before === undefined || order(found, before) < 0) best.set(anchor.rig, found);
  });
  const ranked = [...best.values()].sort(order).slice(0, model.constants.shown);
  return ranked.map(({ far, anchor }) => ({ rig: anchor.rig, tokens_per_s: anchor.tokens_per_s, distance: Number(far.toFixed(3)), url: anchor.url }));
}

/** The rows of the slug itself; of the variant where no slug was asked for. */
export function ownRows(model, target) {
  if (target.slug) return model.anchors.filter((anchor) => anchor.slug === target.slug);
  const { model: name, quant } = target.variant;
  return model.anchors.filter((anchor) => anchor.model === name && anchor.quant === quant);
}

/** What stands behind a number: rows of the same rig, of rigs around it, or of others. */
export function basisOf(own, near, constants) {
  if (!own.length || !near.length || near[0].distance > constants.far) return "extrapolated";
  return near[0].distance <= constants.same ? "measured" : "interpolated";
}

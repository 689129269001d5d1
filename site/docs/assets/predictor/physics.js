// Seconds per pass, resource by resource: a port of models/physics.py, models/roofline.py and models/limit.py.

/** How many times the experts of one token are read when several are verified together. */
function unionGrowth(x, constants) {
  const fresh = 1 - x.expert_share;
  return 1 + ((1 - constants.reuse) * (fresh - fresh ** x.verified)) / x.expert_share;
}

function effectiveGbps(x, p, constants) {
  const read = x.gbps * p[x.method];
  const bare = p.yield * (read / 150) ** -p.yield_fall;
  const capped = bare / (1 + (bare / constants.yield_cap) ** 8) ** 0.125;
  return read * capped * p.socket ** x.sockets_log2;
}

/** Price one pass: seconds by resource. Memory and compute overlap: they add as a 2-norm. */
export function parts(x, model) {
  const { parameters: p, constants } = model;
  const cpuShare = x.cpu_share * (1 - x.hit_rate);
  const union = unionGrowth(x, constants);
  const cpuGb = union * x.routed_gb * cpuShare + x.dense_gb * x.dense_on_cpu;
  const gweights = x.verified * (x.routed_gweights * cpuShare + x.dense_gweights * x.dense_on_cpu);
  const rate = p.core_rate * x.core_speed ** p.speed_power * p.intel ** x.intel;
  const gpuGb = x.dense_gb * (1 - x.dense_on_cpu) + union * x.routed_gb * (1 - cpuShare);
  const layerMs = p.hand_off * x.layers_on_cpu * (x.busy_cores / 32) ** x.dense_on_cpu;
  const cacheMs = p.cache_hand_off * x.layers * x.cache_on * (1 + p.cache_cards * x.gpus_beyond_two);
  const draftMs = x.drafter_on_cpu * p.drafter_cpu + (1 - x.drafter_on_cpu) * p.drafter_gpu;
  const depth = x.dense_on_cpu * p.depth_cpu + (1 - x.dense_on_cpu) * p.depth_gpu;
  const memory = cpuGb / effectiveGbps(x, p, constants);
  const compute = gweights / (x.busy_cores * rate * p[x.kernel]);
  const handOff = (layerMs + cacheMs) / 1000;
  const gpu = (gpuGb / (p.gpu_yield * x.gpu_gbps)) * p.gpu_split ** x.gpus_log2;
  const drafter = (x.drafted * draftMs) / 1000;
  const fixed = p.fixed / 1000;
  const experts = Math.sqrt(memory * memory + compute * compute);
  const total = (experts + (handOff + gpu + drafter + fixed)) * (1 + depth * x.context_10k);
  return { memory, compute, handOff, gpu, drafter, fixed, experts, total };
}

/** Decode speed: tokens of a pass over its seconds. */
export const tokensPerS = (x, model) => x.tokens_per_pass / parts(x, model).total;

/** The speed if memory alone bound. */
export function rooflineTokensPerS(x, model, constant) {
  const routed = unionGrowth(x, model.constants) * x.routed_gb * x.cpu_share * (1 - x.hit_rate);
  const hostGb = routed + x.dense_gb * x.dense_on_cpu;
  return (constant * x.tokens_per_pass * x.gbps * model.parameters[x.method]) / (hostGb + x.dense_gb / 100);
}

/** Share out the time of a pass and name the resource that binds. */
export function limitOf(x, model) {
  const cost = parts(x, model);
  const seconds = {
    "ram-bandwidth": cost.experts ? cost.memory ** 2 / cost.experts : 0,
    "cpu-compute": cost.experts ? cost.compute ** 2 / cost.experts : 0,
    "hand-off": cost.handOff,
    gpu: cost.gpu,
    drafter: cost.drafter,
    fixed: cost.fixed,
  };
  const names = Object.keys(seconds);
  const total = names.reduce((sum, name) => sum + seconds[name], 0);
  const bare = { ...seconds, "ram-bandwidth": cost.memory, "cpu-compute": cost.compute };
  const name = names.reduce((best, one) => (seconds[one] > seconds[best] ? one : best));
  const share = Object.fromEntries(names.map((one) => [one, seconds[one] / total]));
  return { name, wall_tokens_per_s: x.tokens_per_pass / bare[name], time_share: share, seconds: cost.total };
}

// What is run: a variant as a slug launches it on a rig, as inputs of one pass. A port of models/setup.py.
import { acceptedShare, defaultAlpha, hitRateOf, poolGib } from "./drafting.js";
import { Misuse } from "./model.js";
import { freeMib, place, placeWindow } from "./placement.js";

/** Work out placement, drafter and cache, and from them the inputs of one pass. */
export function setupOf(target, rig, request, model) {
  const inferred = [];
  const { defaults, constants } = model;
  const { launch } = target;
  let { cards } = rig;
  if (cards === null) {
    cards = referenceCards(target, model);
    inferred.push("gpus");
  }
  const number = cards.vram_gib.length;
  const cpuOnly = number === 0;
  const depth = request.depth ?? (launch.drafter ? launch.drafter.depth : 0);
  const placed = placement(target, request, cards, depth > 0, constants);
  const layers = placed.on_cpu.length;
  const assumed = defaultAlpha(defaults.acceptance, launch.drafter ? launch.drafter.kind : "other", request.workload);
  const acceptance = request.acceptance ?? acceptedShare(assumed.alpha, depth);
  const cacheOn = Boolean(launch.expert_cache) && !cpuOnly && request.hit_rate !== 0;
  const hitRate = cacheOn ? hitRateFor(target, request, cards, placed, model) : 0;
  const doubts = { ...rig.doubts };
  if (depth && request.acceptance === null) {
    inferred.push("acceptance");
    doubts.tokens_per_pass = assumed.sd;
  }
  if (cacheOn && request.hit_rate === null) {
    inferred.push("hit_rate");
    doubts.hit_rate = defaults.hit_rate.sd;
  }
  const threads = request.threads || rig.cores;
  if (request.threads === null) inferred.push("threads");
  return {
    inputs: {
      ...baseInputs(target, rig, cards, layers),
      verified: 1 + depth,
      drafted: depth,
      drafter_on_cpu: Number(cpuOnly || Boolean(launch.drafter && launch.drafter.device === "cpu")),
      tokens_per_pass: 1 + depth * acceptance,
      hit_rate: hitRate,
      cache_on: Number(cacheOn),
      busy_cores: Math.min(threads, rig.cores),
      context_10k: request.at_tokens / 10_000,
    },
    stratum: cpuOnly ? "cpu-only" : depth > 0 || cacheOn ? "club" : "hybrid",
    threads,
    cards,
    placed,
    layers_on_cpu: layers,
    depth,
    acceptance: depth ? acceptance : null,
    hit_rate: cacheOn ? hitRate : null,
    host_ram_gib: hostRamGib(target, placed, depth > 0, constants),
    inferred,
    doubts,
    cautions: cautionsOf(target, number, depth),
  };
}

function referenceCards(target, model) {
  const gpu = model.gpus.get(target.launch.gpu);
  return { name: gpu.name, gbps: gpu.gbps, vram_gib: Array(target.launch.cards).fill(gpu.vram_gib) };
}

const bundles = new WeakMap();

/** Map each mixture-of-experts block to the MiB of its routed experts; worked out once a variant. */
export function bundlesOf(variant) {
  if (!bundles.has(variant)) bundles.set(variant, bundlesBy(variant));
  return bundles.get(variant);
}

function bundlesBy(variant) {
  const blocks = Array.from({ length: variant.moe_layers }, (_, at) => variant.first_moe_layer + variant.moe_layer_step * at);
  return new Map(blocks.map((block) => [block, variant.bundle_mib_by_layer[block] ?? variant.bundle_mib]));
}

/** Place the experts: as asked by `cpu_layers`, else by the slug's residency constants. */
function placement(target, request, cards, drafter, constants) {
  const sizes = bundlesOf(target.variant);
  const number = cards.vram_gib.length;
  if (request.cpu_layers !== null && number) return asAsked(target, request.cpu_layers, sizes);
  const { residency } = target.launch;
  if (residency === null || !number) return place(sizes, [], constants.costs);
  const costs = {
    ...constants.costs,
    reserve_mib: residency.reserve_mib,
    draft_mib: drafter ? residency.draft_mib : 0,
    first_card_extra_mib: residency.first_card_extra_mib,
  };
  const free = cards.vram_gib.map((gib) => freeMib(gib, constants));
  return placeWindow(sizes, residency.first_layer, residency.window_layers, free, costs);
}

function asAsked(target, layers, sizes) {
  if (layers > sizes.size) {
    throw new Misuse(`--cpu-layers: ${target.variant.model} has ${sizes.size} layers of experts, got ${layers}`);
  }
  const blocks = [...sizes.keys()].slice(sizes.size - layers);
  const host = blocks.reduce((sum, block) => sum + sizes.get(block), 0);
  const all = [...sizes.values()].reduce((sum, mib) => sum + mib, 0);
  return { on_cards: [], on_cpu: blocks, pinned_mib: all - host, host_mib: host };
}

function hitRateFor(target, request, cards, placed, model) {
  if (request.hit_rate !== null) return request.hit_rate;
  const ctxTokens = request.ctx_tokens || target.launch.ctx || 32_768;
  const pool = poolGib(target.variant, cards.vram_gib, ctxTokens, target.launch.drafter !== null, model.constants);
  const poolMib = Math.max(0, pool * 1024 - placed.pinned_mib);
  const coverage = placed.host_mib ? poolMib / placed.host_mib : 0;
  return hitRateOf(model.defaults.hit_rate, target.variant.model, coverage);
}

/** Weights, memory, cores and cards (kernel and method by the names of their parameters) of a pass without drafter, cache or context. */
function baseInputs(target, rig, cards, layers) {
  const { variant } = target;
  const number = cards.vram_gib.length;
  return {
    routed_gb: variant.routed_gb,
    routed_gweights: variant.routed_gweights,
    cpu_share: layers / variant.moe_layers,
    dense_gb: variant.dense_gb,
    dense_gweights: variant.dense_gweights,
    dense_on_cpu: Number(number === 0),
    layers_on_cpu: layers,
    layers: variant.layers,
    expert_share: variant.expert_share,
    gbps: rig.gbps,
    method: `method.${rig.method}`,
    sockets_log2: Math.log2(rig.sockets),
    core_speed: rig.core_speed,
    kernel: `kernel.${variant.kernel}`,
    intel: rig.intel,
    gpu_gbps: cards.gbps,
    gpus_log2: Math.log2(Math.max(1, number)),
    gpus_beyond_two: Math.max(0, number - 2),
  };
}

/** The slug's worst case less what moved to the cards; without one, the tensors' own price. */
function hostRamGib(target, placed, drafted, constants) {
  const { drafter, host_ram_gib: header } = target.launch;
  const onHost = drafter && drafter.device === "cpu" ? drafter.file_gib || 0 : 0;
  if (header !== null) return Math.max(1, header - Math.floor(placed.pinned_mib / 1024) - (drafted ? 0 : onHost));
  const need = placed.host_mib / 1024 + (target.variant.embedding_gib || 0) + (drafted ? onHost : 0) + constants.overhead_gib;
  return Math.ceil(need);
}

function cautionsOf(target, number, depth) {
  const found = [];
  const wanted = target.launch.cards;
  if (target.slug && number > 0 && number < wanted) {
    found.push({ code: "few-cards", message: `the slug launches on ${wanted} cards, the rig has ${number}`, remedy: "choose a slug for fewer cards" });
  }
  if (depth && !target.launch.drafter) {
    found.push({ code: "no-drafter", message: "the slug launches no drafter; cost and acceptance are those of other drafters", remedy: "leave --depth out, or set --acceptance" });
  }
  if (target.variant.inferred) {
    found.push({ code: "bytes-inferred", message: "the bytes of this variant are computed, not read from its file", remedy: "compare with the file's tensor table" });
  }
  return found;
}

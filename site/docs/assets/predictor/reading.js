// How fast a prompt is read, and how much context the cards hold: ports of models/prefill.py and models/ceiling.py.
import { freeMib } from "./placement.js";
import { short } from "./request.js";
import { bundlesOf } from "./setup.js";

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

const ubatchOf = (question, target) => question.request.ubatch || target.launch.ubatch || question.model.constants.ubatch;

/** Predict the prefill of the context asked about; null without a card. */
export function prefill(question, target, x) {
  const { model, request } = question;
  if (x.dense_on_cpu) return null;
  const { parameters: p, interval } = model.prefill;
  const ubatch = ubatchOf(question, target);
  const prompt = request.at_tokens || model.constants.prompt_tokens;
  const hostGb = (x.routed_gb / x.expert_share) * x.cpu_share;
  const stream = hostGb / (Math.min(ubatch, prompt) * p.stream_gbps);
  const compute = (x.routed_gweights + x.dense_gweights) / (p.gweights_per_gb * x.gpu_gbps);
  const speed = 1 / ((stream + compute) * (1 + (p.depth * (prompt / 2)) / 10_000));
  const [low, high] = interval[short(request.level)];
  return { tokens_per_s: speed, low: speed * Math.exp(low), high: speed * Math.exp(high), ttft_s: prompt / speed, prompt_tokens: prompt, ubatch };
}

/** The context that boots, and that survives a deep prefill; null without a card or a known cache size. */
export function ceiling(question, target, setup) {
  const { constants } = question.model;
  const { cards, placed } = setup;
  if (!cards.vram_gib.length || !target.variant.kv_mib_per_1k) return null;
  const ubatch = ubatchOf(question, target);
  const launch = setup.depth > 0 ? target.launch : { ...target.launch, drafter: null };
  const found = loads({ ...target, launch }, placed, cards, ubatch, constants);
  return {
    boots_tokens: most(target.variant, found, 0, ubatch, constants),
    survives_tokens: most(target.variant, found, constants.costs.margin_mib, ubatch, constants),
    ubatch,
  };
}

/** What each card holds before any context, and what a token of context adds. */
function loads(target, placed, cards, ubatch, constants) {
  const { variant } = target;
  const number = cards.vram_gib.length;
  const bundles = bundlesOf(variant);
  const byCard = placed.on_cards.map((blocks) => sum(blocks.map((block) => bundles.get(block))));
  const pinned = byCard.length ? byCard : Array(number).fill(placed.pinned_mib / number);
  const contexts = target.launch.drafter ? 2 : 1;
  const mask = (contexts * ubatch * constants.mask_bytes) / 2 ** 20;
  const perToken = mask + variant.kv_mib_per_1k / 1000 / number;
  const held = measured(target, number, ubatch, perToken) ?? derived(target, number, constants);
  return cards.vram_gib.map((gib, card) => ({
    free: freeMib(gib, constants),
    fixed: pinned[card] + held.each + held.first * Number(card === 0),
    perToken,
  }));
}

/** The slug's measured reserve less its context, where cards and batch are the slug's. */
function measured({ launch }, cards, ubatch, perToken) {
  const { residency } = launch;
  if (!residency || !launch.ctx || cards !== launch.cards || ubatch !== launch.ubatch) return null;
  const draft = launch.drafter ? residency.draft_mib : 0;
  return { each: Math.max(0, residency.reserve_mib + draft - launch.ctx * perToken), first: residency.first_card_extra_mib };
}

/** Dense weights, buffers and a drafter's context and weights. */
function derived({ launch, variant }, cards, constants) {
  const dense = variant.dense_gb / constants.gb_per_mib / cards;
  const { drafter } = launch;
  const weights = drafter && drafter.device !== "cpu" ? ((drafter.file_gib || 0) * 1024) / cards : 0;
  const draft = drafter ? constants.compute_mib + constants.first_decode_mib + weights : 0;
  return { each: dense + constants.compute_mib + constants.first_decode_mib + draft, first: constants.first_card_extra_mib };
}

/** The context that the fullest card still holds, at most what the model was made for. */
function most(variant, found, margin, ubatch, constants) {
  const grows = (margin * ubatch) / constants.margin_cells;
  const tokens = Math.min(...found.map(({ free, fixed, perToken }) => {
    const room = free - fixed;
    return Math.min((room - margin) / perToken, room / (perToken + grows));
  }));
  const whole = Math.max(0, Math.floor(Math.trunc(tokens) / constants.step_tokens) * constants.step_tokens);
  return variant.native_ctx ? Math.min(whole, variant.native_ctx) : whole;
}

/** Warn of a context that does not boot, or boots and dies on its first deep prefill. */
export function contextCautions(room, asked) {
  if (room === null || asked === null || asked <= room.survives_tokens) return [];
  const count = (tokens) => tokens.toLocaleString("en");
  const trap = asked <= room.boots_tokens;
  const what = trap ? "boots, but the first deep prefill may not fit" : "does not boot";
  return [{
    code: trap ? "ctx-first-prefill" : "ctx-does-not-boot",
    message: `context ${count(asked)} ${what}: about ${count(room.survives_tokens)} tokens survive at ubatch ${room.ubatch}`,
    remedy: "less --ctx or a smaller --ubatch",
  }];
}

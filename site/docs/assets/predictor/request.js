// What a person asks: a port of models/request.py. Whatever is null was not given.
import { Misuse } from "./model.js";

export const EMPTY = {
  triad_gbps: null, triad_method: null, channels: null, mts: null, cores: null, sockets: 1, threads: null, smt: null,
  cpu: null, ram_gib: null, gpus: [], vram_gib: null, slugs: [], model: null, quant: null, workload: "narrative",
  depth: null, acceptance: null, hit_rate: null, cpu_layers: null, at_tokens: 0, ctx_tokens: null, ubatch: null, mine: [], level: 0.8,
};

/** A number as Python's `:g` writes it. */
export const short = (value) => String(Number(value.toPrecision(6)));

const FLAGS = { triad_gbps: "triad", ram_gib: "ram", vram_gib: "vram", at_tokens: "at" };

/** The command-line flag that sets a field. */
export const flagOf = (field) => `--${(FLAGS[field] ?? field.replace(/_tokens$/, "")).replaceAll("_", "-")}`;

function outOfRange(request, ranges) {
  return Object.entries(ranges)
    .filter(([field, [low, high]]) => request[field] !== null && !(low <= request[field] && request[field] <= high))
    .map(([field, [low, high, unit]]) => ({
      field,
      text: `${flagOf(field)}: should be ${short(low)} to ${short(high)} ${unit}, got ${short(request[field])}`,
    }));
}

function contradictions(request, constants) {
  const wrong = [];
  if (!constants.levels.includes(request.level)) {
    wrong.push({ field: "level", text: `--level: should be one of 0.5, 0.8, 0.9, got ${short(request.level)}` });
  }
  if (request.triad_gbps === null && (request.channels === null || request.mts === null)) {
    wrong.push({ field: "triad_gbps", text: "give --triad GBPS, or --channels N with --mts N" });
  }
  if (request.cores === null && request.cpu === null) {
    wrong.push({ field: "cores", text: "give --cores N (physical), or --cpu NAME" });
  }
  for (const run of request.mine) {
    if (run.tokens_per_s > 0 && run.tokens_per_s < constants.fastest) continue;
    wrong.push({ field: "mine", text: `--mine: ${run.slug}: should be above 0 tokens/s, got ${short(run.tokens_per_s)}` });
  }
  if (request.gpus.some((gpu) => gpu.cards < 1)) wrong.push({ field: "gpus", text: "--gpu: a count should be 1 or more" });
  return wrong;
}

/** What is wrong with a request: a field and a line for each value that no rig can have. */
export const wrongs = (request, constants) => [...outOfRange(request, constants.ranges), ...contradictions(request, constants)];

/** Return the request, or throw. */
export function checked(request, constants) {
  const wrong = wrongs(request, constants);
  if (wrong.length) throw new Misuse(wrong.map((one) => one.text).join("\n"));
  return request;
}

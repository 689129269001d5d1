// The whole state of the page as its address: the keys are the flags of `predict`, so one turns into the other.
import { EMPTY } from "./request.js";

/** Flag → the field of the request that it sets, and whether that is a number. */
export const FIELDS = {
  cpu: ["cpu", false], sockets: ["sockets", true], cores: ["cores", true], threads: ["threads", true],
  "triad-method": ["triad_method", false], triad: ["triad_gbps", true], channels: ["channels", true], mts: ["mts", true],
  ram: ["ram_gib", true], vram: ["vram_gib", true], workload: ["workload", false], depth: ["depth", true],
  acceptance: ["acceptance", true], "hit-rate": ["hit_rate", true], "cpu-layers": ["cpu_layers", true],
  at: ["at_tokens", true], ctx: ["ctx_tokens", true], ubatch: ["ubatch", true], level: ["level", true],
};
const WHOLE = new Set(["sockets", "cores", "threads", "channels", "depth", "cpu-layers", "at", "ctx", "ubatch"]);

/** What stands in the form of somebody who just came: a rig to change. */
export const START = "cpu=AMD+Ryzen+9+9950X&cores=16&channels=2&mts=6000&ram=192";

/** Read cards of one kind: `RTX 3090x2`, `2x RTX 3090`, or a name alone; as ingest/hardware.py does. */
export function gpuOf(text) {
  const before = text.match(/^\s*(\d{1,2})\s*[x×*]\s*(\S.*)$/);
  if (before) return { name: before[2].trim(), cards: before[1] };
  const [, name, cards] = text.match(/^(.*\S)\s*[x×*]\s*(\d{1,3})\s*$/) ?? [null, text.trim(), "1"];
  return { name, cards };
}

function runOf(text) {
  const at = text.lastIndexOf("=");
  const [slug, workload = ""] = text.slice(0, Math.max(at, 0)).split(":");
  return { slug, workload, speed: text.slice(at + 1) };
}

function changesOf(text) {
  return text.split(",").filter(Boolean).map((part) => {
    const [key, ...rest] = part.split("=");
    return { key: key.trim(), value: rest.join("=") };
  });
}

/** Read the state of an address: texts as they stand in the form. */
export function stateOf(search) {
  const asked = new URLSearchParams(search.replace(/^\?/, "") || START);
  if (asked.get("threads") === "auto") asked.delete("threads");
  return {
    fields: Object.fromEntries(Object.keys(FIELDS).map((flag) => [flag, asked.get(flag) ?? ""])),
    gpus: asked.getAll("gpu").map(gpuOf),
    mine: asked.getAll("mine").map(runOf),
    changes: changesOf(asked.get("what-if") ?? ""),
    open: asked.get("open") ?? "",
    variants: asked.get("variants") === "1",
  };
}

const gpuText = (gpu) => (gpu.cards === "1" ? gpu.name : `${gpu.name}x${gpu.cards}`);
const runText = (run) => `${run.slug}${run.workload ? `:${run.workload}` : ""}=${run.speed}`;
const complete = {
  gpu: (gpu) => gpu.name !== "",
  run: (run) => run.slug !== "" && run.speed !== "",
  change: (change) => change.key !== "" && change.value !== "",
};

/** The flags of a state, in order: [flag, value]. */
export function flagsOf(state) {
  const changes = state.changes.filter(complete.change).map((one) => `${one.key}=${one.value}`);
  return [
    ...Object.entries(state.fields).filter(([, value]) => value !== ""),
    ...state.gpus.filter(complete.gpu).map((gpu) => ["gpu", gpuText(gpu)]),
    ...state.mine.filter(complete.run).map((run) => ["mine", runText(run)]),
    ...(changes.length ? [["what-if", changes.join(",")]] : []),
  ];
}

/** Write the address of a state. */
export function searchOf(state) {
  const kept = new URLSearchParams(flagsOf(state));
  if (state.variants) kept.append("variants", "1");
  if (state.open) kept.append("open", state.open);
  return kept.toString();
}

/** The what-if of a state as `predict --what-if` takes it. */
export const changeText = (state) => flagsOf(state).find(([flag]) => flag === "what-if")?.[1] ?? "";

function numberOf(flag, text) {
  const value = Number(text);
  if (Number.isNaN(value)) return `should be a number, got ${text}`;
  return WHOLE.has(flag) && !Number.isInteger(value) ? `should be a whole number, got ${text}` : value;
}

/** Turn a state into a request; `wrong` lists what is no number, by field. */
export function requestOf(state) {
  const request = { ...EMPTY };
  const wrong = [];
  for (const [flag, [field, numeric]] of Object.entries(FIELDS)) {
    const text = state.fields[flag];
    if (text === "") continue;
    const value = numeric ? numberOf(flag, text) : text;
    if (numeric && typeof value === "string") wrong.push({ field, text: value });
    else request[field] = value;
  }
  request.gpus = state.gpus.filter(complete.gpu).map(({ name, cards }) => ({ name, cards: Number(cards) || 0 }));
  request.mine = state.mine.filter(complete.run).map((run) => ({ slug: run.slug, tokens_per_s: Number(run.speed) || 0, workload: run.workload || null }));
  return { request, wrong };
}

const quoted = (value) => (/^[\w./:=,-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`);

/** The line for a shell that asks the same. */
export function commandOf(state, slug) {
  const flags = [...flagsOf(state), ...(slug ? [["slug", slug]] : [])];
  return ["predict", ...flags.flatMap(([flag, value]) => [`--${flag}`, quoted(value)])].join(" ");
}

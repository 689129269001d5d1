// What a change to the rig would do: a port of models/what_if.py.
import { estimate, questionOf, targetsOf } from "./estimate.js";
import { Misuse } from "./model.js";
import { checked, short } from "./request.js";
import { gpuOf } from "./state.js";

const WHOLE = /^\s*[+-]?\d+(_\d+)*\s*$/;

function valueOf(name, kind, text) {
  if (kind === "str") return text;
  if (kind === "cards") return text.split("+").map((one) => gpuOf(one.trim())).map((one) => ({ ...one, cards: Number(one.cards) }));
  const value = kind === "int" && !WHOLE.test(text) ? NaN : Number(text.replaceAll("_", ""));
  if (text.trim() === "" || Number.isNaN(value)) {
    throw new Misuse(`--what-if: ${name} should be ${kind === "int" ? "a whole number" : "a number"}, got '${text}'`);
  }
  return value;
}

/** Apply `triad=116,channels=8` to a request. */
export function changed(request, text, constants) {
  const changes = {};
  for (const part of text.split(",").map((one) => one.trim())) {
    const [name, ...rest] = part.split("=");
    if (!rest.length || !(name in constants.what_if)) {
      throw new Misuse(`--what-if: should be KEY=VALUE, a key of ${Object.keys(constants.what_if).join(", ")}; got '${part}'`);
    }
    const [field, kind] = constants.what_if[name];
    changes[field] = valueOf(name, kind, rest.join("="));
  }
  // What was said of the memory was said of the cards before.
  if ("gpus" in changes && !("vram_gib" in changes)) changes.vram_gib = null;
  return checked({ ...request, ...changes }, constants);
}

/** Compare two requests slug by slug, in the order of the targets: the ratio is surer than either speed. */
export function whatIf(model, request, other) {
  const { constants } = model;
  const before = questionOf(model, checked(request, constants));
  const after = questionOf(model, other);
  return targetsOf(request, model).map((target) => {
    const [first, second] = [estimate(before, target), estimate(after, target)];
    const step = Math.log(second.tokens_per_s / first.tokens_per_s);
    const fields = new Set([...Object.keys(first.known.doubts), ...Object.keys(second.known.doubts)]);
    const unlike = [...fields].reduce((sum, field) => sum + ((second.known.doubts[field] ?? 0) - (first.known.doubts[field] ?? 0)) ** 2, 0);
    const reach = constants.z[short(request.level)] * ((constants.slope_error * step) ** 2 + unlike) ** 0.5;
    return {
      slug: target.slug,
      model: first.known.model,
      quant: first.known.quant,
      before: first.tokens_per_s,
      after: second.tokens_per_s,
      ratio: Math.exp(step),
      low: Math.exp(step - reach),
      high: Math.exp(step + reach),
      // Beyond what Python publishes: for the page alone.
      fits_after: after.rig.ram_gib === null ? null : second.setup.host_ram_gib <= after.rig.ram_gib,
    };
  });
}

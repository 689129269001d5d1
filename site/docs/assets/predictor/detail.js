// One answer unfolded: where the time goes, what moves it, who measured it, how to launch it.
import { drafting, enoughThreads, sensitivity } from "./advice.js";
import { timeBar } from "./bars.js";
import { element, figure, percent, tenths } from "./dom.js";
import { ceiling, contextCautions, prefill } from "./reading.js";
import { commandOf } from "./state.js";

const LEVERS = {
  bandwidth: "RAM bandwidth", threads: "cores at work", "core speed": "core speed", "accepted tokens": "accepted tokens", "GPU bandwidth": "GPU bandwidth",
};
const BASIS = {
  measured: "a rig like this has been measured",
  interpolated: "rigs around this one have been measured",
  extrapolated: "no measured rig is near; trust the interval less",
};

const section = (title, ...children) => element("section", {}, element("h3", {}, title), ...children);
const list = (items) => element("ul", {}, ...items.map((item) => element("li", {}, item)));
const link = (href, words) => element("a", { href }, words);

/** Make the inside of an answer. `links` says where pages lie. */
export function detailOf(one, question, state, links) {
  const room = ceiling(question, one.target, one.setup);
  const warnings = [...one.warnings, ...contextCautions(room, question.request.ctx_tokens)];
  return element("div", { class: "inside" },
    warnings.length ? element("ul", { class: "warnings" }, ...warnings.map((warning) => element("li", {}, element("b", {}, `${warning.message}: `), warning.remedy))) : null,
    section("Where the time of a pass goes", timeBar(one),
      element("p", {}, `If only the limiting resource counted: ${tenths(one.wall_tokens_per_s)} tokens/s.`)),
    section("What would move it", moves(question, one)),
    section("Nearest measured rigs", near(one, links)),
    section("How it is run", run(one, question, room)),
    section("The same elsewhere", command(commandOf(state, one.slug)), one.slug ? command(planOf(one, state)) : null,
      one.slug ? element("p", {}, link(`${links.results}slugs/${one.slug}/`, "Every measurement of this slug")) : null));
}

/** What a tenth more of each input brings. */
function moves(question, one) {
  const found = Object.entries(sensitivity(question, one.target, 1.1)).filter(([, factor]) => Math.abs(factor - 1) >= 0.0005);
  found.sort((a, b) => b[1] - a[1]);
  const signed = (factor) => `${factor < 1 ? "−" : "+"}${(Math.abs(factor - 1) * 100).toFixed(1)} %`;
  return list(found.map(([lever, factor]) => element("span", {}, `+10 % ${LEVERS[lever]} gives `, element("b", {}, signed(factor)))));
}

function near(one, links) {
  const address = (url) => (/^https?:/.test(url) ? url : `https://${url}`);
  const rig = (name) => (links.rigs[name] ? link(`${links.results}${links.rigs[name]}/`, name) : name);
  return element("div", {},
    list(one.nearest.map((found) => element("span", {}, rig(found.rig), `: ${tenths(found.tokens_per_s)} tokens/s, distance ${found.distance.toFixed(2)}, `,
      element("a", { href: address(found.url), rel: "nofollow noopener ugc" }, "source")))),
    element("p", {}, `${BASIS[one.basis]}; ${one.rows} own rows of ${one.rigs} ${one.rigs === 1 ? "rig" : "rigs"}. A distance of 1 is a factor of 2.7 in one input.`));
}

function run(one, question, room) {
  const [fewest, most] = enoughThreads(question, one.target);
  const plan = drafting(question, one.target);
  const read = prefill(question, one.target, one.setup.inputs);
  const facts = [
    `${one.threads} threads; ${fewest === most ? fewest : `${fewest} to ${most}`} come within 3 % of the best`,
    `experts of ${one.layers_on_cpu} of ${one.target.variant.moe_layers} layers in RAM${onCards(one)}`,
    one.depth ? `${figure(one.tokens_per_pass)} tokens a pass: ${one.depth} drafted, ${percent(one.acceptance)} accepted` : "no drafter: one token a pass",
    one.hit_rate === null ? null : `expert cache on the GPU serves ${percent(one.hit_rate)} of the experts`,
    plan ? draftingWords(plan) : null,
    read ? readingWords(read) : null,
    room ? roomWords(room) : null,
    one.own_run_factor === null ? null : `your own measurement moves this by ×${one.own_run_factor.toFixed(2)}`,
  ];
  return list(facts.filter(Boolean));
}

const whole = (value) => value.toLocaleString("en", { maximumFractionDigits: 0 });

function readingWords(read) {
  return `reads a prompt of ${whole(read.prompt_tokens)} tokens at ${whole(read.tokens_per_s)} tokens/s (${whole(read.low)}–${whole(read.high)}): first token after ${figure(read.ttft_s)} s`;
}

function onCards(one) {
  const cards = one.setup.placed.on_cards.map((blocks, card) => (blocks.length ? `card ${card}: layers ${ranges(blocks)}` : null)).filter(Boolean);
  return cards.length ? `; ${cards.join("; ")}` : "";
}

/** Write block numbers as ranges: 3–6, 9. */
function ranges(blocks) {
  const found = [];
  for (const block of [...blocks].sort((a, b) => a - b)) {
    if (found.length && found.at(-1)[1] === block - 1) found.at(-1)[1] = block;
    else found.push([block, block]);
  }
  return found.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(", ");
}

/** How much context the cards leave room for. */
function roomWords(room) {
  if (!room.boots_tokens) return "context: none boots, what is placed on the cards fills them; place less there";
  return `context: up to ${whole(room.boots_tokens)} tokens boot, ${whole(room.survives_tokens)} survive a deep first prompt`;
}

function draftingWords(plan) {
  const pays = plan.pays_above === null ? "pays at no acceptance" : `pays above ${percent(plan.pays_above)} accepted`;
  return `fastest at depth ${plan.best_depth} (${tenths(plan.tokens_per_s[plan.best_depth])} tokens/s), without a drafter ${tenths(plan.tokens_per_s[0])}; depth ${plan.depth} ${pays}`;
}

/** The line that writes the launch line, with the same placement. */
function planOf(one, state) {
  const { ram, depth, ctx, threads } = state.fields;
  const flags = { slug: one.slug, ram, depth, ctx, threads };
  const gpus = state.gpus.filter((gpu) => gpu.name && gpu.name !== "none").map((gpu) => ` --gpu '${gpu.name.replaceAll("'", "")}x${gpu.cards}'`);
  return `rigbook plan${Object.entries(flags).filter(([, value]) => value !== "").map(([flag, value]) => ` --${flag} ${value}`).join("")}${gpus.join("")}`;
}

function command(words) {
  const copy = element("button", { type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(words);
    copy.textContent = "Copied";
  });
  return element("div", { class: "command" }, element("code", {}, words), copy);
}

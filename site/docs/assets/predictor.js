// The predictor page: a form, the address, and the answers, all of one state. Needs no network once loaded.
import { variantTargets, ownRuns, questionOf } from "./predictor/estimate.js";
import { detailOf } from "./predictor/detail.js";
import { element, tenths } from "./predictor/dom.js";
import { Form } from "./predictor/form.js";
import { Misuse, unpack } from "./predictor/model.js";
import { find } from "./predictor/names.js";
import { answer, predict } from "./predictor/predict.js";
import { nameOf, Ranking } from "./predictor/ranking.js";
import { wrongs } from "./predictor/request.js";
import { changeText, requestOf, searchOf, stateOf } from "./predictor/state.js";
import { changed, whatIf } from "./predictor/what-if.js";

const ADDRESS_MS = 150;

class Predictor {
  constructor(root, model) {
    this.model = model;
    this.links = { results: root.dataset.results, rigs: model.rig_pages };
    this.state = stateOf(location.search);
    this.told = element("p", { role: "status", class: "told" });
    this.ranking = new Ranking((one) => detailOf(one, this.question, this.state, this.links), (key, open) => this.opened(key, open));
    this.form = new Form(model, this.state, () => this.update());
    this.more = element("input", { type: "checkbox", id: "variants" });
    this.more.addEventListener("change", () => { this.state.variants = this.more.checked; this.update(); });
    const toggle = element("p", { class: "more" }, this.more, element("label", { for: "variants" }, "also weights that no slug launches, on one 24 GB card"));
    root.replaceChildren(this.form.root, this.told, element("div", { class: "answers" }, element("h2", {}, "All answers, best first"), this.ranking.root, toggle));
    addEventListener("popstate", () => this.reset());
    this.show();
  }

  reset() {
    this.state = stateOf(location.search);
    this.form.state = this.state;
    this.form.build();
    this.show();
  }

  update() {
    this.keep();
    this.show();
  }

  /** Write the address once the typing rests: browsers limit how often it may change. */
  keep() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => history.replaceState(null, "", `?${searchOf(this.state)}${location.hash}`), ADDRESS_MS);
  }

  opened(key, open) {
    if (open) this.state.open = key;
    else if (this.state.open === key) this.state.open = "";
    else return;
    this.keep();
  }

  /** Ask the model; what is wrong goes to its field, and the answers before stay, dimmed. */
  show() {
    const start = performance.now();
    const { request, wrong } = requestOf(this.state);
    const cpu = request.cpu === null ? null : find(this.model.cpus, request.cpu);
    this.form.hint(cpu);
    this.more.checked = this.state.variants;
    const complaints = [...wrong, ...wrongs(request, this.model.constants), ...this.unknown(request, cpu)];
    const left = this.form.complain(complaints);
    if (!complaints.length) this.ask(request);
    else this.ranking.root.classList.add("stale");
    if (complaints.length) this.told.textContent = `Not a rig yet: ${(left[0] ?? complaints[0]).text}`;
    this.told.dataset.ms = (performance.now() - start).toFixed(2);
  }

  unknown(request, cpu) {
    const cards = request.gpus.filter((gpu) => gpu.name.toLowerCase() !== "none" && !find(this.model.gpus, gpu.name));
    return [
      ...(request.cpu !== null && !cpu ? [{ field: "cpu", text: "no one processor of the catalogue has this name; leave it out, or choose one" }] : []),
      ...cards.map((gpu) => ({ field: "gpus", text: `no one card of the catalogue is named ${gpu.name}` })),
      ...request.mine.filter((run) => !this.model.slugs.has(run.slug)).map((run) => ({ field: "mine", text: `no slug ${run.slug}` })),
    ];
  }

  ask(request) {
    let part = "other";
    try {
      this.question = questionOf(this.model, request);
      const answers = [...predict(this.model, request), ...this.unlaunched(request)].sort((a, b) => b.tokens_per_s - a.tokens_per_s);
      part = "changes";
      this.ranking.show(answers, { open: this.state.open, ram: request.ram_gib, changes: this.changes(request), stale: false });
      this.told.textContent = this.words(answers);
    } catch (error) {
      if (!(error instanceof Misuse)) throw error;
      this.ranking.root.classList.add("stale");
      this.form.complain([{ field: part, text: error.message }]);
      this.told.textContent = part === "changes" ? `What if: ${error.message}` : error.message;
    }
  }

  /** Weights that have no slug, as they would run. */
  unlaunched(request) {
    if (!this.state.variants) return [];
    const launched = new Set([...this.model.slugs.values()].map((slug) => `${slug.model}/${slug.quant}`));
    const own = ownRuns(this.question);
    return variantTargets({ ...request, model: null, quant: null }, this.model)
      .filter(({ variant }) => !launched.has(`${variant.model}/${variant.quant}`) && (request.cpu_layers ?? 0) <= variant.moe_layers)
      .map((target) => answer(this.question, target, own));
  }

  changes(request) {
    const text = changeText(this.state);
    if (!text) return new Map();
    // A change answers for both: the lines of the form are checked here.
    const other = changed(request, text, this.model.constants);
    return new Map(whatIf(this.model, request, other).map((one) => [one.slug, one]));
  }

  words(answers) {
    const fitting = answers.filter((one) => one.fits !== false);
    if (!fitting.length) return `None of ${answers.length} fits in the RAM.`;
    const [best] = fitting;
    const count = best.fits === null ? `${answers.length} answers` : `${fitting.length} of ${answers.length} fit`;
    return `${count}; fastest: ${nameOf(best)}, ${tenths(best.tokens_per_s)} tokens/s (${tenths(best.low)}–${tenths(best.high)}).`;
  }
}

async function start(root) {
  const got = await fetch(root.dataset.model);
  if (!got.ok) throw new Error(`${root.dataset.model}: ${got.status}`);
  new Predictor(root, unpack(await got.json()));
}

const root = document.getElementById("predictor");
start(root).catch((error) => {
  root.textContent = `The model could not be loaded (${error.message}). The command \`predict\` answers the same, see below.`;
  root.classList.add("failed");
  console.error(error);
});

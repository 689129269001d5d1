// The form: fields by group, each with what is wrong with it below. It changes a state and tells of it.
import { element } from "./dom.js";
import { find } from "./names.js";
import { FIELDS } from "./state.js";

const NUMBERS = {
  triad: ["Bandwidth", "GB/s", "all channels and sockets"],
  channels: ["Memory channels", "", "that hold modules"],
  mts: ["Transfer rate", "MT/s", "as configured"],
  cores: ["Cores", "", "physical, all sockets"],
  sockets: ["Sockets", "", "1"],
  threads: ["Threads", "", "the fewest that are enough"],
  ram: ["RAM", "GiB", "to see what fits"],
  vram: ["VRAM", "GiB", "all cards, if not as listed"],
  at: ["Context filled", "tokens", "0"],
  ctx: ["Context allocated", "tokens", "the slug's own"],
  ubatch: ["Physical batch", "tokens", "the slug's own"],
  depth: ["Drafted tokens", "a pass", "the slug's; 0 = no drafter"],
  acceptance: ["Acceptance", "share", "of drafted tokens, 0 to 1"],
  "hit-rate": ["Expert cache hits", "share", "0 = no cache"],
  "cpu-layers": ["Layers in RAM", "", "as the slug places them"],
};
/** Flag → label, unit, what stands for it where nothing is given. */

const CHANGES = {
  gpu: "Cards, e.g. RTX 3090x4", triad: "Bandwidth, GB/s", channels: "Memory channels", mts: "Transfer rate, MT/s", ram: "RAM, GiB", cpu: "Processor",
  cores: "Cores", sockets: "Sockets", threads: "Threads", vram: "VRAM, GiB", depth: "Drafted tokens", acceptance: "Acceptance",
  "hit-rate": "Expert cache hits", "cpu-layers": "Layers in RAM", at: "Context filled", ctx: "Context allocated", workload: "Workload",
};

const WORKLOADS = [["", "narrative"], ["code", "code"], ["other", "other, mixed"]];
const LEVELS = [["0.5", "1 rig in 2"], ["", "4 rigs in 5"], ["0.9", "9 rigs in 10"]];

const options = (pairs) => pairs.map(([value, label]) => element("option", { value }, label));
const listOf = (id, table) => element("datalist", { id }, [...table.values()].map((one) => element("option", { value: one.name })));

export class Form {
  /** `changed` is called with every change of the state. */
  constructor(model, state, changed) {
    this.model = model;
    this.state = state;
    this.changed = changed;
    this.inputs = new Map();
    this.root = element("form", { class: "ask", novalidate: true, "aria-label": "Your rig" });
    this.root.addEventListener("submit", (event) => event.preventDefault());
    this.build();
  }

  build() {
    this.inputs.clear();
    this.fill = element("p", { class: "hint", id: "cpu-hint" });
    this.root.replaceChildren(
      listOf("cpus", this.model.cpus),
      element("datalist", { id: "gpus" }, element("option", { value: "none" }), ...listOf("", this.model.gpus).children),
      this.group("Processor and memory", this.cpu(), this.fill, ...this.numbers("cores", "sockets"), this.method(), ...this.numbers("triad", "channels", "mts", "ram")),
      this.group("Graphics cards", this.repeated("gpus", { name: "", cards: "1" }, (one) => this.gpu(one), "Add a kind of card")),
      this.folded("The run", ["workload", "depth", "acceptance", "hit-rate", "at", "ctx", "ubatch", "threads", "cpu-layers", "vram", "level"],
        this.select("workload", "Workload", WORKLOADS), this.select("level", "Interval holds", LEVELS),
        ...this.numbers("threads", "depth", "acceptance", "hit-rate", "at", "ctx", "ubatch", "cpu-layers", "vram")),
      this.folded("My own measurement", ["mine"], element("p", { class: "hint" }, "A speed that you measured on this rig moves all answers and narrows them."),
        this.repeated("mine", { slug: "", workload: "", speed: "" }, (one) => this.run(one), "Add a measurement")),
      this.folded("What if …", ["changes"], element("p", { class: "hint" }, "A change to the rig; each answer then shows both speeds."),
        this.repeated("changes", { key: "channels", value: "" }, (one) => this.change(one), "Add a change")),
    );
    this.adapt();
  }

  group(title, ...children) {
    return element("fieldset", {}, element("legend", {}, title), element("div", { class: "fields" }, ...children));
  }

  /** A group that is folded while nothing in it is set. */
  folded(title, names, ...children) {
    const set = names.some((name) => (name in FIELDS ? this.state.fields[name] !== "" : this.state[name].length));
    return element("details", { class: "group", open: set }, element("summary", {}, title), element("div", { class: "fields" }, ...children));
  }

  /** A labelled input with its place for what is wrong. */
  labelled(key, label, unit, input) {
    const wrong = element("span", { class: "wrong", id: `wrong-${key}`, hidden: true });
    input.id = `ask-${key}`;
    input.setAttribute("aria-describedby", [input.getAttribute("aria-describedby"), wrong.id].filter(Boolean).join(" "));
    this.inputs.set(key, { input, wrong });
    return element("div", { class: "field" }, element("label", { for: input.id }, label, unit ? element("small", {}, ` ${unit}`) : null), input, wrong);
  }

  text(flag, value, set, attributes) {
    const input = element("input", { autocomplete: "off", ...attributes });
    input.value = value;
    input.addEventListener("input", () => { set(input.value.trim()); this.tell(); });
    return input;
  }

  numbers(...flags) {
    return flags.map((flag) => {
      const [label, unit, placeholder] = NUMBERS[flag];
      const input = this.text(flag, this.state.fields[flag], (value) => { this.state.fields[flag] = value; }, { inputmode: "decimal", placeholder, name: flag });
      return this.labelled(flag, label, unit, input);
    });
  }

  select(flag, label, pairs) {
    const known = pairs.some(([value]) => value === this.state.fields[flag]);
    const select = element("select", { name: flag }, ...options(known ? pairs : [...pairs, [this.state.fields[flag], this.state.fields[flag]]]));
    select.value = this.state.fields[flag];
    select.addEventListener("change", () => { this.state.fields[flag] = select.value; this.tell(); });
    return this.labelled(flag, label, "", select);
  }

  cpu() {
    const input = this.text("cpu", this.state.fields.cpu, (value) => { this.state.fields.cpu = value; this.fillFrom(value); }, { list: "cpus", placeholder: "e.g. EPYC 7543", name: "cpu", "aria-describedby": "cpu-hint" });
    const field = this.labelled("cpu", "Processor", "", input);
    field.classList.add("wide");
    return field;
  }

  /** A processor of the catalogue fills cores, channels and transfer rate. */
  fillFrom(name) {
    const cpu = name === "" ? null : find(this.model.cpus, name);
    if (!cpu || cpu === this.filled) return;
    this.filled = cpu;
    const sockets = Number(this.state.fields.sockets) || 1;
    this.set("cores", cpu.cores ? cpu.cores * sockets : "");
    this.set("channels", cpu.channels ? cpu.channels * sockets : "");
    this.set("mts", cpu.mts_max ?? "");
  }

  set(flag, value) {
    this.state.fields[flag] = String(value);
    this.inputs.get(flag).input.value = this.state.fields[flag];
  }

  method() {
    const measured = Object.entries(this.model.methods).filter(([id]) => !id.startsWith("rated-"));
    const label = (id) => `${id}: ${this.model.told[id] ?? "measured"}`;
    const pairs = [["", "not measured: channels × MT/s"], ["?", "measured, program unknown"], ...measured.map(([id]) => [id, label(id)])];
    const select = element("select", { name: "triad-method" }, ...options(pairs));
    const { fields } = this.state;
    select.value = fields.triad === "" && !this.measuring ? "" : fields["triad-method"] || "?";
    select.addEventListener("change", () => {
      this.measuring = select.value !== "";
      fields["triad-method"] = ["", "?"].includes(select.value) ? "" : select.value;
      if (!this.measuring) this.set("triad", "");
      this.adapt();
      this.tell();
    });
    this.measuring = select.value !== "";
    const field = this.labelled("triad-method", "Memory bandwidth", "", select);
    field.classList.add("wide");
    return field;
  }

  /** The figure is asked for where it was measured. */
  adapt() {
    this.inputs.get("triad").input.closest(".field").hidden = !this.measuring;
  }

  /** A list of rows, with buttons to add and to remove one. */
  repeated(name, empty, row, label) {
    const rows = this.state[name];
    const rebuild = (focus) => {
      const fresh = this.repeated(name, empty, row, label);
      box.replaceWith(fresh);
      this.tell();
      (fresh.querySelectorAll(".row")[focus]?.querySelector("input, select") ?? fresh.querySelector(".add")).focus();
    };
    const lines = rows.map((one, index) => {
      const remove = element("button", { type: "button", class: "remove", "aria-label": "Remove", title: "Remove" }, "×");
      remove.addEventListener("click", () => { rows.splice(index, 1); rebuild(index - 1); });
      return element("div", { class: "row" }, ...row(one), remove);
    });
    const add = element("button", { type: "button", class: "add" }, label);
    add.addEventListener("click", () => { rows.push({ ...empty }); rebuild(rows.length - 1); });
    const wrong = element("span", { class: "wrong", hidden: true });
    const box = element("div", { class: "rows wide" }, ...lines, add, wrong);
    this.inputs.set(name, { input: box, wrong });
    return box;
  }

  gpu(one) {
    return [
      this.text("gpu", one.name, (value) => { one.name = value; }, { list: "gpus", placeholder: "e.g. RTX 3090, or none", "aria-label": "Card", class: "long" }),
      this.text("cards", one.cards, (value) => { one.cards = value; }, { inputmode: "numeric", "aria-label": "Number of cards", class: "short" }),
    ];
  }

  run(one) {
    const slug = this.choice(one, "slug", "Slug measured", [["", "choose a slug"], ...[...this.model.slugs.keys()].map((id) => [id, id])]);
    slug.classList.add("long");
    return [slug, this.text("mine", one.speed, (value) => { one.speed = value; }, { inputmode: "decimal", placeholder: "tokens/s", "aria-label": "Tokens per second", class: "short" }),
      this.choice(one, "workload", "Workload measured", [["", "as asked"], ["narrative", "narrative"], ["code", "code"]])];
  }

  change(one) {
    return [
      this.choice(one, "key", "What changes", Object.keys(this.model.constants.what_if).map((key) => [key, CHANGES[key] ?? key])),
      this.text("what-if", one.value, (value) => { one.value = value; }, { placeholder: "new value", "aria-label": "New value", class: "middle" }),
    ];
  }

  choice(one, key, label, pairs) {
    const select = element("select", { "aria-label": label }, ...options(pairs));
    select.value = one[key];
    select.addEventListener("change", () => { one[key] = select.value; this.tell(); });
    return select;
  }

  tell() {
    this.changed(this.state);
  }

  /** Show what is wrong at its field; returns what belongs to no field. */
  complain(wrongs) {
    for (const { input, wrong } of this.inputs.values()) {
      wrong.hidden = true;
      wrong.textContent = "";
      input.removeAttribute("aria-invalid");
    }
    return wrongs.filter(({ field, text }) => {
      const flag = Object.keys(FIELDS).find((one) => FIELDS[one][0] === field) ?? field;
      const place = this.inputs.get(flag);
      if (!place) return true;
      place.wrong.textContent = text.replace(/^--[\w-]+: /, "");
      place.wrong.hidden = false;
      place.input.setAttribute("aria-invalid", "true");
      return false;
    });
  }

  /** Say what the catalogue knows of the processor. */
  hint(cpu) {
    this.fill.textContent = cpu ? `${cpu.name}: ${cpu.cores} cores, ${cpu.channels ?? "?"} channels, up to ${cpu.mts_max ?? "?"} MT/s a socket` : "";
  }
}

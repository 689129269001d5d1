// The compare page: rates of two to four rigs side by side, or the fields that forbid it.
// The fields come with the rows; the rule is ingest/comparable.py's, and a test holds both together.
// Everything is set as text, never as markup.
"use strict";

const SLOTS = 4;
const FACTS = ["Processor", "Cores", "Memory", "Bandwidth", "Cards"];
const UNKNOWN = "unknown";

/** Rows as objects, from columns of distinct values and an index a row. */
function unpackColumns(document_) {
  const names = Object.keys(document_.columns);
  return Array.from({ length: document_.rows }, (_, at) =>
    Object.fromEntries(names.map((name) => {
      const { values, index } = document_.columns[name];
      return [name, values[index[at]]];
    })));
}

function shownField(value) {
  if (value === true) return "on";
  if (value === false) return "off";
  return value === null || value === undefined ? UNKNOWN : String(value);
}

/** Whether rows may stand side by side: the fields that forbid it, those let pass, and doubts. */
function guard(rows, { strict, told, within }, anyway = []) {
  const differing = [...strict, ...told]
    .map((field) => ({ field, values: rows.map((row) => shownField(row[field])) }))
    .filter(({ values }) => new Set(values).size > 1);
  const twoTold = (values) => new Set(values.filter((value) => value !== UNKNOWN)).size > 1;
  const alike = (field, values) => [...grouped(values.map((value, at) => [value, rows[at][within[field]]]), ([, kind]) => shownField(kind)).values()];
  const forbids = ({ field, values }) => strict.includes(field)
    || (within[field] ? alike(field, values).some((some) => twoTold(some.map(([value]) => value))) : twoTold(values));
  const refused = differing.filter((one) => forbids(one) && !anyway.includes(one.field));
  const overridden = refused.length ? [] : differing.filter(forbids);
  return { refused, overridden, doubts: differing.filter((one) => !forbids(one)) };
}

const toldDifference = ({ field, values }) => `${field.replaceAll("_", " ")}: ${values.join(" / ")}`;

function grouped(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return groups;
}

const fastest = (rows) => rows.reduce((best, row) => (row.central > best.central ? row : best));

/** One line a thing served, quantity and set of strict fields that two or more chosen rigs share. */
function linesOf(rows, chosen, fields, anyway = []) {
  const lines = [];
  for (const alike of grouped(rows, (row) => JSON.stringify([row.served, row.quantity, row.workload])).values()) {
    const bySlot = (some) => chosen.map((slot) => some.filter((row) => row.state === slot || row.rig === slot));
    const shared = [...grouped(alike, (row) => JSON.stringify(fields.strict.map((field) => row[field]))).values()]
      .map(bySlot).filter((slots) => slots.filter((some) => some.length).length > 1);
    const whole = bySlot(alike);
    const both = whole.filter((some) => some.length).length > 1;
    for (const slots of shared.length ? shared : both ? [whole] : []) {
      const picked = slots.map((some) => (some.length ? fastest(some) : null));
      lines.push({ picked, counts: slots.map((some) => some.length), ...guard(picked.filter(Boolean), fields, anyway) });
    }
  }
  return lines.sort((a, b) => Boolean(a.refused.length) - Boolean(b.refused.length));
}

function made(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function frameOf(caption, head, lines) {
  const table = made("table", { class: "data" }, made("caption", {}, caption),
    made("thead", {}, made("tr", {}, ...head)), made("tbody", {}, ...lines));
  return made("div", { class: "frame", role: "group", tabindex: "0", "aria-label": caption }, table);
}

const digits = (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 });

class Comparer {
  constructor(root, document_) {
    this.root = root;
    this.fields = document_;
    this.told = document_.told;
    this.states = new Map(document_.states.map((state) => [state.id, state]));
    this.rows = unpackColumns(document_).map((row) => ({ ...row, rig: this.states.get(row.state).rig }));
    this.names = this.choices();
    this.restore();
    window.addEventListener("popstate", () => this.restore());
  }

  /** Id → what the visitor reads: every state, and a rig as a whole where it has several. */
  choices() {
    const names = new Map();
    for (const states of grouped(this.states.values(), (state) => state.rig).values()) {
      const [first] = states;
      if (states.length > 1) names.set(first.rig, `${first.label}, all states [${first.rig}]`);
      for (const state of states) names.set(state.id, `${state.label}, ${state.state} [${state.id}]`);
    }
    return names;
  }

  restore() {
    const search = new URLSearchParams(location.search);
    const asked = search.getAll("rig");
    this.anyway = search.getAll("anyway").filter((field) => this.told.includes(field));
    this.chosen = asked.filter((id) => this.names.has(id)).slice(0, SLOTS);
    this.lost = asked.filter((id) => !this.names.has(id));
    this.build();
    this.show();
  }

  build() {
    const byName = new Map([...this.names].map(([id, name]) => [name, id]));
    const list = made("datalist", { id: "rigs" }, ...[...byName.keys()].sort().map((value) => made("option", { value })));
    const boxes = Array.from({ length: SLOTS }, (_, at) => {
      const box = made("input", { type: "search", list: "rigs", "aria-label": `Rig ${at + 1}`, placeholder: `Rig ${at + 1}${at < 2 ? "" : " (if you like)"}` });
      box.value = this.names.get(this.chosen[at]) ?? "";
      return box;
    });
    const ticks = this.told.map((field) => {
      const tick = made("input", { type: "checkbox" });
      tick.checked = this.anyway.includes(field);
      return tick;
    });
    const labels = this.told.map((field, at) => made("label", {}, ticks[at], ` ${field.replaceAll("_", " ")}`));
    const passes = made("fieldset", { class: "tools" }, made("legend", {}, "May differ, and is marked:"), ...labels);
    this.told_ = made("p", { role: "status" });
    this.out = made("div");
    const change = () => {
      this.chosen = [...new Set(boxes.map((box) => byName.get(box.value)).filter(Boolean))];
      this.lost = [];
      this.anyway = this.told.filter((field, at) => ticks[at].checked);
      const asked = [...this.chosen.map((id) => ["rig", id]), ...this.anyway.map((field) => ["anyway", field])];
      const search = asked.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
      history.replaceState(null, "", search ? `?${search}` : location.pathname);
      this.show();
    };
    for (const control of [...boxes, ...ticks]) control.addEventListener("change", change);
    this.root.replaceChildren(made("div", { class: "tools picks" }, ...boxes), passes, list, this.told_, this.out);
  }

  show() {
    const lost = this.lost.length ? ` Not in the record: ${this.lost.join(", ")}.` : "";
    if (this.chosen.length < 2) {
      this.told_.textContent = `Choose two rigs or more; type a part of a name.${lost}`;
      this.out.replaceChildren();
      return;
    }
    const lines = linesOf(this.rows, this.chosen, this.fields, this.anyway);
    const refused = lines.filter((line) => line.refused.length);
    const fine = lines.filter((line) => !line.refused.length);
    this.told_.textContent = `${fine.length} rates side by side, ${refused.length} refused.${lost}`;
    this.out.replaceChildren(this.hardware(), ...(fine.length ? [this.rates(fine)] : []), ...(refused.length ? [this.refusals(refused)] : []));
    if (!lines.length) this.out.append(made("p", { class: "missing" }, "These rigs have no served model, quantity and workload in common."));
  }

  head(first) {
    const one = (id) => {
      const state = this.states.get(id) ?? [...this.states.values()].find((known) => known.rig === id);
      const small = made("small", {}, this.states.has(id) ? state.state : "all states");
      return made("th", { scope: "col" }, made("a", { href: `${this.root.dataset.results}${state.page}/` }, state.label), " ", small);
    };
    return [made("th", { scope: "col" }, first), ...this.chosen.map(one)];
  }

  hardware() {
    const told = (id, fact) => {
      const states = this.states.has(id) ? [this.states.get(id)] : [...this.states.values()].filter((state) => state.rig === id);
      return [...new Set(states.map((state) => state[fact]).filter((value) => value !== null))].join("; ") || "–";
    };
    const lines = FACTS.map((fact) => made("tr", {}, made("th", { scope: "row" }, fact), ...this.chosen.map((id) => made("td", {}, told(id, fact)))));
    return frameOf("The rigs", this.head(""), lines);
  }

  what({ picked }) {
    const row = picked.find(Boolean);
    const words = [row.quantity, row.workload, row.protocol, row.context_tokens && `${row.context_tokens.toLocaleString("en")} tokens of context`, row.nominal_tokens && `prompt of ${row.nominal_tokens.toLocaleString("en")}`, row.streams > 1 && `${row.streams} streams`];
    return made("th", { scope: "row" }, row.served ?? "not mapped yet", made("small", {}, words.filter(Boolean).join(", ")));
  }

  rates(lines) {
    const cell = (row, first, count) => {
      if (!row) return made("td", {}, "–");
      const ratio = row === first || !first.central ? "" : `× ${digits(row.central / first.central)}`;
      const notes = [ratio, count > 1 ? `best of ${count}` : "", row.n ? `n ${row.n}` : ""].filter(Boolean).join(", ");
      return made("td", {}, made("b", {}, digits(row.central)), ` ${row.unit}`, made("small", {}, notes));
    };
    const line = (one) => {
      const first = one.picked.find(Boolean);
      const marks = [...one.overridden.map((field) => `⚑ ${toldDifference(field)}`), ...one.doubts.map(toldDifference)];
      const doubts = made("td", {}, marks.join("; ") || "–");
      return made("tr", one.overridden.length ? { class: "doubtful" } : {}, this.what(one), ...one.picked.map((row, at) => cell(row, first, one.counts[at])), doubts);
    };
    const head = [...this.head("Served and measured"), made("th", { scope: "col" }, "Not alike ⚑, or told by some only")];
    return frameOf("Side by side; ratios are to the first rate of a line", head, lines.map(line));
  }

  refusals(lines) {
    const line = (one) => {
      const row = one.picked.find(Boolean);
      const head = made("th", { scope: "row" }, row.served ?? "not mapped yet", made("small", {}, [row.quantity, row.workload].filter(Boolean).join(", ")));
      return made("tr", {}, head, made("td", { class: "wide" }, one.refused.map(toldDifference).join("; ")));
    };
    const head = ["Served and measured", "Differs in"].map((words) => made("th", { scope: "col" }, words));
    return frameOf("Refused: these must not be compared", head, lines.map(line));
  }
}

async function start(root) {
  root.textContent = "Loading the rates…";
  const answer = await fetch(root.dataset.rows);
  if (!answer.ok) throw new Error(`${root.dataset.rows}: ${answer.status}`);
  new Comparer(root, await answer.json());
}

// After tables.js, which would add its tools to these tables; both are deferred.
document.addEventListener("DOMContentLoaded", () => {
  const root = document.getElementById("compare");
  start(root).catch((error) => { root.textContent = `The rates could not be loaded (${error.message}). The data page has them all.`; });
});

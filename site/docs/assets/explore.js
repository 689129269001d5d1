// The explore page: one compact file of rows, filtered, sorted and exported in the page.
// Everything is set as text, never as markup; csvCell and compare are tables.js's.
"use strict";

const FACETS = ["quantity", "protocol", "workload", "model", "engine", "method", "status"];
const SHOWN = [
  ["rig", "Rig"], ["served", "Served"], ["value", "Value"], ["unit", "Unit"], ["quantity", "Quantity"], ["workload", "Workload"],
  ["protocol", "Protocol"], ["n", "n"], ["context_tokens", "Context"], ["gbps", "GB/s"], ["method", "by"],
  ["cpu", "Processor"], ["cards", "Cards"], ["threads", "Threads"], ["drafter", "Drafter"], ["status", "Status"], ["author", "Source"],
];
const NUMERIC = new Set(["value", "n", "context_tokens", "gbps", "threads"]);
const PAGE_ROWS = 100;

/** Rows as objects, each with one text to search in and a central value to sort by. */
function unpack(document_) {
  return document_.rows.map((cells) => {
    const row = Object.fromEntries(document_.columns.map((name, index) => [name, cells[index]]));
    row.central = row.value ?? (row.low !== null && row.high !== null ? (row.low + row.high) / 2 : row.low ?? row.high);
    row.text = cells.filter((cell) => typeof cell === "string").join(" ").toLowerCase();
    return row;
  });
}

/** What is chosen, from the address: text, facets, sort column and page. */
function stateOf(search) {
  const asked = new URLSearchParams(search);
  const facets = Object.fromEntries(FACETS.map((name) => [name, asked.get(name) ?? ""]));
  return { words: asked.get("words") ?? "", facets, sort: asked.get("sort") ?? "", down: asked.get("down") === "1", page: Math.max(0, Number(asked.get("page")) || 0) };
}

function searchOf(state) {
  const kept = new URLSearchParams();
  if (state.words) kept.set("words", state.words);
  for (const name of FACETS) if (state.facets[name]) kept.set(name, state.facets[name]);
  if (state.sort) kept.set("sort", state.sort);
  if (state.sort && state.down) kept.set("down", "1");
  if (state.page) kept.set("page", String(state.page));
  return kept.toString();
}

function chosen(rows, state) {
  const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
  const facets = FACETS.filter((name) => state.facets[name]);
  const found = rows.filter((row) => facets.every((name) => (row[name] ?? "not stated") === state.facets[name]) && words.every((word) => row.text.includes(word)));
  if (!state.sort) return found;
  const key = state.sort === "value" ? "central" : state.sort;
  const lower = (cell) => (typeof cell === "string" ? cell.toLowerCase() : cell ?? null);
  return [...found].sort((a, b) => compare(lower(a[key]), lower(b[key]), state.down ? -1 : 1));
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function valueWords(row) {
  if (row.value !== null) return String(row.value);
  return [row.low, row.high].filter((end) => end !== null).join("–") || "–";
}

function cellOf(row, name, results) {
  if (name === "rig") return element("a", { href: `${results}${row.rig_page}/` }, row.rig);
  if (name === "author") return row.url ? element("a", { href: row.url, rel: "nofollow noopener ugc" }, row.author ?? "source") : row.author ?? "–";
  if (name === "value") return row.how === "inferred" ? element("i", { class: "inferred", title: "inferred" }, `${valueWords(row)} ◌`) : valueWords(row);
  if (name === "status") return row.status === "active" ? "active" : `⚑ ${row.status}: ${row.reason ?? ""}`;
  return row[name] === null || row[name] === undefined ? "–" : String(row[name]);
}

/** All chosen rows as CSV, with every published column. */
function rowsCsv(columns, rows) {
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name] ?? ""))];
  return lines.map((line) => line.map((cell) => csvCell(String(cell))).join(",")).join("\r\n") + "\r\n";
}

class Explorer {
  constructor(root, columns, rows) {
    this.root = root;
    this.columns = columns;
    this.rows = rows;
    this.state = stateOf(location.search);
    this.build();
    this.show();
    window.addEventListener("popstate", () => { this.state = stateOf(location.search); this.build(); this.show(); });
  }

  build() {
    this.box = element("input", { type: "search", placeholder: "Words in any column", "aria-label": "Words in any column" });
    this.box.value = this.state.words;
    this.box.addEventListener("input", () => this.change({ words: this.box.value }));
    const tools = element("div", { class: "tools" }, this.box, ...FACETS.map((name) => this.facet(name)));
    this.told = element("p", { role: "status" });
    const csv = element("button", { type: "button" }, "CSV of these rows");
    csv.addEventListener("click", () => this.save());
    this.table = element("table", { class: "data" });
    this.turn = element("div", { class: "tools" });
    const frame = element("div", { class: "frame", role: "group", tabindex: "0", "aria-label": "Measurements" }, this.table);
    this.root.replaceChildren(tools, element("div", { class: "tools" }, csv, this.told), frame, this.turn);
  }

  facet(name) {
    const values = [...new Set(this.rows.map((row) => row[name] ?? "not stated"))].sort();
    const select = element("select", { "aria-label": name }, element("option", { value: "" }, `any ${name}`), ...values.map((value) => element("option", { value }, value)));
    select.value = this.state.facets[name];
    select.addEventListener("change", () => this.change({ facets: { ...this.state.facets, [name]: select.value } }));
    return select;
  }

  change(changes) {
    this.state = { ...this.state, page: 0, ...changes };
    const search = searchOf(this.state);
    history.replaceState(null, "", search ? `?${search}` : location.pathname);
    this.show();
  }

  head([name, title]) {
    const button = element("button", { type: "button" }, title);
    const sorted = this.state.sort === name;
    button.addEventListener("click", () => {
      this.change({ sort: name, down: sorted ? !this.state.down : NUMERIC.has(name) });
      this.table.querySelector("th[aria-sort] button")?.focus();
    });
    const cell = element("th", { scope: "col", class: NUMERIC.has(name) ? "number" : "" }, button);
    if (sorted) cell.setAttribute("aria-sort", this.state.down ? "descending" : "ascending");
    return cell;
  }

  line(row) {
    const results = this.root.dataset.results;
    const cells = SHOWN.map(([name], index) => element(index ? "td" : "th", index ? { class: NUMERIC.has(name) ? "number" : "" } : { scope: "row" }, cellOf(row, name, results)));
    return element("tr", row.status === "active" ? {} : { class: "doubtful" }, ...cells);
  }

  show() {
    const found = chosen(this.rows, this.state);
    const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
    const page = Math.min(this.state.page, pages - 1);
    const here = found.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS);
    this.told.textContent = `${found.length.toLocaleString("en")} of ${this.rows.length.toLocaleString("en")} rows, page ${page + 1} of ${pages}`;
    this.table.replaceChildren(
      element("caption", {}, "Measurements"),
      element("thead", {}, element("tr", {}, ...SHOWN.map((column) => this.head(column)))),
      element("tbody", {}, ...here.map((row) => this.line(row))),
    );
    const step = (label, to) => {
      const button = element("button", { type: "button" }, label);
      button.disabled = to < 0 || to >= pages;
      button.addEventListener("click", () => this.change({ page: to }));
      return button;
    };
    this.turn.replaceChildren(step("Previous page", page - 1), step("Next page", page + 1));
  }

  save() {
    const rows = chosen(this.rows, this.state);
    const link = element("a", { download: "rigbook.csv", href: URL.createObjectURL(new Blob([rowsCsv(this.columns, rows)], { type: "text/csv" })) });
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

async function explore(root) {
  root.textContent = "Loading the rows…";
  const answer = await fetch(root.dataset.rows);
  if (!answer.ok) throw new Error(`${root.dataset.rows}: ${answer.status}`);
  const document_ = await answer.json();
  new Explorer(root, document_.columns, unpack(document_));
}

// After tables.js, whose functions are used; both are deferred.
document.addEventListener("DOMContentLoaded", () => {
  const root = document.getElementById("explore");
  explore(root).catch((error) => { root.textContent = `The rows could not be loaded (${error.message}). The data page has them all.`; });
});

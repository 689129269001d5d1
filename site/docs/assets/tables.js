// Sort, filter and export the tables of the page. Without this file they are plain tables.
"use strict";

// Rows worth a filter box; a shorter table is read at a glance.
const FILTER_FROM = 8;

/** The value a row is sorted by: a number, a text, or null for an empty cell. */
function sortKey(row, index) {
  const cell = row.cells[index];
  const raw = cell.dataset.sort ?? cell.textContent.trim();
  if (raw === "" || raw === "–") return null;
  const number = Number(raw.replaceAll(",", ""));
  return Number.isNaN(number) ? raw.toLowerCase() : number;
}

/** Order two keys; empty cells stand last whichever way the column is sorted. */
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", { numeric: true });
}

function sortBy(table, head, index) {
  const descending = head.getAttribute("aria-sort") === "ascending"
    || (head.getAttribute("aria-sort") === null && head.classList.contains("number"));
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => [sortKey(row, index), row]);
  keyed.sort(([a], [b]) => compare(a, b, descending ? -1 : 1));
  body.append(...keyed.map(([, row]) => row));
}

function addSorting(table) {
  [...table.tHead.rows[0].cells].forEach((head, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, head, index));
    head.append(button);
  });
}

/** One CSV cell; a text that a spreadsheet would run as a formula gets an apostrophe. */
function csvCell(words) {
  const text = words.replace(/\s+/g, " ").trim();
  const safe = /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The table as CSV, exactly the rows that are shown. */
function csv(table) {
  const rows = [...table.rows].filter((row) => !row.hidden);
  return rows.map((row) => [...row.cells].map((cell) => csvCell(cell.innerText)).join(",")).join("\r\n") + "\r\n";
}

function save(table) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv(table)], { type: "text/csv" }));
  link.download = `${table.caption.textContent.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60)}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Show the rows that hold every word and are within every limit; an unknown cell may be within. */
function filter(table, words, limits, told) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const text = row.textContent.toLowerCase();
    const within = limits.every(({ index, most }) => most === null || (sortKey(row, index) ?? 0) <= most);
    row.hidden = !(within && wanted.every((word) => text.includes(word)));
    shown += !row.hidden;
  }
  told.textContent = `${shown} of ${table.tBodies[0].rows.length} rows`;
}

/** A box for the most that a rig has of something, for each column that states a need. */
function limitBoxes(table) {
  return [...table.tHead.rows[0].cells].flatMap((head, index) => {
    if (!head.dataset.limit) return [];
    const box = document.createElement("input");
    box.type = "number";
    box.min = "0";
    box.placeholder = head.dataset.limit;
    box.setAttribute("aria-label", `${head.dataset.limit}: ${table.caption.textContent}`);
    return [{ index, box }];
  });
}

function addTools(table) {
  const name = table.caption.textContent;
  const tools = document.createElement("div");
  tools.className = "tools";
  const box = document.createElement("input");
  box.type = "search";
  box.placeholder = "Filter rows";
  box.setAttribute("aria-label", `Filter rows: ${name}`);
  const told = document.createElement("span");
  told.setAttribute("role", "status");
  const boxes = limitBoxes(table);
  const most = (one) => (one.value === "" ? null : Number(one.value));
  const refilter = () => filter(table, box.value, boxes.map(({ index, box: one }) => ({ index, most: most(one) })), told);
  for (const one of [box, ...boxes.map((limit) => limit.box)]) one.addEventListener("input", refilter);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "CSV of what is shown";
  button.addEventListener("click", () => save(table));
  tools.append(box, ...boxes.map((limit) => limit.box), button, told);
  table.closest(".frame").before(tools);
}

for (const table of document.querySelectorAll("table.data")) {
  addSorting(table);
  if (table.tBodies[0].rows.length >= FILTER_FROM) addTools(table);
}

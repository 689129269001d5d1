// Bars as pictures: an interval with its estimate, and the time of a pass by resource.
import { drawn, element, figure, percent } from "./dom.js";

/** What takes the time of a pass: name, words, and what helps. */
export const RESOURCES = {
  "ram-bandwidth": "RAM bandwidth",
  "cpu-compute": "CPU compute",
  "hand-off": "hand-offs CPU–GPU",
  gpu: "GPU bandwidth",
  drafter: "drafter",
  fixed: "fixed cost",
  paging: "RAM: it would page",
};

const WIDTH = 1000;

/** An interval on a shared scale from 0 to `most`; `after` is a second speed to mark. */
export function intervalBar(one, most, after) {
  const x = (value) => (Math.min(value, most) / most) * WIDTH;
  const mark = (value, kind, width, height) => drawn("rect", { class: kind, x: Math.max(0, x(value) - width / 2), y: 12 - height / 2, width, height });
  return drawn("svg", { class: "interval", viewBox: `0 0 ${WIDTH} 24`, preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "track", x: 0, y: 11, width: WIDTH, height: 2 }),
    drawn("rect", { class: "range", x: x(one.low), y: 6, width: Math.max(2, x(one.high) - x(one.low)), height: 12 }),
    mark(one.tokens_per_s, "point", 9, 16),
    // Thinner and taller, so that either is seen where both are.
    after === undefined ? null : mark(after, "after", 4, 24));
}

/** The time of a pass by resource: a stacked bar, and the same in a table. */
export function timeBar(one) {
  const shares = Object.entries(one.time_share).filter(([, share]) => share > 0);
  let at = 0;
  const segments = shares.map(([name, share]) => {
    const x = at;
    at += share * WIDTH;
    return drawn("rect", { class: `part ${name}`, x, y: 0, width: Math.max(0, share * WIDTH - 3), height: 24 });
  });
  const row = ([name, share]) => element("tr", {},
    element("th", { scope: "row" }, element("span", { class: `key ${name}`, "aria-hidden": "true" }), RESOURCES[name]),
    element("td", { class: "number" }, `${figure(share * one.seconds * 1000)} ms`),
    element("td", { class: "number" }, percent(share)));
  return element("div", { class: "time" },
    drawn("svg", { class: "stack", viewBox: `0 0 ${WIDTH} 24`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...segments),
    element("table", {}, element("caption", {}, `One pass: ${figure(one.seconds * 1000)} ms for ${figure(one.tokens_per_pass)} ${one.tokens_per_pass === 1 ? "token" : "tokens"}`),
      element("tbody", {}, ...shares.map(row))));
}

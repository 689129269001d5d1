// The answers, ranked: what fits first, then what does not; each a line that unfolds.
import { intervalBar, RESOURCES } from "./bars.js";
import { element, percent, tenths } from "./dom.js";

/** The name of an answer: its slug, or model and quant. */
export const nameOf = (one) => one.slug ?? `${one.model} ${one.quant}`;

const keyOf = (one) => one.slug ?? `${one.model}/${one.quant}`;

function verdict(one, ram) {
  const needs = `needs ${one.host_ram_gib.toFixed(0)} GiB`;
  if (one.fits === null) return element("span", { class: "need" }, needs);
  const spare = Math.abs(ram - one.host_ram_gib).toFixed(0);
  return one.fits
    ? element("span", { class: "need fits" }, `✓ fits, ${spare} GiB spare`)
    : element("span", { class: "need short" }, `✗ ${spare} GiB short`);
}

function gain(change, fits) {
  if (!change) return null;
  const fit = change.fits_after === fits || change.fits_after === null ? "" : change.fits_after ? ", then fits" : ", then too large";
  const words = `→ ${tenths(change.after)}, ×${change.ratio.toFixed(2)}${fit}`;
  return element("span", { class: "gain" }, words, element("small", {}, ` (×${change.low.toFixed(2)}–${change.high.toFixed(2)})`));
}

function summary(one, most, change, ram) {
  return element("summary", {},
    element("span", { class: "name" }, nameOf(one)),
    element("span", { class: "speed" }, element("b", {}, tenths(one.tokens_per_s)), element("small", {}, ` ${tenths(one.low)}–${tenths(one.high)}`)),
    intervalBar(one, most, change?.after),
    element("span", { class: "facts" }, verdict(one, ram),
      element("span", { class: "limit" }, `limit: ${RESOURCES[one.limit]}${one.limit === "paging" ? "" : ` ${percent(one.time_share[one.limit])}`}`),
      ...one.warnings.filter((warning) => warning.code === "few-cards").map(() => element("span", { class: "far" }, `! made for ${one.target.launch.cards} cards`)),
      one.basis === "extrapolated" ? element("span", { class: "far" }, "◌ extrapolated") : element("span", {}, one.basis),
      gain(change, one.fits)));
}

export class Ranking {
  /** `detail` makes the inside of an answer; `opened` is told which one is open. */
  constructor(detail, opened) {
    this.detail = detail;
    this.opened = opened;
    this.root = element("div", { class: "ranking" });
  }

  show(answers, { open, ram, changes, stale }) {
    this.root.classList.toggle("stale", stale);
    const focused = this.root.contains(document.activeElement) ? document.activeElement.closest("details")?.dataset.key : null;
    const [good, bad] = [answers.filter((one) => one.fits !== false), answers.filter((one) => one.fits === false)];
    // What does not fit may run off the scale: it is no choice.
    const most = Math.max(1, ...(good.length ? good : bad).map((one) => one.high));
    const line = (one) => this.line(one, most, changes.get(keyOf(one)), ram, open);
    this.root.replaceChildren(
      this.scale(most),
      good.length ? element("ol", {}, ...good.map(line)) : element("p", { class: "none" }, "Nothing fits in this much RAM."),
      ...(bad.length ? [element("h2", {}, `Does not fit in ${ram} GiB`), element("ol", { class: "bad" }, ...bad.map(line))] : []),
    );
    if (focused) this.root.querySelector(`details[data-key="${CSS.escape(focused)}"] > summary`)?.focus();
  }

  scale(most) {
    return element("p", { class: "scale", "aria-hidden": "true" }, element("span", {}, "0"), element("span", {}, "tokens/s, estimate and interval"), element("span", {}, tenths(most)));
  }

  line(one, most, change, ram, open) {
    const key = keyOf(one);
    const details = element("details", { "data-key": key, open: key === open }, summary(one, most, change, ram));
    if (key === open) details.append(this.detail(one));
    details.addEventListener("toggle", () => {
      // The event comes late: by then typing may have replaced the line.
      if (!details.isConnected) return;
      if (details.open && details.childElementCount === 1) details.append(this.detail(one));
      this.opened(key, details.open);
      if (details.open) for (const other of this.root.querySelectorAll("details[open]")) if (other !== details) other.open = false;
    });
    return element("li", {}, details);
  }
}

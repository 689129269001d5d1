// Live charts: the picture gives way to the same chart with names under the pointer. Vega is heavy,
// so it is fetched for the first chart that a visitor scrolls to, and never for one who saves data.
"use strict";

const folder = new URL("../results/charts/", document.currentScript.src);
const figures = document.querySelectorAll("figure[data-chart]");

const isDark = () => document.body.dataset.mdColorScheme === "slate";

/** A chart's statement, in the colours of the page as it is now. */
function coloured(text) {
  const { dark } = JSON.parse(text).usermeta;
  if (!isDark()) return JSON.parse(text);
  return JSON.parse(text.replace(/#[0-9a-f]{6}\b/g, (light) => dark[light] ?? light));
}

async function draw(figure) {
  const [{ vegaEmbed }, answer] = await Promise.all([
    import(new URL("vega.js", folder)),
    fetch(new URL(figure.dataset.chart, document.baseURI)),
  ]);
  if (!answer.ok) return;
  const text = await answer.text();
  const live = document.createElement("div");
  live.className = "live";
  const words = figure.querySelector("img").alt;
  const redraw = async () => {
    await vegaEmbed(live, coloured(text), {
      actions: false,
      ast: true, // no expression becomes code: the page's policy forbids that
      config: { aria: false },
      defaultStyle: false,
      renderer: "svg",
      tooltip: { disableDefaultStyle: true },
    });
    // One picture with the same words as before, not Vega's own name for any chart.
    live.setAttribute("role", "img");
    live.setAttribute("aria-label", words);
    live.removeAttribute("aria-roledescription");
  };
  await redraw();
  figure.querySelectorAll("img").forEach((one) => one.remove());
  figure.prepend(live);
  new MutationObserver(redraw)
    .observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
}

function watch() {
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      draw(target).catch((error) => console.warn(`${target.dataset.chart}: the picture stays`, error));
    }
  });
  figures.forEach((one) => seen.observe(one));
}

if (figures.length && !navigator.connection?.saveData) {
  addEventListener("scroll", watch, { once: true, passive: true });
}

// Hands the page and what it fetched to the service worker, so that it opens without a network.
"use strict";

const worker = new URL("../offline.js", document.currentScript.src);

async function keep() {
  // Before anything is awaited: a worker that starts now takes the page over, but has seen nothing of it.
  const watched = navigator.serviceWorker.controller;
  await navigator.serviceWorker.register(worker);
  const { active } = await navigator.serviceWorker.ready;
  if (watched) return; // it has seen this page's requests itself
  const fetched = performance.getEntriesByType("resource").map((one) => one.name);
  const ours = fetched.filter((address) => new URL(address).origin === location.origin);
  active.postMessage([location.href.split(/[?#]/)[0], ...new Set(ours)]);
}

// Only over https and on this machine does a browser have workers; elsewhere the page needs none.
if ("serviceWorker" in navigator) {
  addEventListener("load", () => keep().catch((error) => console.warn("not kept for offline", error)));
}

// A service worker: what was seen once can be seen again without a network. With one, the network
// answers, so nothing is ever older than it need be.
"use strict";

const SEEN = "seen";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** Keep what the first page fetched before this worker was there. */
self.addEventListener("message", (event) => event.waitUntil(keepAll(event.data)));

async function keepAll(addresses) {
  const seen = await caches.open(SEEN);
  await Promise.allSettled(addresses.map((address) => seen.add(address)));
}

async function answer(request) {
  const seen = await caches.open(SEEN);
  try {
    const fresh = await fetch(request);
    if (fresh.status === 200) await seen.put(request, fresh.clone());
    return fresh;
  } catch (error) {
    // The state of a form stands in the address; the page is the same.
    const kept = await seen.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && new URL(url).origin === self.location.origin) {
    event.respondWith(answer(event.request));
  }
});

// Which expert bundles sit on which card: a port of launch/placement.py. Bundles are a Map of block → MiB.

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

/** The free memory of an idle card of a nominal size. */
export const freeMib = (vramGib, constants) => Math.max(0, vramGib * 1024 - constants.driver_mib);

function costOn(card, costs) {
  return costs.reserve_mib + costs.draft_mib + (card === 0 ? costs.first_card_extra_mib : 0) + costs.margin_mib;
}

/** The blocks that a card may take, first choice first: outer edges first, none beyond its share. */
export function candidates(blocks, card, cards) {
  const share = Math.floor(blocks.length / cards);
  if (card === 0) return blocks.slice(0, share);
  if (card === cards - 1) return [...blocks].reverse().slice(0, share);
  const centre = Math.floor(((2 * card + 1) * blocks.length) / (2 * cards));
  const steps = Array.from({ length: share }, (_, step) => (step % 2 === 0 ? step / 2 : -((step - 1) / 2 + 1)));
  return steps.map((step) => centre + step).filter((at) => at >= 0 && at < blocks.length).map((at) => blocks[at]);
}

function pin(order, bundles, room) {
  const pinned = [];
  for (const block of order) {
    room -= bundles.get(block);
    if (room < 0) break;
    pinned.push(block);
  }
  return pinned;
}

/** Pin bundles to cards by the reference rule; the rest stays in host memory. */
export function place(bundles, cardsFree, costs) {
  const taken = new Set();
  const onCards = [];
  const blocks = [...bundles.keys()];
  const free = cardsFree.length > 1 ? cardsFree : [];
  free.forEach((mib, card) => {
    const order = candidates(blocks, card, free.length).filter((block) => !taken.has(block));
    const pinned = pin(order, bundles, mib - costOn(card, costs));
    pinned.forEach((block) => taken.add(block));
    onCards.push(pinned);
  });
  const onCpu = blocks.filter((block) => !taken.has(block));
  const mib = (some) => sum(some.map((block) => bundles.get(block)));
  return { on_cards: onCards, on_cpu: onCpu, pinned_mib: mib([...taken].sort((a, b) => a - b)), host_mib: mib(onCpu) };
}

/** Place the layers of a residency window; layers outside of it stay on the host. */
export function placeWindow(bundles, first, layers, cardsFree, costs) {
  const within = (block) => block >= first && block < first + layers;
  const inside = new Map([...bundles].filter(([block]) => within(block)));
  const outside = [...bundles.keys()].filter((block) => !within(block));
  const placed = place(inside, cardsFree, costs);
  return {
    ...placed,
    on_cpu: [...placed.on_cpu, ...outside].sort((a, b) => a - b),
    host_mib: placed.host_mib + sum(outside.map((block) => bundles.get(block))),
  };
}

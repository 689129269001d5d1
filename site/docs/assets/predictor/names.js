// Which processor or card a name means: a port of ingest/hardware.py.

const words = (name) => new Set(name.toLowerCase().match(/[a-z0-9]+/g) ?? []);

/** Find the entry whose fragments fit a name best; null if no entry or several fit. */
export function find(table, name) {
  const said = words(name);
  let most = 0;
  let best = new Set();
  for (const [id, entry] of table) {
    for (const fragment of entry.match) {
      const needed = words(fragment);
      if (needed.size < most || [...needed].some((word) => !said.has(word))) continue;
      if (needed.size > most) best = new Set();
      most = needed.size;
      best.add(id);
    }
  }
  return best.size === 1 ? table.get([...best][0]) : null;
}

// Which processor or card a name means: a port of ingest/hardware.py.

const words = (name) => new Set(name.toLowerCase().match(/[a-z0-9]+/g) ?? []);

const known = new WeakMap();

/** The fragments of a table as words, split once. */
function fragmentsOf(table) {
  if (!known.has(table)) known.set(table, [...table].flatMap(([id, entry]) => entry.match.map((fragment) => ({ id, needed: [...words(fragment)] }))));
  return known.get(table);
}

/** Find the entry whose fragments fit a name best; null if no entry or several fit. */
export function find(table, name) {
  const said = words(name);
  let most = 0;
  let best = new Set();
  for (const { id, needed } of fragmentsOf(table)) {
    if (needed.length < most || !needed.every((word) => said.has(word))) continue;
    if (needed.length > most) best = new Set();
    most = needed.length;
    best.add(id);
  }
  return best.size === 1 ? table.get([...best][0]) : null;
}

// The file that sitegen writes of model.json: its columns back into tables. Fields keep their published names.

const SCHEMA = "rigbook.browser/1";

/** A question that cannot be answered; each line says what should stand there. */
export class Misuse extends Error {}

function rowsOf(columns) {
  const names = Object.keys(columns);
  return columns[names[0]].map((_, index) => Object.fromEntries(names.map((name) => [name, columns[name][index]])));
}

const tableOf = (columns) => new Map(rowsOf(columns).map((row) => [row.id, row]));

/** Turn the parsed file into the model that all other modules read. */
export function unpack(file) {
  if (file.schema !== SCHEMA) throw new Misuse(`the model should be of schema ${SCHEMA}, got ${file.schema}; reload the page`);
  return {
    ...file,
    cpus: tableOf(file.cpus),
    gpus: tableOf(file.gpus),
    variants: tableOf(file.variants),
    slugs: tableOf(file.slugs),
    anchors: rowsOf(file.anchors),
  };
}

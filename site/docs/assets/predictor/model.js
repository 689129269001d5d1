// The file that sitegen writes of model.json: its columns back into tables. Fields keep their published names.

const SCHEMA = "rigbook.browser/1";

/** A question that cannot be answered; each line says what should stand there. */
export class Misuse extends Error {}

function rowsOf(columns) {
  const names = Object.keys(columns);
  return columns[names[0]].map((_, index) => Object.fromEntries(names.map((name) => [name, columns[name][index]])));
}

const tableOf = (columns, keyOf) => new Map(rowsOf(columns).map((row) => [keyOf(row), row]));
const id = (row) => row.id;

/** Turn the parsed file into the model that all other modules read. */
export function unpack(file) {
  if (file.schema !== SCHEMA) throw new Misuse(`the model should be of schema ${SCHEMA}, got ${file.schema}; reload the page`);
  return {
    ...file,
    cpus: tableOf(file.cpus, (row) => row.name),
    gpus: tableOf(file.gpus, id),
    variants: tableOf(file.variants, (row) => `${row.model}/${row.quant}`),
    slugs: tableOf(file.slugs, id),
    anchors: rowsOf(file.anchors),
  };
}

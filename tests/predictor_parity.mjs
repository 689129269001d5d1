// Answers questions as the predictor page does, for comparison with Python: JSON lines in, JSON lines out.
// usage: node predictor_parity.mjs FOLDER_OF_MODULES MODEL_FILE < questions > answers
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , folder, file] = process.argv;
const load = (name) => import(`${pathToFileURL(folder)}/${name}.js`);
const { Misuse, unpack } = await load("model");
const { questionOf } = await load("estimate");
const { EMPTY } = await load("request");
const { predict } = await load("predict");
const { drafting, enoughThreads, sensitivity } = await load("advice");
const { ceiling, contextCautions, prefill } = await load("reading");
const { changed, whatIf } = await load("what-if");

const model = unpack(JSON.parse(readFileSync(file, "utf-8")));

function published({ target, seconds, setup, ...answer }) {
  return answer;
}

function advice(question, { target, setup }) {
  const context = ceiling(question, target, setup);
  return {
    prefill: prefill(question, target, setup.inputs),
    context,
    context_warnings: contextCautions(context, question.request.ctx_tokens),
    drafting: drafting(question, target), threads_enough: enoughThreads(question, target), sensitivity: sensitivity(question, target, 1.1) };
}

function answered({ request, what_if: text }) {
  const asked = { ...EMPTY, ...request };
  const answers = predict(model, asked);
  return {
    answers: answers.map(published),
    advice: advice(questionOf(model, asked), answers[0]),
    changes: text === null ? null : whatIf(model, asked, changed(asked, text, model.constants)).map(({ fits_after, ...change }) => change),
  };
}

function told(question) {
  try {
    return answered(question);
  } catch (error) {
    if (error instanceof Misuse) return { misuse: error.message };
    throw error;
  }
}

const lines = readFileSync(0, "utf-8").split("\n").filter(Boolean);
process.stdout.write(lines.map((line) => JSON.stringify(told(JSON.parse(line)))).join("\n") + "\n");

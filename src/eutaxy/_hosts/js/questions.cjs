"use strict";
/**
 * What the two questions of the protocol do, as a list of moves. Each move runs to its end before
 * the next begins; `main.cjs` decides when that is.
 */

const fs = require("node:fs");

const { decode } = require("./codec.cjs");
const { Evaluation, setCurrent, settle } = require("./evaluation.cjs");
const { Isolate, Program } = require("./isolate.cjs");
const { makeContext } = require("./modules.cjs");
const { describe, stackOf } = require("./stacks.cjs");
const { bodyBytes, bodyValue, headersValue } = require("./shims/bodies.cjs");
const { NativeResponse, incomingRequest } = require("./shims/http_classes.cjs");
const { store } = require("./streams.cjs");
const { WorkflowStep, withObservedContext, withObservedTime } = require("./step.cjs");

/**
 * @typedef {{kind: "request", handler: string, request: string, now: number, salt: string}
 *   | {kind: "workflow", class: string, event: string, now: number, salt: string}} Entry
 * @typedef {{fiber: number, now: number, answer: number, returned?: string, threw?: string}
 *   | {fiber: number, now: number, invoke: number, part: string, argument: string,
 *      salt: string}} Move
 * @typedef {{op: "load", code: string, root: string, epoch: number}
 *   & import("./isolate.cjs").Settings} LoadQuestion
 * @typedef {{op: "evaluate", entry: Entry, moves: Move[], warm?: boolean}} EvaluateQuestion
 * @typedef {InstanceType<typeof Evaluation>} OneEvaluation
 * @typedef {InstanceType<typeof Isolate>} OneIsolate
 * @typedef {{evaluation: OneEvaluation, moves: (() => void)[], answer: () => object}} Task
 */

/**
 * The program of the last `load`.
 *
 * @type {{program: InstanceType<typeof Program>, epoch: number} | null}
 */
let loaded = null;

/** The isolate that served last, for warm evaluations. @type {OneIsolate | null} */
let lastIsolate = null;

/** Most evaluations that are kept to go on from. */
const KEPT_MAX = 16;

/**
 * Evaluations that a later question may go on from, by what they have answered; the oldest first.
 * What a question asks is a pure function of its entry and moves, so going on from where an
 * equal evaluation stopped is the same as starting again.
 *
 * @type {Map<string, {evaluation: OneEvaluation, isolate: OneIsolate}>}
 */
const kept = new Map();

/**
 * @param {LoadQuestion | EvaluateQuestion} question
 * @returns {Task}
 */
function taskOf(question) {
  if (question.op === "load") return loadTask(question);
  if (question.op === "evaluate") return evaluateTask(question);
  throw new Error(`no question has the op ${JSON.stringify(/** @type {any} */ (question).op)}`);
}

/**
 * @param {LoadQuestion} question
 * @returns {Task}
 */
function loadTask(question) {
  const evaluation = new Evaluation("");
  /** @type {OneIsolate | null} */
  let isolate = null;
  /** @type {object | null} */
  let failed = null;
  const start = () => {
    setCurrent(evaluation);
    evaluation.beginMove(question.epoch, null);
    lastIsolate = null;
    loaded = null;
    kept.clear();
    try {
      const program = new Program(fs.readFileSync(question.code, "utf8"), question);
      loaded = { program, epoch: question.epoch };
      isolate = new Isolate(program);
      isolate.start();
    } catch (error) {
      failed = errorReport(error);
    }
  };
  const answer = () => {
    const found =
      isolate === null || failed !== null
        ? null
        : { ok: true, handlers: isolate.handlers(), classes: isolate.classes() };
    isolate?.leave();
    if (evaluation.isBroken) return evaluation.answer();
    return found ?? { ok: false, error: failed };
  };
  return { evaluation, moves: [start], answer };
}

/**
 * @param {any} error
 * @returns {{name: string, message: string, stack: string}}
 */
function errorReport(error) {
  const isError = typeof error === "object" && error !== null && "message" in error;
  return {
    name: isError ? String(error.name) : "Error",
    message: isError ? String(error.message) : describe(error),
    stack: stackOf(error),
  };
}

/**
 * @param {EvaluateQuestion} question
 * @returns {Task}
 */
function evaluateTask({ entry, moves, warm }) {
  if (loaded === null) throw new Error("no program is loaded");
  const { program, epoch } = loaded;
  const before = warm === true || moves.length === 0 ? undefined : takeKept(entry, moves);
  if (before !== undefined) return goOn(before, entry, moves);
  const evaluation = new Evaluation(entry.salt);
  const isReused = warm === true && lastIsolate !== null;
  const isolate = isReused && lastIsolate !== null ? lastIsolate : new Isolate(program);
  lastIsolate = isolate;
  const start = () => {
    setCurrent(evaluation);
    evaluation.beginMove(epoch + entry.now, null);
    if (isReused) isolate.enter();
    const fiber = evaluation.addFiber(entry.salt);
    evaluation.moved = fiber;
    try {
      if (!isReused) isolate.start();
    } catch (error) {
      evaluation.fail(`evaluating the module threw ${describe(error)}`, stackOf(error));
      return;
    }
    fiber.run(() => enter(isolate, entry));
  };
  if (isReused) forgetKept(isolate);
  const steps = moves.map((move) => () => applyMove(evaluation, epoch, move));
  const answer = () => answerOf(evaluation, isolate, isReused ? null : nameOf(entry, moves));
  return { evaluation, moves: [start, ...steps], answer };
}

/**
 * Go on with an evaluation that has answered all moves but the last.
 *
 * @param {{evaluation: OneEvaluation, isolate: OneIsolate}} before
 * @param {Entry} entry
 * @param {Move[]} moves
 * @returns {Task}
 */
function goOn({ evaluation, isolate }, entry, moves) {
  const { epoch } = /** @type {{epoch: number}} */ (loaded);
  lastIsolate = isolate;
  const step = () => {
    setCurrent(evaluation);
    isolate.enter();
    applyMove(evaluation, epoch, moves[moves.length - 1]);
  };
  const answer = () => answerOf(evaluation, isolate, nameOf(entry, moves));
  return { evaluation, moves: [step], answer };
}

/**
 * @param {OneEvaluation} evaluation
 * @param {OneIsolate} isolate
 * @param {string | null} name under which the evaluation is kept; null to let it go
 * @returns {object} the answer to the question
 */
function answerOf(evaluation, isolate, name) {
  const answered = evaluation.answer();
  isolate.leave();
  if (isolate.program.snapshot.isSpoilt) return { ...answered, spent: true };
  if (name !== null && !evaluation.isBroken) {
    kept.set(name, { evaluation, isolate });
    for (const [oldest] of kept) {
      if (kept.size <= KEPT_MAX) break;
      kept.delete(oldest);
    }
  }
  return answered;
}

/**
 * @param {Entry} entry
 * @param {Move[]} moves
 * @returns {string}
 */
function nameOf(entry, moves) {
  return JSON.stringify([entry, moves]);
}

/**
 * Take out the evaluation that has answered all moves but the last; it can go on only once.
 *
 * @param {Entry} entry
 * @param {Move[]} moves
 * @returns {{evaluation: OneEvaluation, isolate: OneIsolate} | undefined}
 */
function takeKept(entry, moves) {
  const name = nameOf(entry, moves.slice(0, -1));
  const found = kept.get(name);
  kept.delete(name);
  return found;
}

/**
 * Let go what would go on in an isolate that now serves another evaluation.
 *
 * @param {OneIsolate} isolate
 */
function forgetKept(isolate) {
  for (const [name, each] of kept) if (each.isolate === isolate) kept.delete(name);
}

/**
 * @param {OneIsolate} isolate
 * @param {Entry} entry
 * @returns {any} what the entry returns
 */
function enter(isolate, entry) {
  if (entry.kind === "workflow") {
    const Class = isolate.exports[entry.class];
    if (typeof Class !== "function")
      throw new TypeError(`the Worker exports no class ${entry.class}`);
    const instance = new Class(makeContext(), isolate.env);
    return instance.run(withObservedTime(decode(entry.event)), new WorkflowStep());
  }
  return handleRequest(isolate, entry.handler, decode(entry.request));
}

/**
 * @param {OneIsolate} isolate
 * @param {string} handler
 * @param {any} value the request
 * @returns {Promise<object>} the response as a value
 */
async function handleRequest(isolate, handler, value) {
  const main = isolate.exports.default;
  const request = incomingRequest(value, bodyBytes(value.body));
  const context = makeContext();
  const response =
    typeof main === "function"
      ? await new main(context, isolate.env)[handler](request)
      : await main[handler](request, isolate.env, context);
  if (!(response instanceof NativeResponse)) {
    throw new TypeError("Incorrect type for Promise: the Promise did not resolve to 'Response'.");
  }
  const hasBody = response.body !== null;
  const bytes = new Uint8Array(await response.arrayBuffer());
  return {
    status: response.status,
    headers: headersValue(response.headers),
    body: hasBody ? bodyValue(bytes) : null,
  };
}

/**
 * @param {OneEvaluation} evaluation
 * @param {number} epoch
 * @param {Move} move
 */
function applyMove(evaluation, epoch, move) {
  const fiber = evaluation.fibers[move.fiber];
  evaluation.beginMove(epoch + move.now, fiber ?? null);
  if (fiber === undefined) {
    evaluation.refuse(`there is no fiber ${move.fiber} to move`);
  } else if ("answer" in move) {
    settle(fiber, move);
  } else {
    const step = fiber.steps.get(move.invoke);
    const part = step?.parts[move.part];
    if (step === undefined || part === undefined) {
      evaluation.refuse(`effect ${move.invoke} of fiber ${move.fiber} has no ${move.part} to call`);
      return;
    }
    const invoked = evaluation.addFiber(move.salt);
    evaluation.moved = invoked;
    invoked.run(() => callPart(part, move.argument));
  }
}

/**
 * @param {Function} part of a step
 * @param {string} argument
 * @returns {Promise<unknown>} its result; a stream is read to its end
 */
async function callPart(part, argument) {
  const result = await part(withObservedContext(decode(argument)));
  return result instanceof ReadableStream ? store(result) : result;
}

module.exports = { taskOf };

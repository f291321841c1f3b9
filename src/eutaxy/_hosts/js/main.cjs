"use strict";
/**
 * The Node host: answers questions that come over two pipes (docs/host-protocol.md).
 *
 *     node .. main.cjs <ms until an evaluation must be quiet> <read fd> <write fd>
 *
 * The host keeps no handle open, so Node's `beforeExit` fires exactly when nothing is left to run:
 * no microtask, no stream, no work on other threads. That is what "quiet" means here. Its handler
 * then goes on with the next move, or writes the answer and waits in a blocking read for the next
 * question. Everything that runs user code starts in a `setImmediate`, which brings the event loop
 * back to life.
 */

const process = require("node:process");
const { setImmediate, setInterval } = require("node:timers");

const { Stopped } = require("./evaluation.cjs");
const { readFrame, writeFrame } = require("./frames.cjs");
const nativeResults = require("./native_results.cjs");
const { taskOf } = require("./questions.cjs");
const realm = require("./realm.cjs");
const { describe, stackOf } = require("./stacks.cjs");

const { parse, stringify } = JSON;
const now = Date.now;
const exit = process.exit.bind(process);
const [quietMs, readDescriptor, writeDescriptor] = process.argv.slice(2).map(Number);

/** @type {import("./questions.cjs").Task | null} */
let task = null;
let askedAt = 0;

/** Run the next move once the event loop turns again. */
function continueTask() {
  setImmediate(() => {
    try {
      task?.moves.shift()?.();
    } catch (error) {
      task?.evaluation.fail(...hostFailure(error));
    }
  });
}

/**
 * @param {unknown} error a bug of this host
 * @returns {[what: string, stack: string]}
 */
function hostFailure(error) {
  // Stacks are made when they are first read; this one should show the frames of the host.
  Reflect.deleteProperty(Error, "prepareStackTrace");
  return [`the host itself failed: ${describe(error)}\n${stackOf(error)}`, ""];
}

/** Everything is quiet: go on, or answer and take the next question. */
function whenQuiet() {
  if (task !== null) {
    if (nativeResults.isAnyWaiting()) {
      setImmediate(() => nativeResults.deliverNext());
      return;
    }
    if (task.moves.length > 0 && !task.evaluation.isBroken) {
      continueTask();
      return;
    }
    answerWith(task.answer());
  }
  takeQuestion();
}

/** @param {object} answer */
function answerWith(answer) {
  task = null;
  nativeResults.forgetAll();
  writeFrame(writeDescriptor, stringify(answer));
}

function takeQuestion() {
  const text = readFrame(readDescriptor);
  if (text === null) exit(0);
  askedAt = now();
  try {
    task = taskOf(parse(/** @type {string} */ (text)));
  } catch (error) {
    const [what, stack] = hostFailure(error);
    answerWith({ failure: { what, stack } });
    takeQuestion();
    return;
  }
  continueTask();
}

/** Name what keeps the evaluation from becoming quiet; the process is of no use afterwards. */
function watchQuiet() {
  if (task === null || now() - askedAt < quietMs) return;
  const handles = process.getActiveResourcesInfo().filter((name) => name !== "Timeout");
  const what = handles.length === 0 ? "work on another thread" : handles.join(", ");
  answerWith({
    failure: {
      what: `the code did not become quiet in ${quietMs} ms; still open: ${what}`,
      stack: "",
    },
    spent: true,
  });
  exit(0);
}

/**
 * @param {unknown} thrown
 * @returns {boolean}
 */
function isStopped(thrown) {
  try {
    return thrown instanceof Stopped;
  } catch {
    // A proxy whose traps throw.
    return false;
  }
}

process.on("beforeExit", whenQuiet);
process.on("unhandledRejection", (reason) => {
  if (isStopped(reason)) return;
  task?.evaluation.print(`unhandled rejection: ${describe(reason)}`);
});
process.on("uncaughtException", (error) => {
  if (isStopped(error)) return;
  task?.evaluation.print(`uncaught exception: ${describe(error)}`);
});

realm.seal();
process.cwd = () => "/bundle";
process.argv = [];
setInterval(watchQuiet, Math.max(10, quietMs / 10)).unref();

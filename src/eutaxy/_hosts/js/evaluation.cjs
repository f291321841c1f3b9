"use strict";
/**
 * The evaluation that is running: its fibers, the effects they issue, and everything that is told
 * about the last move. There is never more than one; shims ask for it here.
 *
 * Reading guide. `Evaluation` holds what belongs to the whole question; `Fiber` holds what belongs
 * to one fiber. Which fiber some code belongs to is carried by its async context: whatever a fiber
 * calls, awaits or schedules keeps its `Scope`. Code of an evaluation that is over (an isolate that
 * was reused) may still run; its effects vanish and its promises never settle.
 */

const { AsyncLocalStorage } = require("node:async_hooks");

const { NotCloneable, decode, encode } = require("./codec.cjs");
const { Generator } = require("./generator.cjs");
const { UnreadableStream } = require("./streams.cjs");
const { callerPlace, callerStack, describe, placeIn, stackOf } = require("./stacks.cjs");

/**
 * @typedef {"clock" | "random" | "context"} Read
 * @typedef {{threw: string, stack: string, place: string}} Threw
 * @typedef {{fiber: number, effects: object[], cancelled?: number[], returned?: string,
 *   threw?: string, stack?: string, place?: string, held?: boolean}} Reaction
 * @typedef {{resolve: (value: any) => void, reject: (error: any) => void, place: string,
 *   receive: (value: any) => any}} OpenEffect
 * @typedef {{kind: string, name: string, operation: string, args: object, place?: string,
 *   parts?: Record<string, Function>, receive?: (value: any) => any}} EffectWanted receive: makes
 *   what user code gets of the decoded answer
 */

/** Thrown into user code when it cannot go on; the evaluation has already noted why. */
class Stopped extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "EutaxyStopped";
  }
}

class Fiber {
  /**
   * @param {Evaluation} evaluation
   * @param {number} index
   * @param {string} salt
   */
  constructor(evaluation, index, salt) {
    this.evaluation = evaluation;
    this.index = index;
    this.generator = new Generator(salt);
    this.ordinal = 0;
    /** @type {Map<number, OpenEffect>} */
    this.open = new Map();
    /**
     * Functions of each step, which outlive its answer (a rollback handler runs much later).
     *
     * @type {Map<number, {parts: Record<string, Function>, place: string}>}
     */
    this.steps = new Map();
    /** @type {object[]} effects issued in this move */
    this.news = [];
    /** @type {number[]} effects whose answer nobody waits for any more, since this move */
    this.cancelled = [];
    /** @type {{returned: string} | Threw | null} */
    this.outcome = null;
    this.isOutcomeNew = false;
    this.waitUntilCount = 0;
    this.wasHeld = false;
  }

  get isHeld() {
    return this.outcome !== null && this.waitUntilCount > 0;
  }

  /**
   * Issue an effect.
   *
   * @param {EffectWanted} wanted
   * @returns {Promise<any>} its answer
   */
  issue({ kind, name, operation, args, place = callerPlace(), parts = {}, receive = asItIs }) {
    if (this.evaluation !== current) return new Promise(() => {});
    let text;
    try {
      text = encode(args);
    } catch (problem) {
      return Promise.reject(asDataCloneError(problem));
    }
    this.ordinal += 1;
    const { ordinal } = this;
    this.news.push({ ordinal, kind, name, operation, args: text, place });
    if (kind === "step") this.steps.set(ordinal, { parts, place });
    return new Promise((resolve, reject) => {
      this.open.set(ordinal, { resolve, reject, place, receive });
    });
  }

  /**
   * Take an effect back that only its own code could notice (a timer).
   *
   * @param {number} ordinal
   */
  cancel(ordinal) {
    if (this.evaluation === current && this.open.delete(ordinal)) this.cancelled.push(ordinal);
  }

  /**
   * Run the function that makes up this fiber and note how it ends.
   *
   * @param {() => any} body
   */
  run(body) {
    const ended = scopes.run(this, async () => encode(await body()));
    ended.then(
      (returned) => this.end({ returned }),
      (thrown) => this.end(threwOutcome(thrown)),
    );
  }

  /** @param {{returned: string} | Threw} outcome */
  end(outcome) {
    this.outcome = outcome;
    this.isOutcomeNew = true;
  }

  /** @param {any} promise */
  waitUntil(promise) {
    this.waitUntilCount += 1;
    const done = () => {
      this.waitUntilCount -= 1;
    };
    Promise.resolve(promise).then(done, (reason) => {
      done();
      this.evaluation.print(`waitUntil promise rejected: ${describe(reason)}`);
    });
  }

  /** @returns {Reaction | null} what is new since the last call; null when nothing is */
  tell() {
    const { cancelled, isHeld, isOutcomeNew, news, outcome } = this;
    const isAnythingNew = isOutcomeNew || news.length > 0 || cancelled.length > 0;
    const isNew = isAnythingNew || isHeld || this.wasHeld;
    this.news = [];
    this.cancelled = [];
    this.isOutcomeNew = false;
    this.wasHeld = isHeld;
    if (!isNew) return null;
    /** @type {Reaction} */
    const reaction = { fiber: this.index, effects: news };
    if (cancelled.length > 0) reaction.cancelled = cancelled;
    if (isOutcomeNew) Object.assign(reaction, outcome);
    if (isHeld) reaction.held = true;
    return reaction;
  }
}

class Evaluation {
  /** @param {string} salt of the entry; also seeds what module code draws */
  constructor(salt) {
    /** @type {Fiber[]} */
    this.fibers = [];
    this.moduleGenerator = new Generator(`module ${salt}`);
    /** Virtual time of the current move, in ms since the epoch. */
    this.now = 0;
    /** @type {Fiber | null} the fiber that the current move is about */
    this.moved = null;
    /** @type {Set<Read>} */
    this.reads = new Set();
    /** @type {string[]} */
    this.prints = [];
    /** @type {{what: string, remedy: string, place: string, stack: string} | null} */
    this.unmodelled = null;
    /** @type {{what: string, stack: string, earlier?: Reaction[][]} | null} */
    this.failure = null;
    /** @type {Reaction[][]} what the start, and each move before this one, brought about */
    this.earlier = [];
    /** @type {Reaction[] | null} what was told of the last move, when it was */
    this.told = null;
    this.timerCount = 0;
    /** @type {Map<number, () => void>} timers that have not fired, by id */
    this.timers = new Map();
    /** @type {Map<string, number>} of console.count */
    this.counts = new Map();
    /** @type {Map<string, number>} of console.time */
    this.stopwatches = new Map();
  }

  /**
   * @param {string} salt
   * @returns {Fiber}
   */
  addFiber(salt) {
    const fiber = new Fiber(this, this.fibers.length, salt);
    this.fibers.push(fiber);
    return fiber;
  }

  /**
   * Forget what earlier moves did; only the last one is told.
   *
   * @param {number} now
   * @param {Fiber | null} moved
   */
  beginMove(now, moved) {
    this.now = now;
    this.moved = moved;
    this.reads.clear();
    this.prints = [];
    if (this.fibers.length > 0) this.earlier.push(this.told ?? this.reactions());
    this.told = null;
  }

  /** @returns {Reaction[]} what is new in all fibers since the last call */
  reactions() {
    return this.fibers.map((fiber) => fiber.tell()).filter((each) => each !== null);
  }

  /** @param {string} text */
  print(text) {
    this.prints.push(text);
  }

  /**
   * @param {string} what
   * @param {string} [stack]
   */
  fail(what, stack = callerStack()) {
    this.failure ??= { what, stack };
  }

  /**
   * Give up because the code is not where a move expects it to be.
   *
   * @param {string} what
   */
  refuse(what) {
    this.failure ??= { what, stack: "", earlier: this.earlier };
  }

  /** Whether nothing that user code still does can matter. */
  get isBroken() {
    return this.failure !== null || this.unmodelled !== null;
  }

  /** @returns {object} the answer to the question */
  answer() {
    if (this.unmodelled !== null) return { unmodelled: this.unmodelled };
    if (this.failure !== null) return { failure: this.failure };
    this.told = this.reactions();
    const reactions = this.told;
    const reads = ["clock", "random", "context"].filter((each) =>
      this.reads.has(/** @type {Read} */ (each)),
    );
    return { reactions, reads, prints: this.prints };
  }
}

/** Async context of code that runs while the module is evaluated. */
const MODULE_SCOPE = Object.freeze({ isModule: true });

/** @type {AsyncLocalStorage<Fiber | typeof MODULE_SCOPE>} */
const scopes = new AsyncLocalStorage();

/** @type {Evaluation | null} */
let current = null;

/** @param {Evaluation | null} evaluation */
function setCurrent(evaluation) {
  current = evaluation;
}

/** @returns {Evaluation} */
function currentEvaluation() {
  if (current === null) throw new Stopped("user code ran outside any evaluation");
  return current;
}

/**
 * The fiber of the running code. Code without a context (a callback that a native stream calls)
 * belongs to the fiber that was moved.
 *
 * @returns {Fiber | null} null in module scope
 */
function currentFiber() {
  const scope = scopes.getStore();
  if (scope instanceof Fiber) return scope;
  return scope === MODULE_SCOPE ? null : currentEvaluation().moved;
}

/**
 * The fiber that may issue an effect.
 *
 * @returns {Fiber}
 */
function issuingFiber() {
  const fiber = currentFiber();
  if (fiber !== null) return fiber;
  // The wording is what the platform says, so that it can be searched for.
  throw new Error(
    "Disallowed operation called within global scope. Asynchronous I/O (ex: fetch() or " +
      "connect()), setting a timeout, and generating random values are not allowed within global " +
      "scope. To fix this error, perform this operation within a handler.",
  );
}

/**
 * @template T
 * @param {() => T} body
 * @returns {T}
 */
function inModuleScope(body) {
  return scopes.run(MODULE_SCOPE, body);
}

/**
 * Note that an ambient input was read.
 *
 * @param {Read} read
 */
function noteRead(read) {
  const scope = scopes.getStore();
  if (scope instanceof Fiber) scope.evaluation.reads.add(read);
  else currentEvaluation().reads.add(read);
}

/**
 * Note that user code used something the model lacks, and stop it there.
 *
 * @param {string} what
 * @param {{place?: string, remedy?: string}} [more] place: where, when user code is not on the
 *   stack; remedy: what to do instead, when there is better advice than the general one
 * @returns {never}
 */
function unmodelled(what, { place = callerPlace(), remedy = "" } = {}) {
  const scope = scopes.getStore();
  const evaluation = scope instanceof Fiber ? scope.evaluation : currentEvaluation();
  evaluation.unmodelled ??= { what, remedy, place, stack: callerStack() };
  throw new Stopped(`eutaxy does not model ${what}`);
}

/**
 * @param {any} problem
 * @returns {any} what user code is to catch
 */
function asDataCloneError(problem) {
  const isStream = problem instanceof UnreadableStream;
  if (!isStream && !(problem instanceof NotCloneable)) return problem;
  const what = isStream ? "a ReadableStream" : problem.what;
  const error = new Error(problem.message);
  const hidden = { writable: true, configurable: true, enumerable: false };
  Object.defineProperty(error, "name", { value: "DataCloneError", ...hidden });
  Object.defineProperty(error, "notCloneable", { value: what, ...hidden });
  return error;
}

/**
 * Where the effects were issued whose answers were errors: such an error has no stack of its own.
 *
 * @type {WeakMap<object, string>}
 */
const askedAt = new WeakMap();

/**
 * @param {any} thrown
 * @returns {Threw}
 */
function threwOutcome(thrown) {
  try {
    return readThrown(thrown);
  } catch {
    // Traps of a proxy, or getters, threw in turn.
    return readThrown(new Error("What was thrown cannot be read."));
  }
}

/**
 * @param {any} thrown
 * @returns {Threw}
 */
function readThrown(thrown) {
  const error = asDataCloneError(thrown);
  const stack = stackOf(error);
  const place = placeIn(stack) || (isObject(error) && askedAt.get(error)) || "";
  try {
    return { threw: encode(error), stack, place };
  } catch (problem) {
    return { threw: encode(asDataCloneError(problem)), stack, place };
  }
}

/**
 * @param {unknown} value
 * @returns {value is object}
 */
function isObject(value) {
  return typeof value === "object" && value !== null;
}

/**
 * @param {any} value
 * @returns {any}
 */
function asItIs(value) {
  return value;
}

/**
 * Settle an open effect with a fresh copy of its answer.
 *
 * @param {Fiber} fiber
 * @param {{answer: number, returned?: string, threw?: string}} move
 */
function settle(fiber, move) {
  const effect = fiber.open.get(move.answer);
  if (effect === undefined) {
    fiber.evaluation.refuse(`fiber ${fiber.index} has no open effect ${move.answer} to answer`);
    return;
  }
  fiber.open.delete(move.answer);
  if (move.threw === undefined) {
    effect.resolve(effect.receive(decode(/** @type {string} */ (move.returned))));
    return;
  }
  const error = decode(move.threw);
  if (isObject(error)) askedAt.set(error, effect.place);
  effect.reject(error);
}

module.exports = {
  Evaluation,
  Fiber,
  Stopped,
  currentEvaluation,
  currentFiber,
  inModuleScope,
  issuingFiber,
  noteRead,
  setCurrent,
  settle,
  unmodelled,
};

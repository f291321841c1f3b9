"use strict";
/**
 * The `step` object of a Workflow, and the contexts that the engine hands to functions of a step.
 * Arguments are passed on as they are, odd ones too: the model validates them.
 */

const { issuingFiber } = require("./evaluation.cjs");
const { encode, decode } = require("./codec.cjs");
const { observe } = require("./observed.cjs");

class WorkflowStep {
  /**
   * @param {unknown} name
   * @param {...any} rest [config,] callback[, rollback options]
   * @returns {Promise<any>}
   */
  do(name, ...rest) {
    const hasConfig = typeof rest[0] !== "function";
    const [config, callback, rollback] = hasConfig ? rest : [undefined, ...rest];
    const delay = config?.retries?.delay;
    /** @type {Record<string, Function>} */
    const parts = {};
    if (typeof callback === "function") parts.callback = callback;
    if (typeof delay === "function") parts.delay = delay;
    if (typeof rollback?.rollback === "function") parts.rollback = rollback.rollback;
    /** @type {Record<string, unknown>} */
    const args = {
      config: typeof delay === "function" ? withoutDelay(config) : plainly(config),
      hasCallback: "callback" in parts,
      hasDelayFunction: "delay" in parts,
      rollback: undefined,
    };
    if (rollback !== undefined) Object.assign(args, describeRollback(rollback));
    return issueNamed("step", "do", name, args, { parts });
  }

  /**
   * @param {unknown} name
   * @param {unknown} duration
   * @returns {Promise<void>}
   */
  sleep(name, duration) {
    return issueNamed("sleep", "sleep", name, { duration: plainly(duration) });
  }

  /**
   * @param {unknown} name
   * @param {unknown} until
   * @returns {Promise<void>}
   */
  sleepUntil(name, until) {
    return issueNamed("sleep", "sleepUntil", name, { until: plainly(until) });
  }

  /**
   * @param {unknown} name
   * @param {unknown} options
   * @returns {Promise<any>}
   */
  waitForEvent(name, options) {
    const args = { options: plainly(options) };
    return issueNamed("wait", "waitForEvent", name, args, { receive: withObservedTime });
  }
}

/**
 * @param {string} kind
 * @param {string} operation
 * @param {unknown} name
 * @param {object} args
 * @param {{parts?: Record<string, Function>, receive?: (value: any) => any}} [more]
 * @returns {Promise<any>}
 */
function issueNamed(kind, operation, name, args, more) {
  const isText = typeof name === "string";
  const told = isText ? args : { ...args, nameIsText: false };
  return issuingFiber().issue({
    kind,
    operation,
    name: isText ? name : String(name),
    args: told,
    ...more,
  });
}

/**
 * A copy of an argument, in which functions and symbols are empty objects: of a wrong type wherever
 * the engine looks, so that its own validation refuses them.
 *
 * @param {unknown} value
 * @returns {unknown}
 */
function plainly(value) {
  return decode(encode(value, { functionsAsObjects: true }));
}

/**
 * @param {any} config whose delay is a function
 * @returns {unknown}
 */
function withoutDelay(config) {
  const { delay, ...retries } = config.retries;
  void delay;
  return plainly({ ...config, retries });
}

/**
 * @param {any} rollback what the user passed as rollback options
 * @returns {Record<string, unknown>}
 */
function describeRollback(rollback) {
  if (typeof rollback !== "object" || rollback === null) return { isValidRollback: false };
  return {
    rollback: {
      hasHandler: typeof rollback.rollback === "function",
      config: plainly(rollback.rollbackConfig),
    },
  };
}

/**
 * @param {any} argument what the engine gives to a function of a step
 * @returns {any} the same, noticing when user code reads what differs between attempts
 */
function withObservedContext(argument) {
  for (const context of [argument, argument?.ctx]) {
    if (typeof context !== "object" || context === null) continue;
    observe(context, "attempt", "context");
    observe(context.step, "count", "context");
  }
  return argument;
}

/**
 * @param {any} event what `run` or a wait is given
 * @returns {any} the same, noticing when user code reads at which time it came
 */
function withObservedTime(event) {
  return observe(event, "timestamp", "clock");
}

module.exports = { WorkflowStep, withObservedContext, withObservedTime };

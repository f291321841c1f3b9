/**
 * The scenario API in JavaScript: each function returns a plain, tagged object that says what was
 * asked for and where. Nothing is judged here; eutaxy reads the objects and reports what is wrong
 * with them. The types, and what everything means, are in cloudflare.d.ts.
 */

/** @param {Record<string, unknown>} given */
export function defineScenario(given, ...surplus) {
  return declared("scenario", { given }, defineScenario, surplus);
}

/** @param {string} binding @param {string} className @param {Record<string, unknown>} [options] */
export function workflow(binding, className, options = {}, ...surplus) {
  return declared("workflow", { binding, className, options }, workflow, surplus);
}

// -- what the outside does -------------------------------------------------------------------------

/** @param {readonly Record<string, unknown>[]} requests */
export function http(requests, ...surplus) {
  return declared("http", { requests: withPortableBodies(requests, "request") }, http, surplus);
}

/** @param {readonly object[]} events @param {Record<string, unknown>} [options] */
export function concurrently(events, options = {}, ...surplus) {
  return declared("concurrently", { events, options }, concurrently, surplus);
}

/** @param {string} binding @param {Record<string, unknown>} [options] */
export function createInstance(binding, options = {}, ...surplus) {
  const members = { binding, options: withJson(options, ["params"]) };
  return declared("createInstance", members, createInstance, surplus);
}

/** @param {string} binding @param {string} id @param {Record<string, unknown>} event */
export function sendEvent(binding, id, event, ...surplus) {
  const members = { binding, id, event: withJson(event, ["payload"]) };
  return declared("sendEvent", members, sendEvent, surplus);
}

/** @param {string} binding @param {string} operation @param {Record<string, unknown>} options */
export function call(binding, operation, options, ...surplus) {
  const members = { binding, operation, options: withJson(options, ["options"]) };
  return declared("call", members, call, surplus);
}

/** @param {string} binding @param {string} cron @param {Record<string, unknown>} [options] */
export function fireSchedule(binding, cron, options = {}, ...surplus) {
  return declared("fireSchedule", { binding, cron, options }, fireSchedule, surplus);
}

/** @param {number | string} duration */
export function passTime(duration, ...surplus) {
  return declared("passTime", { duration }, passTime, surplus);
}

/** @template T @param {number} count @param {(n: number) => T} make @returns {T[]} */
export function times(count, make) {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new TypeError(`times() was told to make ${count} things; give it a whole number`);
  }
  return Array.from({ length: count }, (_, index) => make(index + 1));
}

// -- services --------------------------------------------------------------------------------------

/** @param {string} name @param {string} host @param {Record<string, unknown>} [options] */
export function external(name, host, options = {}, ...surplus) {
  return declared("external", { name, host, options: service(options) }, external, surplus);
}

function service(options) {
  if (!isPlainObject(options)) return options;
  const portable = withJson(options, ["state"]);
  if (Array.isArray(options.responses)) {
    const responses = withPortableBodies(options.responses, "response");
    portable.responses = responses.map((each) => withConditions(each, "when"));
  }
  if (typeof options.handle === "function") portable.handle = handler(options.handle);
  return portable;
}

/** Bodies that a service function answers become text or bytes too. */
function handler(handle) {
  const called = ({ request, state }) => {
    const handled = handle(request, state);
    if (!isPlainObject(handled) || !isPlainObject(handled.response)) return handled;
    const { body, ...response } = handled.response;
    return { ...handled, response: { ...response, body: portableBody(body, "the body") } };
  };
  return Object.defineProperty(called, "name", { value: handle.name });
}

// -- what happened ---------------------------------------------------------------------------------

/** @param {string} external @param {string} [method] @param {Record<string, unknown>} [options] */
export function fetchCall(external, method, options = {}, ...surplus) {
  const members = { external, method, options: withConditions(options, "where") };
  return declared("fetchCall", members, fetchCall, surplus);
}

/** @param {string} binding @param {string} [operation] @param {Record<string, unknown>} [options] */
export function bindingCall(binding, operation, options = {}, ...surplus) {
  const members = { binding, operation, options: withConditions(options, "where") };
  return declared("bindingCall", members, bindingCall, surplus);
}

/** @param {string} binding @param {string} [step] @param {Record<string, unknown>} [options] */
export function stepResult(binding, step, options = {}, ...surplus) {
  const members = { binding, step, options: withConditions(options, "where") };
  return declared("stepResult", members, stepResult, surplus);
}

/** @param {string} binding @param {string} [status] @param {Record<string, unknown>} [options] */
export function statusChange(binding, status, options = {}, ...surplus) {
  const members = { binding, status, options: withConditions(options, "where") };
  return declared("statusChange", members, statusChange, surplus);
}

/** @param {string} [request] @param {Record<string, unknown>} [options] */
export function response(request, options = {}, ...surplus) {
  const members = { request, options: withConditions(options, "where") };
  return declared("response", members, response, surplus);
}

/** @param {string} binding */
export function workflowRows(binding, ...surplus) {
  return declared("workflowRows", { binding }, workflowRows, surplus);
}

// -- what must be true -----------------------------------------------------------------------------

/** @param {string} name @param {object} selector @param {string} keyPath */
export function atMostOncePerKey(name, selector, keyPath, ...surplus) {
  return declared("atMostOncePerKey", { name, selector, keyPath }, atMostOncePerKey, surplus);
}

/** @param {string} name @param {object} selector @param {string} keyPath @param {object} expected */
export function exactlyOncePerKey(name, selector, keyPath, expected, ...surplus) {
  const members = { name, selector, keyPath, expected: withKeys(expected) };
  return declared("exactlyOncePerKey", members, exactlyOncePerKey, surplus);
}

/** @param {string} name @param {object} selector @param {string} keyPath @param {object} expected */
export function atLeastOncePerKey(name, selector, keyPath, expected, ...surplus) {
  const members = { name, selector, keyPath, expected: withKeys(expected) };
  return declared("atLeastOncePerKey", members, atLeastOncePerKey, surplus);
}

/** @param {string} name @param {object} selector */
export function never(name, selector, ...surplus) {
  return declared("never", { name, selector }, never, surplus);
}

/** @param {string} name @param {[object, string]} first @param {[object, string]} second */
export function notBoth(name, first, second, ...surplus) {
  return declared("notBoth", { name, first, second }, notBoth, surplus);
}

/** @param {string} name @param {[object, string]} first @param {[object, string]} then */
export function ordered(name, first, then, ...surplus) {
  return declared("ordered", { name, first, then }, ordered, surplus);
}

/** @param {string} name @param {[object, string]} cause @param {...[object, string]} effects */
export function implies(name, cause, ...effects) {
  return declared("implies", { name, cause, effects }, implies, []);
}

/** @param {string} name @param {object} rows @param {string} keyPath */
export function unique(name, rows, keyPath, ...surplus) {
  return declared("unique", { name, rows, keyPath }, unique, surplus);
}

/** @param {string} name @param {object} rows @param {string} keyPath @param {number} total */
export function sumEquals(name, rows, keyPath, total, ...surplus) {
  return declared("sumEquals", { name, rows, keyPath, total }, sumEquals, surplus);
}

/** @param {string} name @param {object} rows @param {Function} holds */
export function always(name, rows, holds, ...surplus) {
  return declared("always", { name, rows, holds }, always, surplus);
}

/** @param {string} name @param {object} rows @param {Function} holds */
export function eventually(name, rows, holds, ...surplus) {
  return declared("eventually", { name, rows, holds }, eventually, surplus);
}

/** @param {string} name @param {Function} holds */
export function traceHolds(name, holds, ...surplus) {
  return declared("traceHolds", { name, holds }, traceHolds, surplus);
}

// -- how it is written down ------------------------------------------------------------------------

/**
 * @param {string} kind
 * @param {Record<string, unknown>} members
 * @param {Function} maker The function that the user called; the place is where.
 * @param {unknown[]} surplus Arguments that the function does not have.
 */
function declared(kind, members, maker, surplus) {
  const at = {};
  Error.captureStackTrace?.(at, maker);
  const frame = String(at.stack ?? "").split("\n")[1] ?? "";
  const position = /(?:\(|at )([^()]+:\d+:\d+)\)?$/.exec(frame.trim());
  return { $eutaxy: kind, place: position?.[1] ?? "", ...members, surplus: surplus.length };
}

/** Bodies become text, bytes or JSON text here. */
function withPortableBodies(items, what) {
  if (!Array.isArray(items)) return items;
  return items.map((item, index) =>
    isPlainObject(item) && "body" in item
      ? { ...item, body: portableBody(item.body, `the body of ${what} ${index + 1}`) }
      : item,
  );
}

function portableBody(body, what) {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return { text: body };
  if (body instanceof ArrayBuffer) return { bytes: base64(new Uint8Array(body)) };
  if (ArrayBuffer.isView(body)) {
    return { bytes: base64(new Uint8Array(body.buffer, body.byteOffset, body.byteLength)) };
  }
  return jsonOf(body, what);
}

/** The object with some of its members as JSON text. */
function withJson(options, names) {
  if (!isPlainObject(options)) return options;
  const portable = { ...options };
  for (const name of names) {
    if (options[name] !== undefined) portable[name] = jsonOf(options[name], name);
  }
  return portable;
}

/** The object with the values that are expected at key paths as JSON text. */
function withConditions(options, name) {
  if (!isPlainObject(options) || !isPlainObject(options[name])) return options;
  return { ...options, [name]: withJson(options[name], Object.keys(options[name])) };
}

function withKeys(expected) {
  if (!isPlainObject(expected) || !Array.isArray(expected.keys)) return expected;
  return { ...expected, keys: expected.keys.map((key) => jsonOf(key, "a key")) };
}

/** JSON text leaves out or changes what it cannot say; here that is an error. */
function jsonOf(value, what) {
  const found = oddity(value, []);
  // Thrown here and not where it is found: V8 keeps ten frames, and the user's must be among them.
  if (found !== undefined) throw new TypeError(`${what} has ${found}`);
  return { json: JSON.stringify(value) };
}

/** What JSON cannot say of a value; undefined when it can say all. */
function oddity(value, above) {
  if (value === null || ["string", "boolean"].includes(typeof value)) return undefined;
  if (typeof value === "number" && Number.isFinite(value)) return undefined;
  const isObject = Array.isArray(value) || isPlainObject(value);
  if (!isObject) {
    const found = typeof value === "number" ? String(value) : `a ${kindOf(value)}`;
    return `${found}, which JSON cannot say`;
  }
  if (above.includes(value)) return "an object that contains itself";
  for (const item of Object.values(value)) {
    const isLeftOut = item === undefined && !Array.isArray(value);
    const found = isLeftOut ? undefined : oddity(item, [...above, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function base64(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function kindOf(value) {
  return typeof value === "object" ? (value.constructor?.name ?? "strange object") : typeof value;
}

function isPlainObject(value) {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

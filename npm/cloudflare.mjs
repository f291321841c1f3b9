/**
 * The scenario API in JavaScript: each function returns a plain, tagged object that says what was
 * asked for and where. Nothing is judged here; eutaxy reads the objects and reports what is wrong
 * with them. The types, and what everything means, are in cloudflare.d.ts.
 */

/** @param {Record<string, unknown>} given */
export function defineScenario(given, ...surplus) {
  return declared("scenario", { given }, defineScenario, surplus);
}

/** @param {string} binding @param {string} className */
export function workflow(binding, className, ...surplus) {
  return declared("workflow", { binding, className }, workflow, surplus);
}

/** @param {readonly Record<string, unknown>[]} requests */
export function http(requests, ...surplus) {
  return declared("http", { requests: withPortableBodies(requests, "request") }, http, surplus);
}

/** @param {string} name @param {string} host @param {Record<string, unknown>} [options] */
export function external(name, host, options = {}, ...surplus) {
  const portable =
    isPlainObject(options) && "responses" in options
      ? { ...options, responses: withPortableBodies(options.responses, "response") }
      : options;
  return declared("external", { name, host, options: portable }, external, surplus);
}

/** @param {string} external @param {string} [method] */
export function fetchCall(external, method, ...surplus) {
  return declared("fetchCall", { external, method }, fetchCall, surplus);
}

/** @param {string} binding */
export function workflowRows(binding, ...surplus) {
  return declared("workflowRows", { binding }, workflowRows, surplus);
}

/** @param {string} name @param {object} selector @param {string} keyPath */
export function atMostOncePerKey(name, selector, keyPath, ...surplus) {
  return declared("atMostOncePerKey", { name, selector, keyPath }, atMostOncePerKey, surplus);
}

/** @param {string} name @param {object} rows @param {string} keyPath */
export function unique(name, rows, keyPath, ...surplus) {
  return declared("unique", { name, rows, keyPath }, unique, surplus);
}

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

/** Bodies become text or bytes here, where JavaScript itself says how a value reads as JSON. */
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
  const isJson =
    ["boolean", "number"].includes(typeof body) ||
    Array.isArray(body) ||
    isPlainObject(body) ||
    typeof body?.toJSON === "function";
  if (!isJson) {
    const kind = typeof body === "object" ? body.constructor?.name : typeof body;
    throw new TypeError(`${what} is a ${kind}, which is neither text, bytes nor a JSON value`);
  }
  return { json: JSON.stringify(body) };
}

function base64(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function isPlainObject(value) {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

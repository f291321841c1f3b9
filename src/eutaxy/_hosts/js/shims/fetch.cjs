"use strict";
/**
 * `fetch` as an effect. Its arguments are what goes over the wire, so the body is read whole before
 * the effect is issued: at once when it is in memory, later when it is a stream.
 */

const { STATUS_CODES } = require("node:http");

const { currentEvaluation, issuingFiber, unmodelled } = require("../evaluation.cjs");
const { callerPlace } = require("../stacks.cjs");
const { bodyBytes, bodyValue, headersValue } = require("./bodies.cjs");
const {
  NativeRequest,
  NativeResponse,
  knownBody,
  withImmutableHeaders,
} = require("./http_classes.cjs");

/** How many redirects `fetch` follows (Fetch standard, 4.4). */
const REDIRECTS_MAX = 20;

const NULL_BODY_STATUSES = [101, 204, 205, 304];

/**
 * @typedef {{url: string, method: string, headers: Headers, body: Uint8Array | null}} Wire
 */

/**
 * @param {any} input
 * @param {any} [init]
 * @returns {Promise<Response>}
 */
function fetch(input, init) {
  const place = callerPlace();
  const fiber = issuingFiber();
  try {
    // The global, so that its treatment of bodies applies.
    const request =
      input instanceof NativeRequest && init === undefined ? input : new Request(input, init);
    checkScheme(request.url);
    if (request.signal.aborted) return Promise.reject(request.signal.reason);
    const known = knownBody(request);
    const body = known === undefined ? request.arrayBuffer() : known;
    if (known) void request.arrayBuffer();
    const answer =
      body instanceof Promise
        ? body.then((read) => send(fiber, request, new Uint8Array(read), place))
        : send(fiber, request, body, place);
    return abortable(answer, request.signal);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** @param {string} url */
function checkScheme(url) {
  const { protocol } = new URL(url);
  if (protocol === "http:" || protocol === "https:") return;
  if (protocol === "data:" || protocol === "blob:") unmodelled(`fetch of a ${protocol} URL`);
  throw new TypeError(`Fetch API cannot load: ${url}`);
}

/**
 * Issue the request, and those that its redirects ask for.
 *
 * @param {InstanceType<typeof import("../evaluation.cjs").Fiber>} fiber
 * @param {Request} request
 * @param {Uint8Array | null} body
 * @param {string} place
 * @returns {Promise<Response>}
 */
async function send(fiber, request, body, place) {
  /** @type {Wire} */
  let wire = { url: request.url, method: request.method, headers: request.headers, body };
  for (let redirects = 0; ; redirects += 1) {
    const answer = await fiber.issue(callEffect(wire, place));
    const response = toResponse(answer, wire.url);
    const location = response.headers.get("location");
    const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && location !== null;
    if (!isRedirect || request.redirect === "manual") return response;
    if (request.redirect === "error") throw new TypeError("Redirect encountered, but not allowed.");
    if (redirects === REDIRECTS_MAX) throw new TypeError("Too many redirects.");
    wire = redirected(wire, response.status, location);
  }
}

/**
 * @param {Wire} wire
 * @param {string} place
 */
function callEffect({ url, method, headers, body }, place) {
  const withoutFragment = new URL(url);
  withoutFragment.hash = "";
  return {
    kind: "call",
    name: "Fetch",
    operation: method,
    args: {
      url: withoutFragment.href,
      method,
      headers: headersValue(headers),
      body: body === null ? null : bodyValue(body),
    },
    place,
  };
}

/**
 * @param {Wire} wire
 * @param {number} status
 * @param {string} location
 * @returns {Wire} the request that follows (Fetch standard, HTTP-redirect fetch)
 */
function redirected({ url, method, headers, body }, status, location) {
  const target = new URL(location, url);
  checkScheme(target.href);
  const kept = new Headers(headers);
  if (target.origin !== new URL(url).origin) kept.delete("authorization");
  const becomesGet =
    (method === "POST" && (status === 301 || status === 302)) ||
    (status === 303 && method !== "GET" && method !== "HEAD");
  if (!becomesGet) return { url: target.href, method, headers: kept, body };
  for (const name of ["content-encoding", "content-language", "content-location", "content-type"]) {
    kept.delete(name);
  }
  return { url: target.href, method: "GET", headers: kept, body: null };
}

/**
 * @param {{status: number, headers?: Record<string, string>, body?: any}} answer
 * @param {string} url
 * @returns {Response}
 */
function toResponse(answer, url) {
  const { status, headers = {} } = answer ?? {};
  if (!Number.isInteger(status)) {
    currentEvaluation().fail(`the answer to fetch of ${url} has no status`, "");
    return Response.error();
  }
  const body = NULL_BODY_STATUSES.includes(status) ? null : bodyBytes(answer.body);
  const statusText = STATUS_CODES[status] ?? "";
  const response = new NativeResponse(body, { status, statusText, headers });
  Object.defineProperty(response, "url", { value: url, configurable: true });
  return withImmutableHeaders(response);
}

/**
 * @param {Promise<Response>} answer
 * @param {AbortSignal} signal
 * @returns {Promise<Response>} rejects as soon as the signal aborts
 */
function abortable(answer, signal) {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    answer.then(resolve, reject);
  });
}

module.exports = { fetch };

"use strict";
/**
 * Request and Response: Node's own classes, with what the platform adds or does otherwise. The
 * constructors are wrapped; prototypes stay Node's, so that clones and statics are instances too.
 */

const { unmodelled } = require("../evaluation.cjs");
const { bytesInMemory, serialiseForm } = require("./bodies.cjs");

const NativeRequest = Request;
const NativeResponse = Response;

/**
 * Bytes of bodies that were in memory when the request was made.
 *
 * @type {WeakMap<object, Uint8Array>}
 */
const knownBodies = new WeakMap();

/** `cf` of requests by user code or by the scenario. @type {WeakMap<object, unknown>} */
const givenCf = new WeakMap();

const CF_REMEDY =
  "the scenario's requests come from nowhere, so no value of it would be true; let the code read " +
  "what it needs from a header, such as cf-ipcountry, and send that header in the scenario";

/**
 * Requests that came in without `cf`, which the platform would have filled.
 *
 * @type {WeakSet<object>}
 */
const incoming = new WeakSet();

/**
 * Make FormData deterministic, and streams acceptable without `duplex`.
 *
 * @param {any} init of a Request
 * @returns {any}
 */
function prepareInit(init) {
  const body = init?.body;
  // `new Request(url, request)`: a request has everything that it takes, `duplex` too.
  if (body === undefined || body === null || init instanceof NativeRequest) return init;
  if (body instanceof FormData) return withForm(init, body);
  if (bytesInMemory(body) === null) return { duplex: "half", ...init };
  return init;
}

/**
 * @param {any} init
 * @param {FormData} form
 * @returns {any} init with the form serialised
 */
function withForm(init, form) {
  const { type, body } = serialiseForm(form);
  const headers = new Headers(init?.headers);
  if (!headers.has("content-type")) headers.set("content-type", type);
  return { ...init, headers, body, duplex: "half" };
}

/** @returns {typeof Request} */
function makeRequest() {
  const replacement = new Proxy(NativeRequest, {
    construct(target, [input, init], newTarget) {
      const prepared = prepareInit(init);
      const request = Reflect.construct(target, [input, prepared], newTarget);
      const bytes = prepared?.body === undefined ? null : bytesInMemory(prepared.body);
      if (bytes !== null) knownBodies.set(request, bytes);
      inheritCf(request, input, init);
      return request;
    },
  });
  define(NativeRequest.prototype, "constructor", { value: replacement, writable: true });
  define(NativeRequest.prototype, "cf", { get: readCf, enumerable: true });
  return replacement;
}

/**
 * @param {Request} request
 * @param {any} input what it was made from
 * @param {any} init
 */
function inheritCf(request, input, init) {
  const sources = [init, input].filter((each) => each instanceof NativeRequest);
  if (!(init instanceof NativeRequest) && init?.cf !== undefined) givenCf.set(request, init.cf);
  else if (sources.some((source) => incoming.has(source))) incoming.add(request);
  else if (sources.length > 0) givenCf.set(request, givenCf.get(sources[0]));
}

/**
 * @this {Request}
 * @returns {unknown}
 */
function readCf() {
  if (incoming.has(this)) unmodelled("request.cf", { remedy: CF_REMEDY });
  return givenCf.get(this);
}

/** @returns {typeof Response} */
function makeResponse() {
  const replacement = new Proxy(NativeResponse, {
    construct(target, [body = null, init], newTarget) {
      if (init?.webSocket) unmodelled("a Response with a webSocket");
      if (init?.encodeBody === "manual") unmodelled('a Response with encodeBody: "manual"');
      if (!(body instanceof FormData)) return Reflect.construct(target, [body, init], newTarget);
      const { body: written, ...rest } = withForm(init, body);
      return Reflect.construct(target, [written, rest], newTarget);
    },
  });
  define(NativeResponse.prototype, "constructor", { value: replacement, writable: true });
  define(NativeResponse.prototype, "webSocket", { get: () => null, enumerable: true });
  return replacement;
}

/** Add what Node 20 lacks. */
function completeBodies() {
  for (const prototype of [NativeRequest.prototype, NativeResponse.prototype]) {
    if ("bytes" in prototype) continue;
    define(prototype, "bytes", { value: readBytes, writable: true });
  }
}

/**
 * @this {Body}
 * @returns {Promise<Uint8Array>}
 */
async function readBytes() {
  return new Uint8Array(await this.arrayBuffer());
}

/**
 * @param {object} target
 * @param {string} name
 * @param {PropertyDescriptor} descriptor
 */
function define(target, name, descriptor) {
  Object.defineProperty(target, name, { configurable: true, enumerable: false, ...descriptor });
}

/**
 * Headers that came from outside cannot be changed.
 *
 * @template {object} T
 * @param {T} message a Request or Response
 * @returns {T}
 */
function withImmutableHeaders(message) {
  const headers = /** @type {any} */ (message).headers;
  for (const name of ["append", "delete", "set"]) {
    define(headers, name, {
      value: () => {
        throw new TypeError("Can't modify immutable headers.");
      },
      writable: true,
    });
  }
  return message;
}

/**
 * @param {{url: string, method: string, headers: Record<string, string>, cf?: unknown}} value
 * @param {Uint8Array<ArrayBuffer> | null} body
 * @returns {Request} as the platform hands it to `fetch(request)`
 */
function incomingRequest(value, body) {
  const { url, method, headers } = value;
  const init = { method, headers, body, redirect: /** @type {const} */ ("manual") };
  const request = new NativeRequest(url, init);
  if (value.cf === undefined) incoming.add(request);
  else givenCf.set(request, value.cf);
  if (body !== null) knownBodies.set(request, body);
  return withImmutableHeaders(request);
}

/**
 * @param {Request} request
 * @returns {Uint8Array | null | undefined} its body when that is known already; undefined when it
 *   must be read
 */
function knownBody(request) {
  if (request.body === null) return null;
  return request.bodyUsed ? undefined : knownBodies.get(request);
}

module.exports = {
  NativeRequest,
  NativeResponse,
  completeBodies,
  incomingRequest,
  knownBody,
  makeRequest,
  makeResponse,
  withImmutableHeaders,
};

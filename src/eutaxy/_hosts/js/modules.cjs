"use strict";
/**
 * What the bundle's `require` gives: the platform's virtual modules, the `node:` modules, and the
 * Worker's modules that are not code.
 */

const dataModules = require("./data_modules.cjs");
const { currentFiber, unmodelled } = require("./evaluation.cjs");
const {
  missingClass,
  missingFunction,
  missingObject,
  moduleWithMissing,
} = require("./shims/missing.cjs");
const { makeNodeCrypto } = require("./shims/node_crypto.cjs");

/** `node:` modules that neither reach the machine nor hold state that matters. */
const NODE_MODULES = new Map(
  Object.entries({
    assert: require("node:assert"),
    "assert/strict": require("node:assert/strict"),
    buffer: require("node:buffer"),
    events: require("node:events"),
    path: require("node:path"),
    "path/posix": require("node:path").posix,
    querystring: require("node:querystring"),
    string_decoder: require("node:string_decoder"),
    url: require("node:url"),
    util: require("node:util"),
    "util/types": require("node:util").types,
  }),
);

const { AsyncLocalStorage, AsyncResource } = require("node:async_hooks");

/** Base classes of the platform, fresh in each isolate. */
function makeEntrypoints() {
  class Entrypoint {
    /**
     * @param {unknown} ctx
     * @param {unknown} env
     */
    constructor(ctx, env) {
      this.ctx = ctx;
      this.env = env;
    }
  }
  return {
    WorkflowEntrypoint: class WorkflowEntrypoint extends Entrypoint {},
    WorkerEntrypoint: class WorkerEntrypoint extends Entrypoint {},
    DurableObject: class DurableObject extends Entrypoint {},
    RpcTarget: class RpcTarget {},
  };
}

/** What a step throws to be tried no more. */
class NonRetryableError extends Error {
  /**
   * @param {string} message
   * @param {string} [name]
   */
  constructor(message, name = "NonRetryableError") {
    super(message);
    this.name = name;
  }
}

/**
 * @typedef {{entrypoints: ReturnType<typeof makeEntrypoints>,
 *   requireModule: (name: string) => any}} Modules
 * @typedef {{hasNode: boolean, process: object | undefined,
 *   watch: (module: object) => void}} NodeOptions
 */

/**
 * @param {NodeOptions & {env: object, data: Record<string, dataModules.DataModule>}} options
 *   watch: called before user code gets a module that it could change; data: modules that are not
 *   code, by the names that the bundle requires
 * @returns {Modules}
 */
function makeModules({ env, data, hasNode, process, watch }) {
  const entrypoints = makeEntrypoints();
  /** @type {Map<string, any>} */
  const made = new Map();
  const makers = virtualModules(env, entrypoints);
  /** @param {string} name */
  const requireModule = (name) => {
    let module = made.get(name);
    if (module === undefined && Object.hasOwn(data, dataModules.nameIn(name))) {
      module = dataModules.valueOf(data[dataModules.nameIn(name)]);
      made.set(name, module);
    }
    if (module === undefined) {
      module = makers.get(name)?.() ?? nodeModule(name, { hasNode, process, watch });
      made.set(name, module);
    }
    return module;
  };
  return { entrypoints, requireModule };
}

/**
 * @param {object} env
 * @param {ReturnType<typeof makeEntrypoints>} entrypoints
 * @returns {Map<string, () => any>}
 */
function virtualModules(env, entrypoints) {
  return new Map([
    [
      "cloudflare:workers",
      () =>
        moduleWithMissing("cloudflare:workers", {
          ...entrypoints,
          RpcStub: missingClass("RpcStub"),
          env,
          exports: missingObject("exports of cloudflare:workers"),
          waitUntil: (/** @type {any} */ promise) => waitUntil(promise),
          withEnv: missingFunction("withEnv of cloudflare:workers"),
        }),
    ],
    [
      "cloudflare:workflows",
      () => moduleWithMissing("cloudflare:workflows", { NonRetryableError }),
    ],
    [
      "cloudflare:sockets",
      () =>
        moduleWithMissing("cloudflare:sockets", {
          connect: missingFunction("connect (TCP sockets)"),
        }),
    ],
  ]);
}

/**
 * @param {string} name
 * @param {NodeOptions} options
 * @returns {any}
 */
function nodeModule(name, { hasNode, process, watch }) {
  if (name.startsWith("cloudflare:")) return unmodelled(`the module ${name}`);
  const bare = name.replace(/^node:/, "");
  if (!name.startsWith("node:") || (!hasNode && bare !== "async_hooks")) {
    throw new Error(`No such module "${name}".`);
  }
  if (bare === "async_hooks") return moduleWithMissing(name, { AsyncLocalStorage, AsyncResource });
  if (bare === "crypto") return makeNodeCrypto(globalThis.crypto);
  if (bare === "process") return process;
  const native = NODE_MODULES.get(bare);
  if (native === undefined) return moduleWithMissing(name);
  watch(native);
  return native;
}

/** @param {any} promise */
function waitUntil(promise) {
  const fiber = currentFiber();
  if (fiber === null) throw new Error("waitUntil cannot be called in global scope.");
  fiber.waitUntil(promise);
}

/** @returns {object} the `ctx` of a handler or an entrypoint */
function makeContext() {
  return {
    waitUntil: (/** @type {any} */ promise) => waitUntil(promise),
    passThroughOnException: missingFunction("ctx.passThroughOnException"),
    exports: missingObject("ctx.exports"),
    props: {},
  };
}

module.exports = { makeContext, makeModules };

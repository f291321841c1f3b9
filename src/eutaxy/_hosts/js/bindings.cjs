"use strict";
/** `env`: values, Workflow bindings, and stand-ins for bindings that are not modelled. */

const { decode } = require("./codec.cjs");
const { currentEvaluation, issuingFiber } = require("./evaluation.cjs");
const { WorkflowSubscription } = require("./subscription.cjs");
const { missingObject } = require("./shims/missing.cjs");

/**
 * @typedef {{type: "workflow", name: string, class: string} | {type: "value", value: string}
 *   | {type: "unmodelled", what: string}} Binding
 */

/** How people call a binding that Wrangler's configuration lists under a key. */
const KINDS = new Map(
  Object.entries({
    ai: "Workers AI",
    analytics_engine_datasets: "Analytics Engine dataset",
    assets: "static assets",
    browser: "Browser Rendering",
    d1_databases: "D1 database",
    dispatch_namespaces: "dispatch namespace",
    durable_objects: "Durable Object namespace",
    hyperdrive: "Hyperdrive",
    images: "Images",
    kv_namespaces: "KV namespace",
    mtls_certificates: "mTLS certificate",
    pipelines: "pipeline",
    queues: "queue",
    r2_buckets: "R2 bucket",
    ratelimits: "rate limit",
    secrets: "required secret that neither .dev.vars nor .env has:",
    secrets_store_secrets: "Secrets Store secret",
    send_email: "send_email",
    services: "service binding",
    vectorize: "Vectorize index",
    version_metadata: "version metadata",
  }),
);

/**
 * @param {Record<string, Binding>} bindings
 * @returns {Record<string, unknown>}
 */
function makeEnv(bindings) {
  /** @type {Record<string, unknown>} */
  const env = {};
  for (const [name, binding] of Object.entries(bindings)) env[name] = makeBinding(name, binding);
  return env;
}

/**
 * @param {string} name
 * @param {Binding} binding
 * @returns {unknown}
 */
function makeBinding(name, binding) {
  if (binding.type === "workflow") return new WorkflowBinding(name);
  if (binding.type === "value") return decode(binding.value);
  return missingObject(`${KINDS.get(binding.what) ?? binding.what} ${name}`);
}

/**
 * @param {string} target
 * @param {string} operation
 * @param {object} args
 * @returns {Promise<any>}
 */
function call(target, operation, args) {
  return issuingFiber().issue({ kind: "call", name: target, operation, args });
}

class WorkflowBinding {
  #target;

  /** @param {string} name of the binding */
  constructor(name) {
    this.#target = `Workflow:${name}`;
  }

  /** @param {unknown} options */
  create(options) {
    return this.#handle(call(this.#target, "create", { options }));
  }

  /** @param {unknown} id */
  get(id) {
    return this.#handle(call(this.#target, "get", { id }));
  }

  /** @param {unknown} options */
  async createBatch(options) {
    const answer = await call(this.#target, "createBatch", { options });
    const toInstance = (/** @type {any} */ each) => this.#instance(each);
    if (Array.isArray(answer)) return answer.map(toInstance);
    return { ...answer, created: answer.created.map(toInstance) };
  }

  /** @param {unknown} ids */
  deleteBatch(ids) {
    return call(this.#target, "deleteBatch", { ids });
  }

  /** @param {Promise<any>} answer {"id": text} */
  async #handle(answer) {
    return this.#instance(await answer);
  }

  /** @param {any} answer */
  #instance(answer) {
    if (typeof answer?.id !== "string") {
      currentEvaluation().fail(`the answer of ${this.#target} has no instance id`, "");
    }
    return new WorkflowInstance(this.#target, answer.id);
  }
}

class WorkflowInstance {
  #target;

  /**
   * @param {string} target
   * @param {string} id
   */
  constructor(target, id) {
    this.#target = target;
    this.id = id;
  }

  /**
   * @param {string} operation
   * @param {unknown} [options]
   */
  #call(operation, options) {
    return call(this.#target, operation, { id: this.id, options });
  }

  status() {
    return this.#call("status");
  }

  /** @param {unknown} event */
  sendEvent(event) {
    return this.#call("sendEvent", event);
  }

  pause() {
    return this.#call("pause");
  }

  resume() {
    return this.#call("resume");
  }

  /** @param {unknown} [options] */
  terminate(options) {
    return this.#call("terminate", options);
  }

  /** @param {unknown} [options] */
  restart(options) {
    return this.#call("restart", options);
  }

  delete() {
    return this.#call("delete");
  }

  /** @param {any} [options] */
  async subscribe(options) {
    await this.#call("subscribe", options);
    const filter = options?.filter;
    return new WorkflowSubscription(
      (cursor) => this.#call("next", { cursor, filter }),
      options?.cursor,
    );
  }
}

module.exports = { makeEnv };

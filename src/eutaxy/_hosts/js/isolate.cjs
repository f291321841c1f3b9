"use strict";
/**
 * Isolates: one compiled function, called once per isolate. Everything the module keeps in memory
 * lives in that call; what it changed in the shared realm is undone when the evaluation is over.
 */

const { Buffer } = require("node:buffer");
const { types } = require("node:util");
const vm = require("node:vm");

const { makeEnv } = require("./bindings.cjs");
const { decode } = require("./codec.cjs");
const dataModules = require("./data_modules.cjs");
const { inModuleScope, unmodelled } = require("./evaluation.cjs");
const { makeModules } = require("./modules.cjs");
const realm = require("./realm.cjs");
const { redo } = require("./snapshot.cjs");
const { makeProcess } = require("./shims/process.cjs");
const { BUNDLE_NAME } = require("./stacks.cjs");

/** Handlers that the default export may have. */
const HANDLERS = ["fetch", "scheduled", "queue", "email", "tail", "tailStream", "test", "trace"];

/** The date from which `process.env` holds vars (flag nodejs_compat_populate_process_env). */
const PROCESS_ENV_DATE = "2025-04-01";

/**
 * @typedef {import("./bindings.cjs").Binding} Binding
 * @typedef {{env: Record<string, Binding>, flags: string[], date: string,
 *   modules?: Record<string, import("./data_modules.cjs").DataModule>}} Settings
 */

class Program {
  /**
   * @param {string} code CommonJS text of the bundle
   * @param {Settings} settings
   */
  constructor(code, settings) {
    this.settings = settings;
    this.data = settings.modules ?? {};
    this.hasNode = settings.flags.some((flag) => /^nodejs_compat(_v2)?$/.test(flag));
    this.snapshot = realm.open(this.hasNode);
    /** @type {Isolate | null} */
    this.serving = null;
    const script = new vm.Script(wrapped(code), {
      filename: BUNDLE_NAME,
      lineOffset: -1,
      importModuleDynamically: /** @type {any} */ (
        (/** @type {string} */ name) => this.serving?.importModule(name)
      ),
    });
    /** @type {(Buffer: unknown, process: unknown) => Module} */
    this.instantiate = script.runInThisContext();
  }
}

/**
 * The bundle as a function of the globals that Node and user code do not share (see realm.cjs). It
 * starts on a line of its own, so positions in it are those of the file, and runs in strict mode,
 * as the module that is deployed does.
 *
 * @param {string} code
 * @returns {string}
 */
function wrapped(code) {
  const accessors = ["Buffer", "process"].map(
    (name) => `${name}: { get: () => ${name}, set: (value) => { ${name} = value; } }`,
  );
  const head =
    '(function (Buffer, process) { "use strict"; return { ' +
    `accessors: { ${accessors.join(", ")} }, evaluate: function (module, exports, require) {`;
  return `${head}\n${code}\n} }; })`;
}

/**
 * @typedef {{accessors: Record<string, {get: () => unknown, set: (value: unknown) => void}>,
 *   evaluate: (module: object, exports: object, require: (name: string) => any) => void}} Module
 */

class Isolate {
  /** @param {Program} program */
  constructor(program) {
    this.program = program;
    this.env = makeEnv(program.settings.env);
    this.process = program.hasNode ? makeProcess(processEnv(program.settings)) : undefined;
    const { entrypoints, requireModule } = makeModules({
      env: this.env,
      data: program.data,
      hasNode: program.hasNode,
      process: this.process,
      watch: (module) => program.snapshot.addWithMembers(module),
    });
    this.entrypoints = entrypoints;
    this.requireModule = requireModule;
    /** @type {any} */
    this.exports = {};
    /** @type {import("./snapshot.cjs").Change[]} */
    this.changes = [];
  }

  /** Evaluate the module. */
  start() {
    this.beginServing();
    const { hasNode, instantiate } = this.program;
    const [ownBuffer, ownProcess] = hasNode ? [Buffer, this.process] : [undefined, undefined];
    const { accessors, evaluate } = instantiate(ownBuffer, ownProcess);
    for (const [name, accessor] of Object.entries(accessors)) {
      const hidden = { ...accessor, configurable: true, enumerable: false };
      Object.defineProperty(globalThis, name, hidden);
    }
    const module = { exports: this.exports };
    inModuleScope(() => evaluate(module, module.exports, this.requireModule));
    this.exports = module.exports;
  }

  /**
   * Serve an `import()` that the bundler has left as it is.
   *
   * @param {string} name
   * @returns {Promise<object>} a module of Node's vm
   */
  async importModule(name) {
    const isData = Object.hasOwn(this.program.data, dataModules.nameIn(name));
    if (!isData && !/^(cloudflare|node):/.test(name))
      unmodelled(`import() of ${name}, which is not in the bundle`);
    const members = this.requireModule(name);
    // Node adds these to vm only for hosts that ask for them (see node.py).
    const { SyntheticModule } = /** @type {any} */ (vm);
    const names = isData ? ["default"] : [...new Set(["default", ...Object.keys(members)])];
    const module = new SyntheticModule(names, () => {
      for (const each of names)
        module.setExport(each, each === "default" ? members : members[each]);
    });
    await module.link(() => {});
    await module.evaluate();
    // A namespace has a fixed list of names, so it cannot report those that the model lacks.
    const reporter = Object.getPrototypeOf(members);
    if (types.isProxy(reporter)) {
      const own = Object.getOwnPropertyDescriptors({ ...members, default: members });
      Object.defineProperty(module, "namespace", { value: Object.create(reporter, own) });
    }
    return module;
  }

  /** Bring back what this isolate had changed in the realm. */
  enter() {
    this.beginServing();
    redo(this.changes);
    this.changes = [];
  }

  beginServing() {
    this.program.serving = this;
    // Empties `RegExp.$1` and its like, in which the last match of anyone lives on.
    /(?:)/.test("");
  }

  /** Undo what this isolate has changed in the realm. */
  leave() {
    this.changes = this.program.snapshot.undo();
  }

  /** @returns {string[]} */
  handlers() {
    const main = this.exports.default;
    if (typeof main === "function") {
      return HANDLERS.filter((name) => typeof main.prototype?.[name] === "function");
    }
    return HANDLERS.filter((name) => typeof main?.[name] === "function");
  }

  /** @returns {{name: string, kind: string}[]} */
  classes() {
    const { DurableObject, WorkerEntrypoint, WorkflowEntrypoint } = this.entrypoints;
    const kinds = /** @type {[string, any][]} */ ([
      ["workflow", WorkflowEntrypoint],
      ["object", DurableObject],
      ["entrypoint", WorkerEntrypoint],
    ]);
    const found = [];
    for (const [name, value] of Object.entries(this.exports)) {
      if (typeof value !== "function" || name === "default") continue;
      const kind = kinds.find(([, Base]) => value.prototype instanceof Base)?.[0];
      if (kind !== undefined) found.push({ name, kind });
    }
    return found;
  }
}

/**
 * @param {Settings} settings
 * @returns {Record<string, string>}
 */
function processEnv({ env, flags, date }) {
  const isPopulated =
    !flags.includes("nodejs_compat_do_not_populate_process_env") &&
    (date >= PROCESS_ENV_DATE || flags.includes("nodejs_compat_populate_process_env"));
  if (!isPopulated) return {};
  /** @type {Record<string, string>} */
  const texts = {};
  for (const [name, binding] of Object.entries(env)) {
    if (binding.type !== "value") continue;
    const value = decode(binding.value);
    texts[name] = typeof value === "string" ? value : JSON.stringify(value);
  }
  return texts;
}

module.exports = { Isolate, Program };

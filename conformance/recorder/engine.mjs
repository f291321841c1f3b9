// The real engine: bundles programs and runs them in one workerd, each as a Worker of its own.

import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pass } from "node:timers/promises";
import { build } from "esbuild";

/** Name of the installed package that the engine comes from. */
const PACKAGE = process.env.CONFORMANCE_ENGINE ?? "miniflare";
const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import(PACKAGE);

const COMPATIBILITY_DATE = "2026-04-01";

/** The versions that a recording depends on. */
export function engineVersions() {
  const require = createRequire(import.meta.url);
  const path = require.resolve(`${PACKAGE}/package.json`);
  return {
    miniflare: require(path).version,
    workerd: createRequire(path)("workerd/package.json").version,
    node: process.version,
  };
}

/** One engine process with its storage; it can be killed and started again over the same storage. */
export class Engine {
  #options;
  #storage;
  #miniflare;

  constructor(options, storage) {
    this.#options = options;
    this.#storage = storage;
  }

  /** Start an engine with these programs; `outbound(name)` is what answers a program's requests. */
  static async start(programs, outbound) {
    const workers = await Promise.all(programs.map((program) => workerOptions(program, outbound(program.name))));
    const engine = new Engine(workers, await mkdtemp(join(tmpdir(), "conformance-")));
    await engine.#run();
    return engine;
  }

  async #run() {
    this.#miniflare = new Miniflare({
      ...convertV4MiniflareOptions({ workers: this.#options, log: new Log(LogLevel.NONE), handleStructuredLogs() {} }),
      resourcePersistencePath: this.#storage,
    });
    await this.#miniflare.ready;
  }

  /** Send a request to one of the programs. */
  fetch(name, path, init) {
    return this.#miniflare.dispatchFetch(`http://${host(name)}${path}`, init);
  }

  /** Kill the engine process, let time pass, and start another over the same storage. */
  async crash(downMs) {
    await this.#miniflare.dispose();
    await pass(downMs);
    await this.#run();
  }

  /** End the engine and forget its storage. */
  async dispose() {
    await this.#miniflare.dispose();
    await rm(this.#storage, { recursive: true, force: true });
  }
}

async function workerOptions(program, answer) {
  const bundle = await build({
    entryPoints: [program.entry],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:*", "node:*"],
  });
  return {
    name: program.name,
    routes: [`${host(program.name)}/*`],
    modules: [{ type: "ESModule", path: "worker.mjs", contents: bundle.outputFiles[0].text }],
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: program.compatibilityFlags,
    workflows: Object.fromEntries(
      Object.entries(program.workflows).map(([binding, workflow]) => [
        binding,
        {
          name: `${program.name}-${binding.toLowerCase()}`,
          className: workflow.class,
          ...(workflow.limits?.steps === undefined ? {} : { stepLimit: workflow.limits.steps }),
        },
      ]),
    ),
    outboundService: answer,
  };
}

/** The host name under which a program answers requests. */
function host(name) {
  return `${name}.test`;
}

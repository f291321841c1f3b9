// The services outside: they answer by the rules of the driver file and keep what arrived, in order.

import { setTimeout as pass } from "node:timers/promises";
import { Response } from "miniflare";
import { inAnyOrder } from "./recording.mjs";

/** All outbound traffic of one program. */
export class Services {
  #rules;
  #calls = new Map();

  constructor(rules) {
    this.#rules = new Map([["log.example", { host: "log.example" }], ...rules]);
  }

  /** Answer one request, and note it at the place where it arrived. */
  async answer(request) {
    const url = new URL(request.url);
    const rule = this.#rules.get(url.host);
    if (rule === undefined) return new Response(`no service is declared for ${url.host}`, { status: 599 });
    const call = { method: request.method, path: url.pathname + url.search, body: "" };
    const earlier = this.calls(url.host).filter((other) => rule.per !== "path" || other.path === call.path);
    this.#kept(url.host).push(call);
    call.body = await request.text();
    const answers = rule.answers ?? [{}];
    const given = answers[Math.min(earlier.length, answers.length - 1)];
    if (given.delay_ms) await pass(given.delay_ms);
    return new Response(given.body ?? "", { status: given.status ?? 200 });
  }

  /** Put a mark of the driver's clock into the order of what arrives at a host. */
  mark(host, text) {
    this.#kept(host).push({ mark: text });
  }

  /** What arrived at a host so far, without marks; at one path when a path is given. */
  calls(host, path) {
    return this.#kept(host).filter((call) => !("mark" in call) && (path === undefined || call.path === path));
  }

  /** What is recorded: for each host its calls, in the form that its rule asks for. */
  recorded() {
    const hosts = [...this.#calls.keys()].sort();
    return Object.fromEntries(hosts.map((host) => [host, this.#inOrder(host)]));
  }

  #inOrder(host) {
    const calls = this.#kept(host);
    const order = this.#rules.get(host)?.order ?? "total";
    if (order === "total") return calls;
    if (order === "none") return inAnyOrder(calls);
    const paths = [...new Set(calls.map((call) => call.path))].sort();
    return Object.fromEntries(paths.map((path) => [path, this.calls(host, path)]));
  }

  #kept(host) {
    if (!this.#calls.has(host)) this.#calls.set(host, []);
    return this.#calls.get(host);
  }
}

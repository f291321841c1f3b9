// Plays one driver file against one running program and gathers what can be observed.

import { setTimeout as pass } from "node:timers/promises";
import { inAnyOrder } from "./recording.mjs";

const POLL_MS = 25;
const PATIENCE_MS = 60_000;
const ENDED = ["complete", "errored", "terminated"];

/** Carry out the drive of `program`, wait for its end, and give its observables. */
export async function play(engine, program, services) {
  const stage = new Stage(engine, program, services);
  const outcomes = [];
  for (const entry of program.drive) outcomes.push(await stage.act(entry));
  const end = program.end ?? program.instances.map(([workflow, id]) => ({ status: [workflow, id, ENDED] }));
  for (const condition of end) await stage.until(condition);
  await Promise.all(stage.marking);
  await pass(program.lingerMs);
  return { drive: outcomes, calls: services.recorded(), instances: await stage.instances() };
}

class Stage {
  marking = [];
  #engine;
  #program;
  #services;

  constructor(engine, program, services) {
    this.#engine = engine;
    this.#program = program;
    this.#services = services;
  }

  /** One entry of the drive; null when it has no outcome, or none that is the same every time. */
  async act(entry) {
    const outcome = await this.#done(entry);
    return entry.outcome === "unstable" ? null : outcome;
  }

  async #done(entry) {
    if (entry.when !== undefined) await this.until(entry.when);
    if (entry.after_ms !== undefined) await pass(entry.after_ms);
    if (entry.marks !== undefined) {
      this.marking.push(this.#mark(entry.on ?? "log.example", entry.marks));
      return null;
    }
    if (entry.crash !== undefined) {
      await this.#engine.crash(entry.crash.down_ms);
      return null;
    }
    if (entry.request !== undefined) return this.#request(entry.request);
    if (entry.together !== undefined) return this.#together(entry.together);
    if (entry.call === undefined) return null;
    const outcome = await this.#call(entry);
    return entry.call === "status" && "ok" in outcome ? { ok: this.#shown(outcome.ok) } : outcome;
  }

  /** Wait until a condition holds. */
  async until(condition) {
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await this.#holds(condition))) {
      if (Date.now() > deadline) throw new Error(`${JSON.stringify(condition)} did not come true in time`);
      await pass(POLL_MS);
    }
  }

  async #holds(condition) {
    if (condition.calls !== undefined) {
      const [name, count, path] = condition.calls;
      return this.#services.calls(name, path).length >= count;
    }
    if (condition.status === undefined) throw new Error(`unknown condition ${JSON.stringify(condition)}`);
    const [workflow, id, wanted] = condition.status;
    const answer = await this.#call({ call: "status", workflow, id });
    return "ok" in answer && [wanted].flat().includes(answer.ok.status);
  }

  /** The final status of every instance named in the driver file. */
  async instances() {
    const found = {};
    for (const [workflow, id] of this.#program.instances) {
      const answer = await this.#call({ call: "status", workflow, id });
      found[`${workflow}/${id}`] = "ok" in answer ? this.#shown(answer.ok) : answer;
    }
    return found;
  }

  #shown(status) {
    const { __LOCAL_DEV_STEP_OUTPUTS: stepOutputs, ...plain } = status;
    return this.#program.observe.includes("step_outputs") ? { ...plain, step_outputs: stepOutputs } : plain;
  }

  async #mark(name, times) {
    const start = performance.now();
    for (const time of times) {
      await pass(Math.max(0, start + time - performance.now()));
      this.#services.mark(name, `${time} ms`);
    }
  }

  async #together(actions) {
    return inAnyOrder(await Promise.all(actions.map((action) => this.act(action))));
  }

  async #call(entry) {
    const { call, workflow, id } = entry;
    const action = { call, workflow, id, ...("argument" in entry ? { argument: entry.argument } : {}) };
    const answer = await this.#fetch("/__drive", { method: "POST", body: JSON.stringify(action) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${JSON.stringify(action)} was answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  }

  async #request({ method = "GET", path, headers = {}, body }) {
    const answer = await this.#fetch(path, { method, headers, body });
    return { status: answer.status, body: await answer.text() };
  }

  #fetch(path, init) {
    return this.#engine.fetch(this.#program.name, path, init);
  }
}

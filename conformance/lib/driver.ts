/**
 * The Worker side of a driver: carries out one call on a Workflow binding and tells what came of it.
 *
 * A program's default export is `driven()`, or `driven({ fetch })` when it has a handler of its own.
 * `POST /__drive` takes one action of the driver file (README.md) as JSON; every other request goes to the
 * program's own handler.
 */

import { decode, encode } from "./tagged.ts";

type Instance = Record<string, (argument?: unknown) => Promise<unknown>> & { id: string };
type Binding = Record<string, (argument?: unknown) => Promise<unknown>>;
type Handler = (request: Request, env: never) => Promise<Response> | Response;

interface Action {
  call: string;
  workflow: string;
  id?: string;
  argument?: unknown;
}

const ON_BINDING = ["create", "createBatch", "deleteBatch"];

/** Make the default export of a program. */
export function driven(own?: { fetch: Handler }): { fetch: Handler } {
  return {
    async fetch(request, env) {
      if (new URL(request.url).pathname !== "/__drive") {
        return own === undefined ? new Response("no handler", { status: 404 }) : own.fetch(request, env);
      }
      const action = (await request.json()) as Action;
      return Response.json(await outcome(action, (env as Record<string, Binding>)[action.workflow]));
    },
  };
}

async function outcome(action: Action, binding: Binding): Promise<unknown> {
  try {
    return { ok: encode(describe(await perform(action, binding))) };
  } catch (error) {
    if (!(error instanceof Error)) return { error: { thrown: encode(error) } };
    return { error: { name: error.name, message: error.message } };
  }
}

async function perform(action: Action, binding: Binding): Promise<unknown> {
  const given = "argument" in action ? [decode(action.argument)] : [];
  if (ON_BINDING.includes(action.call)) return binding[action.call](...given);
  const instance = (await binding.get(action.id)) as Instance;
  if (action.call === "get") return instance;
  return instance[action.call](...given);
}

/** Handles are told by their id; everything else as it is. */
function describe(result: unknown): unknown {
  if (isHandle(result)) return { id: result.id };
  if (Array.isArray(result)) return result.map(describe);
  if (typeof result === "object" && result !== null && "created" in result) {
    return { ...result, created: (result.created as unknown[]).map(describe) };
  }
  return result;
}

function isHandle(value: unknown): value is Instance {
  return typeof value === "object" && value !== null && "id" in value && "sendEvent" in value;
}

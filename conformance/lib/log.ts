/** What programs use to report: one POST to http://log.example for each thing worth seeing, in order. */

import { encode } from "./tagged.ts";

/** Report `name` (a URL path without its first slash) and, when given, a value in tagged form. */
export async function log(name: string, ...value: unknown[]): Promise<void> {
  const body = value.length === 0 ? "" : JSON.stringify(encode(value[0]));
  const answer = await fetch(`http://log.example/${name}`, { method: "POST", body });
  await answer.text();
}

/** What user code can see of something it caught. */
export function seen(caught: unknown): { name: string; message: string; isError: boolean } | { thrown: unknown } {
  if (!(caught instanceof Error)) return { thrown: caught };
  return { name: caught.name, message: caught.message, isError: true };
}

/** Let real time pass inside a callback. */
export function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

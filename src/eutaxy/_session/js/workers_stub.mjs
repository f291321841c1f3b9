/**
 * Stands for `cloudflare:workers` and `cloudflare:workflows` while a scenario is evaluated, so that
 * it may import a constant from its Worker. Nothing of it runs: the Worker itself runs elsewhere.
 */

export class WorkflowEntrypoint {}
export class WorkerEntrypoint {}
export class DurableObject {}
export class RpcTarget {}
export class RpcStub {}
export class NonRetryableError extends Error {}
export const env = new Proxy({}, { get: () => notHere("env"), has: () => notHere("env") });
export const waitUntil = () => notHere("waitUntil()");
export const withEnv = () => notHere("withEnv()");

function notHere(what) {
  throw new Error(`${what} of cloudflare:workers is not available in a scenario`);
}

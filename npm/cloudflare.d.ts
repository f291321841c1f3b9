/**
 * The scenario API of eutaxy: what a TypeScript scenario file imports.
 *
 * A scenario file exports one scenario by default:
 *
 * ```ts
 * export default defineScenario({
 *   name: "expenses",
 *   worker: { entry: "./worker.ts", config: "./wrangler.jsonc" },
 *   setup: [workflow("APPROVALS", "ExpenseApproval")],
 *   drive: http([{ path: "/expenses", body: { expenseId: "exp-1" } }]),
 *   externals: [
 *     external("payouts", "payouts.example", {
 *       responses: [{ method: "POST", path: "/payouts", status: 201, body: { payoutId: "po-1" } }],
 *     }),
 *   ],
 *   invariants: [
 *     atMostOncePerKey("paid-once", fetchCall("payouts", "POST"), "args.body.expenseId"),
 *   ],
 * });
 * ```
 *
 * The functions judge nothing: `eutaxy check` reports what is wrong, with the line of the call.
 */

declare const kind: unique symbol;
interface Declared<Kind extends string> {
  readonly [kind]: Kind;
}

/** A Workflow that the scenario uses; made by `workflow`. */
export interface Setup extends Declared<"setup"> {}
/** What the outside does; made by `http`. */
export interface Drive extends Declared<"drive"> {}
/** An outside service; made by `external`. */
export interface External extends Declared<"external"> {}
/** Requests that an external has applied; made by `fetchCall`. */
export interface FetchCalls extends Declared<"fetchCalls"> {}
/** Instances of a Workflow at the end of the run; made by `workflowRows`. */
export interface WorkflowRows extends Declared<"workflowRows"> {}
/** A claim to check; made by `atMostOncePerKey` or `unique`. */
export interface Invariant extends Declared<"invariant"> {}
/** A whole scenario; made by `defineScenario`. */
export interface Scenario extends Declared<"scenario"> {}

/**
 * Text, or anything that JSON can say (then sent as application/json). Objects of any interface are
 * welcome; those that JSON cannot say (a Map, a Blob) are refused when the scenario is loaded.
 */
export type Body = string | number | boolean | null | object;

/** Milliseconds, or text such as `"10 seconds"`. */
export type Duration = number | string;

/** One driver request. */
export interface Request {
  /** POST when there is a body, else GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, bytes (an ArrayBuffer or a view of one), or anything that JSON can say. */
  readonly body?: Body;
  /**
   * Virtual time since the previous driver event. Without it events are a second apart, or overlap
   * where `maxConcurrentInvocations` allows.
   */
  readonly after?: Duration;
}

/** A driver request by path, to the host worker.example; or by whole URL. */
export type RequestTo =
  | (Request & {
      /** Path and query, from `/`. */
      readonly path: string;
      readonly url?: undefined;
    })
  | (Request & {
      /** The whole URL. */
      readonly url: string;
      readonly path?: undefined;
    });

/** One answer that an external gives. */
export interface Response {
  /** Method that it answers; GET when left out. */
  readonly method?: string;
  /** Path that it answers, from `/`. */
  readonly path: string;
  /** Status code; 200 when left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  /**
   * A request ("POST /charges") that the service must have applied before it answers so. Responses
   * are tried in order, so put the one with the condition first.
   */
  readonly once?: string;
}

/** What an external promises and answers. */
export interface ExternalOptions {
  /** The request header by whose value it deduplicates; left out: it promises nothing. */
  readonly dedupeBy?: string;
  readonly responses?: readonly Response[];
}

/** What to explore, and for how long. */
export interface Bounds {
  /** Most faults in one schedule (1). */
  readonly maxFaultsPerRun?: number;
  /** Most redeliveries of driver events in one schedule (1). */
  readonly maxRedeliveries?: number;
  /** Most invocations of the Worker under way at once (1). */
  readonly maxConcurrentInvocations?: number;
  /** Wall-clock milliseconds that the search may spend (10 000). */
  readonly budgetMs?: number;
}

/** What `defineScenario` takes. */
export interface ScenarioOptions {
  /** As printed; also the default seed. */
  readonly name: string;
  /** The Worker's entry file and its wrangler config, relative to the scenario file. */
  readonly worker: { readonly entry: string; readonly config: string };
  /** The Workflows that the scenario uses. */
  readonly setup?: readonly Setup[];
  /** What the outside does, in order. */
  readonly drive: Drive;
  /** The outside services that the Worker reaches. */
  readonly externals?: readonly External[];
  /** Claims to check; at least one. */
  readonly invariants: readonly Invariant[];
  readonly bounds?: Bounds;
  /** Virtual time until a crashed activation comes back (one second). */
  readonly downtime?: Duration;
}

/** Declares the scenario of a file, which exports it by default. */
export function defineScenario(options: ScenarioOptions): Scenario;

/**
 * Names a Workflow that the scenario uses.
 *
 * @param binding Name of its binding in the wrangler config.
 * @param className The class that its instances run.
 * @example workflow("APPROVALS", "ExpenseApproval")
 */
export function workflow(binding: string, className: string): Setup;

/**
 * Drives the Worker with requests, in order; they are called req-1, req-2 and so on.
 *
 * @example http([{ path: "/expenses", body: { expenseId: "exp-1" }, after: "10 seconds" }])
 */
export function http(requests: readonly RequestTo[]): Drive;

/**
 * Declares an outside service that the Worker reaches by `fetch`.
 *
 * @param name What reports call it.
 * @param host Its host name.
 * @example external("payouts", "payouts.example", { dedupeBy: "idempotency-key" })
 */
export function external(name: string, host: string, options?: ExternalOptions): External;

/**
 * Selects the requests that an external has applied.
 *
 * @param external Name of a declared external.
 * @param method Only requests with this method; left out: any.
 */
export function fetchCall(external: string, method?: string): FetchCalls;

/**
 * Selects the instances of a Workflow at the end of the run, one row each: id, status, params,
 * output and error.
 *
 * @param binding A binding named in `setup`.
 */
export function workflowRows(binding: string): WorkflowRows;

/**
 * Claims that for each key at most one selected effect happens.
 *
 * @param name What reports call the claim.
 * @param keyPath Where an effect has its key ("args.body.expenseId").
 */
export function atMostOncePerKey(name: string, selector: FetchCalls, keyPath: string): Invariant;

/**
 * Claims that in the end no two rows have the same key.
 *
 * @param name What reports call the claim.
 * @param keyPath Where a row has its key ("params.expenseId").
 */
export function unique(name: string, rows: WorkflowRows, keyPath: string): Invariant;

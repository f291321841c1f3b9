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
declare const paths: unique symbol;
interface Declared<Kind extends string> {
  readonly [kind]: Kind;
}

/** A Workflow that the scenario uses; made by `workflow`. */
export interface Setup extends Declared<"setup"> {}
/** Something that the outside does; made by `http`, `sendEvent`, `passTime` ... */
export interface Drive extends Declared<"drive"> {}
/** An outside service; made by `external`. */
export interface External extends Declared<"external"> {}
/** Happenings that an invariant is about, with the key paths that they have; made by `fetchCall` ... */
export interface Selector<Path extends string = string> extends Declared<"selector"> {
  readonly [paths]: Path;
}
/** Instances of a Workflow; made by `workflowRows`. */
export interface WorkflowRows extends Declared<"workflowRows"> {}
/** A claim to check; made by `atMostOncePerKey`, `never`, `unique` ... */
export interface Invariant extends Declared<"invariant"> {}
/** A whole scenario; made by `defineScenario`. */
export interface Scenario extends Declared<"scenario"> {}

/**
 * Text, or anything that JSON can say (then sent as application/json). Objects of any interface are
 * welcome; those that JSON cannot say (a Map, a Blob) are refused when the scenario is loaded.
 */
export type Body = string | number | boolean | null | object;

/** Anything that JSON can say; the rest is refused when the scenario is loaded. */
export type Json = string | number | boolean | null | object;

/** Data of the Worker under check: what its own code sent, stored or returned. */
export type Data = any;

/** Milliseconds, or text such as `"10 seconds"`. */
export type Duration = number | string;

// -- what the outside does --------------------------------------------------------------------------

/**
 * When a driver event happens: virtual time since the previous one; or once an earlier one has been
 * dealt with, and then after a time.
 */
export type After = Duration | { readonly event: string; readonly time?: Duration };

/** What every driver event may say. */
export interface EventOptions {
  /**
   * Left out: events are a second apart, or overlap where `maxConcurrentInvocations` allows.
   */
  readonly after?: After;
  /** What it is called, instead of req-1 or call-1 and so on. */
  readonly name?: string;
}

/** One driver request. */
export interface Request extends EventOptions {
  /** POST when there is a body, else GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, bytes (an ArrayBuffer or a view of one), or anything that JSON can say. */
  readonly body?: Body;
  /** The status that the answer must have in the run without faults. */
  readonly expectStatus?: number;
  /** The client sends it again, a second later, until the answer has a status below 500. */
  readonly retry?: boolean;
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

/** A new instance of a Workflow. */
export interface NewInstance extends EventOptions {
  /** Left out: one is made. */
  readonly id?: string;
  readonly params?: Json;
  /** How long it is kept when it has completed, and when it has ended otherwise. */
  readonly retention?: {
    readonly successRetention?: Duration;
    readonly errorRetention?: Duration;
  };
}

/** An event for an instance. */
export interface InstanceEvent extends EventOptions {
  readonly type: string;
  readonly payload?: Json;
}

/** An operation on an instance. */
export interface InstanceOperation extends EventOptions {
  /** The id of the instance. */
  readonly id: string;
  /** What the operation takes: `{ rollback: true }` for terminate. */
  readonly options?: Json;
}

// -- services ---------------------------------------------------------------------------------------

type RequestPath =
  | "args.url"
  | "args.path"
  | `args.segments.${string}`
  | "args.method"
  | "args.body"
  | `args.${"headers" | "body"}.${string}`;

/** One answer that an external gives; the first that matches is given. */
export interface Response {
  /** Method that it answers; GET when left out. */
  readonly method?: string;
  /**
   * Path that it answers, from `/`: literal, or with `:name` for any one segment, or with `*` as the
   * last segment for all that follow.
   */
  readonly path: string;
  /** Values that the request must have, by key path: `{ "args.body.kind": "card" }`. */
  readonly when?: { readonly [Path in RequestPath]?: Json };
  /**
   * A request ("POST /charges") that the service must have applied before it answers so. Responses
   * are tried in order, so put the one with more conditions first.
   */
  readonly once?: string;
  /** Status code; 200 when left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  /** Replace `{{args.body.id}}` and the like in the body by what the request has there. */
  readonly echo?: boolean;
  /** Virtual time until the answer arrives. */
  readonly latency?: Duration;
}

/** A request as functions of an external see it. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: string;
  /** The path, without query. */
  readonly path: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed, when it is JSON; null when there is none. */
  readonly body: Data;
}

/** What a service does with a request. */
export interface Handled<State> {
  /** The new state; left out: as before. */
  readonly state?: State;
  readonly response: {
    /** Status code; 200 when left out. */
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Body;
  };
  /** False when the request changed nothing, so that it is no effect for invariants. */
  readonly applied?: boolean;
}

/** What an external promises and suffers. */
export interface ExternalPromises {
  /**
   * How it recognises a repetition, which it answers as it did the first time without doing
   * anything: by the value of a header, by a part of the body ("requestId"), or by what a pure
   * function returns, null for no key. Left out: it promises nothing.
   */
  readonly dedupeBy?:
    | string
    | { readonly header: string }
    | { readonly body: string }
    | ((request: ServiceRequest) => string | null);
  /** How long it remembers a key; left out: for good. */
  readonly dedupeWindow?: Duration;
  /** Statuses that it may answer with, as a fault, without having done anything. */
  readonly failures?: readonly number[];
  /** How long an outage lasts, which may then begin as a fault. */
  readonly outage?: Duration;
}

/** An external with canned responses. */
export interface ExternalOptions extends ExternalPromises {
  readonly responses?: readonly Response[];
}

/** An external that is a pure function of a request and its own state. */
export interface StatefulOptions<State> extends ExternalPromises {
  /** The state at first. */
  readonly state: State;
  readonly handle: (request: ServiceRequest, state: State) => Handled<State>;
}

// -- what happened ----------------------------------------------------------------------------------

type CallPath = RequestPath | "answer.status" | `answer.${"headers" | "body"}.${string}` | "answer.body";
type BindingPath = "args" | "answer" | `${"args" | "answer"}.${string}`;
type StepPath =
  | "instance"
  | "params"
  | "step"
  | "count"
  | "value"
  | "error"
  | `${"params" | "value" | "error"}.${string}`;
type StatusPath =
  | "instance"
  | "params"
  | "status"
  | "output"
  | "error"
  | `${"params" | "output" | "error"}.${string}`;
type ResponsePath =
  | "request"
  | "method"
  | "path"
  | "status"
  | "body"
  | `${"headers" | "body" | "segments"}.${string}`;
/** Where a row has a key: `"params.expenseId"`. */
export type RowPath =
  | "id"
  | "status"
  | "params"
  | "output"
  | "error"
  | `${"params" | "output" | "error"}.${string}`;

/** Values that selected happenings must have, by key path. */
export interface Where<Path extends string> {
  readonly where?: { readonly [Each in Path]?: Json };
}

/** Which requests are selected. */
export interface WherePath<Path extends string> extends Where<Path> {
  /** Only requests to a path like this: `"/charges/:id"`, `"/files/*"`. */
  readonly path?: string;
}

/** What a Workflow instance can be asked to do. */
export type Operation =
  | "create"
  | "createBatch"
  | "get"
  | "status"
  | "sendEvent"
  | "pause"
  | "resume"
  | "scheduled"
  | "subscribe"
  | "next"
  | "terminate"
  | "restart"
  | "delete"
  | "deleteBatch";

/** The states of a Workflow instance. */
export type Status =
  | "queued"
  | "running"
  | "waiting"
  | "waitingForPause"
  | "paused"
  | "complete"
  | "errored"
  | "terminated";

/** An instance of a Workflow. */
export interface Row {
  readonly id: string;
  readonly status: Status;
  /** What it was created with. */
  readonly params: Data;
  /** What `run` returned; null before, and when it returned nothing. */
  readonly output: Data;
  /** Why it failed; null when it has not. */
  readonly error: { readonly name: string; readonly message: string } | null;
}

/** One entry of a trace. */
export interface TraceRecord {
  /** Position in the trace, from 1. */
  readonly seq: number;
  readonly kind:
    | "start"
    | "end"
    | "suspended"
    | "effect"
    | "note"
    | "landed"
    | "fault"
    | "clock";
  /** Virtual time since the start of the run. */
  readonly atMs: number;
  /** Whose it is ("workflow:APPROVALS:exp-1#1", "req-1"); empty for clock records. */
  readonly activation: string;
  /** Position among the effects of the activation, from 1; 0 when it is none. */
  readonly effect: number;
  /** What happened ("Fetch:payouts POST", "crash_after"). */
  readonly text: string;
  readonly args: Data;
  readonly answer: Data;
}

// -- what must be true ------------------------------------------------------------------------------

/** Happenings, and where each of them has its key: `[fetchCall("bank"), "args.body.id"]`. */
export type Keyed<Path extends string> = readonly [selector: Selector<Path>, keyPath: NoInfer<Path>];

/** Which keys are expected: a list of them, or the keys of other happenings. */
export type Expected<Path extends string> =
  | { readonly keys: readonly Json[]; readonly of?: undefined }
  | { readonly of: Keyed<Path>; readonly keys?: undefined };

/** Invariants that hold without being declared. */
export type BuiltIn = "stuck" | "compensated-then-done" | "step-changed-its-mind" | "unkeyed-repeat";

/** The rules that suspicions are about. */
export type Suspicion =
  | "F-RUN-1"
  | "F-RUN-4"
  | "R-PAR-2"
  | "R-RB-9"
  | "R-RUN-1"
  | "R-RUN-3"
  | "misread-duration"
  | "refused-call"
  | "swallowed-error"
  | "unused-external"
  | "unused-response";

/**
 * Misfortunes; `crash` stands for all crashes together. From `attemptKilled` on they are optional: they
 * strike only where `faults` of the bounds names them.
 */
export type Fault =
  | "crash"
  | "crashBefore"
  | "crashAfter"
  | "crashInFlight"
  | "crashIdle"
  | "requestLost"
  | "answerLost"
  | "answerLate"
  | "timerLate"
  | "failedStatus"
  | "outage"
  | "answersOutage"
  | "storeFailed"
  | "attemptKilled"
  | "deployed"
  | "queuedLong"
  | "eventAgain"
  | "crashSleepNoted"
  | "crashWaitNoted"
  | "crashRunLogged"
  | "restartHalf"
  | "retentionOver"
  | "statusStale";

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
  /**
   * Most faults of one kind in one schedule; kinds that are left out have no limit of their own, and
   * optional ones do not strike.
   */
  readonly faults?: { readonly [Each in Fault]?: number };
  /**
   * The same for single externals and bindings, by name; a number counts all kinds of faults there:
   * `{ payouts: 1, APPROVALS: { crash: 0 } }`.
   */
  readonly faultsAt?: {
    readonly [place: string]: number | { readonly [Each in Fault]?: number };
  };
}

/** What `defineScenario` takes. */
export interface ScenarioOptions {
  /** As printed; also the default seed. */
  readonly name: string;
  /**
   * The Worker's entry file and its wrangler config, relative to the scenario file. Left out, the
   * entry is `main` of the config.
   */
  readonly worker: { readonly entry?: string; readonly config: string };
  /** The Workflows that the scenario uses. */
  readonly setup?: readonly Setup[];
  /** What the outside does, in order. */
  readonly drive: Drive | readonly Drive[];
  /** The outside services that the Worker reaches. */
  readonly externals?: readonly External[];
  /** Claims to check, besides those that are built in. */
  readonly invariants?: readonly Invariant[];
  /** Built-in invariants that are switched off. */
  readonly without?: readonly BuiltIn[];
  /** Rules whose suspicions are not reported. */
  readonly silenced?: readonly Suspicion[];
  readonly bounds?: Bounds;
  /** Virtual time until a crashed activation comes back (one second). */
  readonly downtime?: Duration;
  /** Platform behaviour: production, or a version of the local engine ("prod"). */
  readonly profile?: "prod" | "local-2026-08" | "local-2026-11";
}

/** Declares the scenario of a file, which exports it by default. */
export function defineScenario(options: ScenarioOptions): Scenario;

/**
 * Names a Workflow that the scenario uses.
 *
 * @param binding Name of its binding in the wrangler config.
 * @param className The class that its instances run.
 * @param options `mayFail`: instances may end errored in the run without faults, which is refused
 *   otherwise. `nextClass`: the class that they run after a deploy; `faults` of the bounds then names
 *   `deployed`.
 * @example workflow("APPROVALS", "ExpenseApproval")
 */
export function workflow(
  binding: string,
  className: string,
  options?: { readonly mayFail?: boolean; readonly nextClass?: string },
): Setup;

/**
 * Drives the Worker with requests, in order; they are called req-1, req-2 and so on.
 *
 * @example http([{ path: "/expenses", body: { expenseId: "exp-1" }, after: "10 seconds" }])
 */
export function http(requests: readonly RequestTo[]): Drive;

/**
 * Lets events happen at one time, in any order.
 *
 * @param events Requests and direct calls; at least two.
 * @param options When all of them come.
 * @example concurrently([http([{ path: "/return" }, { path: "/webhook" }])])
 */
export function concurrently(events: readonly Drive[], options?: { readonly after?: After }): Drive;

/**
 * Creates an instance of a Workflow directly, not through the Worker; called call-1 and so on.
 *
 * @example createInstance("APPROVALS", { id: "exp-1", params: { cents: 4200 } })
 */
export function createInstance(binding: string, options?: NewInstance): Drive;

/**
 * Sends an event to an instance directly, not through the Worker; called call-1 and so on.
 *
 * @param id The id of the instance.
 * @example sendEvent("APPROVALS", "exp-1", { type: "approval", payload: { ok: true } })
 */
export function sendEvent(binding: string, id: string, event: InstanceEvent): Drive;

/**
 * Operates on an instance directly, as an operator does from the dashboard; called call-1 and so on.
 *
 * @example call("APPROVALS", "terminate", { id: "exp-1", after: "1 hour" })
 */
export function call(
  binding: string,
  operation: "terminate" | "pause" | "resume" | "restart" | "delete",
  options: InstanceOperation,
): Drive;

/**
 * Lets a schedule of a Workflow fire, which creates an instance; called cron-1 and so on. The firing
 * comes at the next moment that the cron expression names, counted from where the events before it
 * stand; virtual time begins on 1 January 2026, 00:00 UTC.
 *
 * @param cron One of the `schedules` that the wrangler config gives the Workflow.
 * @example fireSchedule("REPORTS", "0 3 * * *")
 */
export function fireSchedule(binding: string, cron: string, options?: { readonly name?: string }): Drive;

/**
 * Lets time pass in which the outside does nothing; called clock-1 and so on. The next event counts
 * from its end.
 *
 * @example [http([{ path: "/start" }]), passTime("30 days")]
 */
export function passTime(duration: Duration): Drive;

/**
 * Makes several things alike, such as requests, from their numbers, which begin at 1.
 *
 * @example http(times(3, (n) => ({ path: `/orders/${n}` })))
 */
export function times<T>(count: number, make: (n: number) => T): T[];

/**
 * Declares an outside service that the Worker reaches by `fetch`.
 *
 * @param name What reports call it.
 * @param host Its host name.
 * @example external("payouts", "payouts.example", { dedupeBy: "idempotency-key" })
 */
export function external<State>(
  name: string,
  host: string,
  options: StatefulOptions<State>,
): External;
export function external(name: string, host: string, options?: ExternalOptions): External;

/**
 * Selects the requests that an external has applied. Their key paths begin with `args.` (url, path,
 * method, headers, body) or `answer.` (status, headers, body).
 *
 * @param external Name of a declared external.
 * @param method Only requests with this method; left out: any.
 * @example fetchCall("bank", "POST", { path: "/refunds", where: { "args.body.full": true } })
 */
export function fetchCall(
  external: string,
  method?: string,
  options?: WherePath<CallPath>,
): Selector<CallPath>;

/**
 * Selects calls of a binding that did their work, also those of the driver. Their key paths begin
 * with `args` or `answer`.
 *
 * @param binding A binding named in `setup`.
 * @param operation Only this one; left out: any.
 * @example bindingCall("APPROVALS", "sendEvent")
 */
export function bindingCall(
  binding: string,
  operation?: Operation,
  options?: Where<BindingPath>,
): Selector<BindingPath>;

/**
 * Selects outcomes of steps that were stored. Their key paths begin with instance, params, step,
 * count, value or error.
 *
 * @param binding A binding named in `setup`.
 * @param step Name of the step; left out: any.
 * @example stepResult("APPROVALS", "pay out")
 */
export function stepResult(
  binding: string,
  step?: string,
  options?: Where<StepPath>,
): Selector<StepPath>;

/**
 * Selects moments at which an instance changed its status. Their key paths begin with instance,
 * params, status, output or error.
 *
 * @param binding A binding named in `setup`.
 * @param status The new status; left out: any.
 * @example statusChange("APPROVALS", "errored")
 */
export function statusChange(
  binding: string,
  status?: Status,
  options?: Where<StatusPath>,
): Selector<StatusPath>;

/**
 * Selects answers that requests of the driver got. Their key paths begin with request, method, path,
 * status, headers or body.
 *
 * @param request Name of the request ("req-1"); left out: any.
 * @example response(undefined, { status: 202, path: "/orders" })
 */
export function response(
  request?: string,
  options?: WherePath<ResponsePath> & { readonly status?: number },
): Selector<ResponsePath>;

/**
 * Selects the instances of a Workflow, one row each: id, status, params, output and error.
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
export function atMostOncePerKey<Path extends string>(
  name: string,
  selector: Selector<Path>,
  keyPath: NoInfer<Path>,
): Invariant;

/**
 * Claims that for each expected key exactly one selected effect happens. More than one breaks it at
 * once; none breaks it at rest.
 *
 * @example exactlyOncePerKey("paid", fetchCall("bank", "POST"), "args.body.id", { keys: ["o-1"] })
 */
export function exactlyOncePerKey<Path extends string, Of extends string = never>(
  name: string,
  selector: Selector<Path>,
  keyPath: NoInfer<Path>,
  expected: Expected<Of>,
): Invariant;

/**
 * Claims that in the end each expected key has had a selected effect.
 *
 * @example
 * atLeastOncePerKey("mailed", fetchCall("mail", "POST"), "args.body.id", {
 *   of: [bindingCall("ORDERS", "create"), "args.options.id"],
 * })
 */
export function atLeastOncePerKey<Path extends string, Of extends string = never>(
  name: string,
  selector: Selector<Path>,
  keyPath: NoInfer<Path>,
  expected: Expected<Of>,
): Invariant;

/**
 * Claims that nothing selected ever happens.
 *
 * @example never("no-run-fails", statusChange("ORDERS", "errored"))
 */
export function never(name: string, selector: Selector): Invariant;

/**
 * Claims that for no key both happen.
 *
 * @example
 * notBoth(
 *   "refunded-or-shipped",
 *   [fetchCall("bank", "POST", { path: "/refunds" }), "args.body.order"],
 *   [fetchCall("depot", "POST"), "args.body.order"],
 * )
 */
export function notBoth<First extends string, Second extends string>(
  name: string,
  first: Keyed<First>,
  second: Keyed<Second>,
): Invariant;

/**
 * Claims that for each key one thing happens only after another has.
 *
 * @param first What must happen first.
 * @param then What may happen only then.
 */
export function ordered<First extends string, Then extends string>(
  name: string,
  first: Keyed<First>,
  then: Keyed<Then>,
): Invariant;

/**
 * Claims that in the end, for each key for which one thing happened, another has happened too; with
 * several effects, at least one of them.
 *
 * @param cause What happened.
 * @param effect What must then have happened.
 * @param others What may have happened instead.
 */
export function implies<Cause extends string, Effect extends string, Other extends string>(
  name: string,
  cause: Keyed<Cause>,
  effect: Keyed<Effect>,
  ...others: Keyed<Other>[]
): Invariant;

/**
 * Claims that in the end no two rows have the same key.
 *
 * @param name What reports call the claim.
 * @param keyPath Where a row has its key ("params.expenseId").
 */
export function unique(name: string, rows: WorkflowRows, keyPath: RowPath): Invariant;

/**
 * Claims that in the end the numbers in all rows add up to a total.
 *
 * @param keyPath Where a row has its number ("output.cents").
 */
export function sumEquals(
  name: string,
  rows: WorkflowRows,
  keyPath: RowPath,
  total: number,
): Invariant;

/**
 * Claims something about rows at every moment.
 *
 * @param holds A pure function from the rows to whether they are as they should be.
 * @example always("at-most-two", workflowRows("JOBS"), (rows) => rows.length <= 2)
 */
export function always(
  name: string,
  rows: WorkflowRows,
  holds: (rows: readonly Row[]) => boolean,
): Invariant;

/**
 * Claims something about rows at rest, once faults have stopped.
 *
 * @param holds A pure function from the rows to whether they are as they should be.
 */
export function eventually(
  name: string,
  rows: WorkflowRows,
  holds: (rows: readonly Row[]) => boolean,
): Invariant;

/**
 * Claims something about the whole trace, judged at rest. With such a claim equal situations with
 * different pasts cannot be treated as one, so far fewer schedules are covered in the same time.
 *
 * @param holds A pure function from the trace to whether it is as it should be.
 */
export function traceHolds(
  name: string,
  holds: (trace: readonly TraceRecord[]) => boolean,
): Invariant;

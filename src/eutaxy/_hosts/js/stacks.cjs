"use strict";
/**
 * Stack traces that say the same on every machine: only frames of the bundle, under one fixed file
 * name. User code sees these stacks too, so a stack that ends up in a step's result is
 * deterministic.
 */

/** What the bundle is called in stacks; positions are those of the bundle file itself. */
const BUNDLE_NAME = "worker.js";

/** How many frames are searched for the user's call site: shims and library code lie above it. */
const FRAMES_SEARCHED = 40;

/**
 * @param {unknown} error
 * @param {NodeJS.CallSite[]} frames
 * @returns {string}
 */
function formatStack(error, frames) {
  const lines = [headline(error)];
  for (const frame of frames)
    if (frame.getFileName() === BUNDLE_NAME) lines.push(`    at ${frame}`);
  return lines.join("\n");
}

/**
 * @param {unknown} error
 * @returns {string}
 */
function headline(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error";
  }
}

/**
 * @returns {string} "<line>:<column>" of the innermost frame in the bundle, both from 1; "" when
 *   the bundle is not on the stack
 */
function callerPlace() {
  return withFormatter((_, frames) => {
    const frame = frames.find((each) => each.getFileName() === BUNDLE_NAME);
    return frame === undefined ? "" : `${frame.getLineNumber()}:${frame.getColumnNumber()}`;
  });
}

/** @returns {string} the frames of the bundle on the stack, one a line */
function callerStack() {
  return withFormatter((_, frames) =>
    frames
      .filter((each) => each.getFileName() === BUNDLE_NAME)
      .map((each) => `    at ${each}`)
      .join("\n"),
  );
}

/**
 * @param {(error: unknown, frames: NodeJS.CallSite[]) => string} format
 * @returns {string}
 */
function withFormatter(format) {
  // User code may have set either of them; it gets its own back.
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = format;
  Error.stackTraceLimit = FRAMES_SEARCHED;
  try {
    const holder = { stack: "" };
    Error.captureStackTrace(holder, withFormatter);
    return holder.stack;
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * @param {any} thrown
 * @returns {string} the stack of something that user code threw; "" when it has none
 */
function stackOf(thrown) {
  try {
    const stack = thrown?.stack;
    return typeof stack === "string" ? stack : "";
  } catch {
    return "";
  }
}

/**
 * @param {string} stack in the form of `formatStack`
 * @returns {string} "<line>:<column>" of its innermost frame; "" when it has none
 */
function placeIn(stack) {
  const [, line, column] = INNERMOST.exec(stack) ?? [];
  return line === undefined ? "" : `${line}:${column}`;
}

const INNERMOST = new RegExp(`^    at .*\\b${BUNDLE_NAME}:(\\d+):(\\d+)\\)?$`, "m");

/**
 * @param {any} thrown
 * @returns {string} one line that names what was thrown
 */
function describe(thrown) {
  try {
    if (typeof thrown === "object" && thrown !== null && "message" in thrown)
      return headline(thrown);
    return String(thrown);
  } catch {
    return "something that has no text form";
  }
}

module.exports = { BUNDLE_NAME, callerPlace, callerStack, describe, formatStack, placeIn, stackOf };

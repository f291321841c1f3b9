"use strict";
/**
 * Streams as results of steps (R-RES-5): the platform reads them to their end and stores the bytes;
 * whoever asks for the result gets a new stream over them.
 */

const { Buffer } = require("node:buffer");

const CHUNK_BYTES_MAX = 16 * 1024 * 1024;

/** A stream that was read to its end; `isText` when some of its chunks were text. */
class StoredStream {
  /**
   * @param {Buffer} bytes
   * @param {boolean} isText
   */
  constructor(bytes, isText) {
    this.bytes = bytes;
    this.isText = isText;
  }
}

/** Says why a stream cannot be stored. */
class UnreadableStream extends Error {}

/**
 * @param {ReadableStream} stream
 * @returns {Promise<StoredStream>}
 */
async function store(stream) {
  if (stream.locked) {
    throw new UnreadableStream(
      "Step returned a ReadableStream that is already locked or otherwise unreadable. Return a " +
        "fresh, unlocked ReadableStream from step.do().",
    );
  }
  const reader = stream.getReader();
  const chunks = [];
  let isText = false;
  for (;;) {
    const { done, value } = await next(reader);
    if (done) return new StoredStream(Buffer.concat(chunks), isText);
    isText ||= typeof value === "string";
    chunks.push(bytesOf(value));
  }
}

/**
 * @param {ReadableStreamDefaultReader<unknown>} reader
 * @returns {Promise<{done: boolean, value?: unknown}>}
 */
async function next(reader) {
  try {
    return await reader.read();
  } catch (problem) {
    const message = problem instanceof Error ? problem.message : String(problem);
    throw new UnreadableStream(`Failed to read from step ReadableStream output. ${message}`);
  }
}

/**
 * @param {unknown} chunk
 * @returns {Buffer}
 */
function bytesOf(chunk) {
  if (typeof chunk === "string") return Buffer.from(chunk);
  const isView = ArrayBuffer.isView(chunk) && !(chunk instanceof DataView);
  if (!isView && !(chunk instanceof ArrayBuffer)) {
    throw new UnreadableStream(
      "Step returned a ReadableStream with unsupported chunk type. Only ArrayBuffer and TypedArray " +
        "chunks are supported.",
    );
  }
  const bytes = isView
    ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    : Buffer.from(/** @type {ArrayBuffer} */ (chunk));
  if (bytes.length > CHUNK_BYTES_MAX) {
    throw new UnreadableStream(
      "Step returned a ReadableStream chunk larger than the maximum allowed size of " +
        `${CHUNK_BYTES_MAX} bytes. Return smaller chunks from step.do().`,
    );
  }
  return bytes;
}

/**
 * @param {Uint8Array} bytes
 * @returns {ReadableStream} a fresh stream that gives them
 */
function replay(bytes) {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(new Uint8Array(bytes));
      controller.close();
    },
  });
}

module.exports = { StoredStream, UnreadableStream, replay, store };

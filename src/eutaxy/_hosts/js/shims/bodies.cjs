"use strict";
/** Bodies of requests and responses: reading them whole, and writing FormData without chance. */

const { createHash } = require("node:crypto");

const encoder = new TextEncoder();

/**
 * @param {any} body
 * @returns {Uint8Array<ArrayBuffer> | null} the bytes of a body that is already in memory; null for
 *   other kinds
 */
function bytesInMemory(body) {
  if (typeof body === "string") return encoder.encode(body);
  if (body instanceof URLSearchParams) return encoder.encode(body.toString());
  if (body instanceof ArrayBuffer) return new Uint8Array(body.slice(0));
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  }
  return null;
}

/**
 * A body as a value: text where it is valid UTF-8, so that models can read it, else bytes.
 *
 * @param {Uint8Array} bytes
 * @returns {string | Uint8Array}
 */
function bodyValue(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

/**
 * @param {any} value body in a value: null, text or binary data
 * @returns {Uint8Array<ArrayBuffer> | null}
 */
function bodyBytes(value) {
  if (value === null || value === undefined) return null;
  const bytes = bytesInMemory(value);
  if (bytes === null) throw new TypeError("a body must be null, text or bytes");
  return bytes;
}

/**
 * @param {Headers} headers
 * @returns {Record<string, string>} by lower-case name
 */
function headersValue(headers) {
  /** @type {Record<string, string>} */
  const value = {};
  for (const [name, text] of headers)
    value[name] = name in value ? `${value[name]}, ${text}` : text;
  return value;
}

/**
 * Serialise a form. The boundary depends on the content only.
 *
 * @param {FormData} form
 * @returns {{type: string, body: Uint8Array | ReadableStream}} a stream where files must be read
 *   first
 */
function serialiseForm(form) {
  const entries = [...form];
  const outline = entries.map(([name, item]) =>
    typeof item === "string" ? [name, item] : [name, item.name, item.type, item.size],
  );
  const hash = createHash("sha256").update(JSON.stringify(outline)).digest("hex");
  const boundary = `----formdata-${hash.slice(0, 24)}`;
  const type = `multipart/form-data; boundary=${boundary}`;
  /** @type {(Uint8Array | Blob)[]} */
  const pieces = [];
  for (const [name, item] of entries) {
    const isText = typeof item === "string";
    let head = `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"`;
    if (!isText) head += `; filename="${escapeName(item.name)}"`;
    if (!isText) head += `\r\ncontent-type: ${item.type || "application/octet-stream"}`;
    pieces.push(encoder.encode(`${head}\r\n\r\n`));
    pieces.push(isText ? encoder.encode(item.replace(/\r?\n|\r/g, "\r\n")) : item);
    pieces.push(encoder.encode("\r\n"));
  }
  pieces.push(encoder.encode(`--${boundary}--\r\n`));
  const isInMemory = pieces.every((piece) => piece instanceof Uint8Array);
  return {
    type,
    body: isInMemory ? joined(/** @type {Uint8Array[]} */ (pieces)) : streamed(pieces),
  };
}

/**
 * @param {string} name
 * @returns {string}
 */
function escapeName(name) {
  return name.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");
}

/**
 * @param {Uint8Array[]} pieces
 * @returns {Uint8Array}
 */
function joined(pieces) {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let filled = 0;
  for (const piece of pieces) {
    whole.set(piece, filled);
    filled += piece.length;
  }
  return whole;
}

/**
 * @param {(Uint8Array | Blob)[]} pieces
 * @returns {ReadableStream}
 */
function streamed(pieces) {
  return new ReadableStream({
    async pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else if (piece instanceof Uint8Array) controller.enqueue(piece);
      else controller.enqueue(new Uint8Array(await piece.arrayBuffer()));
    },
  });
}

module.exports = { bodyBytes, bodyValue, bytesInMemory, headersValue, joined, serialiseForm };

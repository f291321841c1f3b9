"use strict";
/**
 * Frames over two inherited file descriptors: a 4-byte big-endian length, then that many bytes of
 * UTF-8 JSON. Reading blocks the whole process on purpose: between two questions there is nothing
 * to run (see main.cjs).
 */

const fs = require("node:fs");
const { Buffer } = require("node:buffer");

/**
 * @param {number} descriptor
 * @param {number} length
 * @returns {Buffer | null} null when the other side has closed the pipe
 */
function readExactly(descriptor, length) {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = fs.readSync(descriptor, buffer, filled, length - filled, null);
    if (count === 0) return null;
    filled += count;
  }
  return buffer;
}

/**
 * @param {number} descriptor
 * @returns {string | null} the JSON text of the next frame; null at the end of the stream
 */
function readFrame(descriptor) {
  const head = readExactly(descriptor, 4);
  if (head === null) return null;
  const body = readExactly(descriptor, head.readUInt32BE(0));
  return body === null ? null : body.toString("utf8");
}

/**
 * @param {number} descriptor
 * @param {string} text
 */
function writeFrame(descriptor, text) {
  const length = Buffer.byteLength(text, "utf8");
  const frame = Buffer.allocUnsafe(4 + length);
  frame.writeUInt32BE(length, 0);
  frame.write(text, 4, "utf8");
  let written = 0;
  while (written < frame.length) {
    written += fs.writeSync(descriptor, frame, written, frame.length - written);
  }
}

module.exports = { readFrame, writeFrame };

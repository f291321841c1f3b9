"use strict";
/**
 * CompressionStream and DecompressionStream that work when their input ends, on this thread: Node's
 * own finish on other threads, in an order that depends on the load of the machine.
 */

const zlib = require("node:zlib");

const { joined } = require("./bodies.cjs");

const COMPRESS = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  "deflate-raw": zlib.deflateRawSync,
};
const DECOMPRESS = {
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  "deflate-raw": zlib.inflateRawSync,
};

/**
 * @param {string} name
 * @param {Record<string, (bytes: Uint8Array) => Uint8Array>} formats
 */
function makeClass(name, formats) {
  const Class = class {
    /** @type {TransformStream} */
    #transform;

    /** @param {string} format */
    constructor(format) {
      const convert = Object.hasOwn(formats, format) ? formats[format] : undefined;
      if (convert === undefined) {
        throw new TypeError(
          `The compression format must be one of ${Object.keys(formats).join(", ")}.`,
        );
      }
      /** @type {Uint8Array[]} */
      const chunks = [];
      this.#transform = new TransformStream({
        transform(chunk) {
          chunks.push(toBytes(chunk));
        },
        flush(controller) {
          controller.enqueue(new Uint8Array(converted(convert, joined(chunks))));
        },
      });
    }

    get readable() {
      return this.#transform.readable;
    }

    get writable() {
      return this.#transform.writable;
    }
  };
  Object.defineProperty(Class, "name", { value: name, configurable: true });
  return Class;
}

/**
 * @param {(bytes: Uint8Array) => Uint8Array} convert
 * @param {Uint8Array} bytes
 * @returns {Uint8Array}
 */
function converted(convert, bytes) {
  try {
    return convert(bytes);
  } catch (error) {
    throw new TypeError(`Decompression failed: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {any} chunk
 * @returns {Uint8Array}
 */
function toBytes(chunk) {
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk.slice(0));
  if (!ArrayBuffer.isView(chunk))
    throw new TypeError("A chunk must be an ArrayBuffer or a view of one.");
  return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength).slice();
}

const CompressionStreamInOrder = makeClass("CompressionStream", COMPRESS);
const DecompressionStreamInOrder = makeClass("DecompressionStream", DECOMPRESS);

module.exports = { CompressionStreamInOrder, DecompressionStreamInOrder };

"use strict";
/** Randomness of a fiber: the stream SHA-256(salt, 0), SHA-256(salt, 1), … */

const { createHash } = require("node:crypto");

class Generator {
  /** @param {string} salt */
  constructor(salt) {
    this.salt = salt;
    this.blockNumber = 0;
  }

  /**
   * @param {number} count
   * @returns {Uint8Array}
   */
  bytes(count) {
    const bytes = new Uint8Array(count);
    for (let filled = 0; filled < count; filled += 32) {
      const block = createHash("sha256").update(`${this.salt}\0${this.blockNumber}`).digest();
      this.blockNumber += 1;
      bytes.set(block.subarray(0, count - filled), filled);
    }
    return bytes;
  }

  /** @returns {number} in [0, 1), with 53 random bits */
  fraction() {
    const bytes = this.bytes(7);
    let high = 0;
    for (let index = 0; index < 3; index += 1) high = high * 256 + bytes[index];
    let low = 0;
    for (let index = 3; index < 7; index += 1) low = low * 256 + bytes[index];
    // 21 bits above 32 bits.
    return ((high >>> 3) * 2 ** 32 + low) / 2 ** 53;
  }
}

module.exports = { Generator };

"use strict";
/**
 * Results of work that Node does on other threads (crypto, WebAssembly), handed to user code one at
 * a time, in the order of the calls. Without this the machine's load would decide which of two
 * promises settles first.
 *
 * A result waits until everything else is quiet; then `deliverNext` settles one, and what that sets
 * off becomes quiet before the next.
 */

/** @type {{settle: (() => void) | null}[]} */
let waiting = [];

/**
 * @template T
 * @param {Promise<T>} native
 * @returns {Promise<T>} the same outcome, at its turn
 */
function inCallOrder(native) {
  return new Promise((resolve, reject) => {
    /** @type {{settle: (() => void) | null}} */
    const result = { settle: null };
    waiting.push(result);
    native.then(
      (value) => {
        result.settle = () => resolve(value);
      },
      (reason) => {
        result.settle = () => reject(reason);
      },
    );
  });
}

/** @returns {boolean} whether there was a result to deliver */
function deliverNext() {
  for (;;) {
    const result = waiting.shift();
    if (result === undefined) return false;
    // One that never settled although all work has ended never will.
    if (result.settle !== null) {
      result.settle();
      return true;
    }
  }
}

/** @returns {boolean} */
function isAnyWaiting() {
  return waiting.length > 0;
}

function forgetAll() {
  waiting = [];
}

module.exports = { deliverNext, forgetAll, inCallOrder, isAnyWaiting };

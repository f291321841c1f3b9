"use strict";
/** What `subscribe` of a Workflow instance returns: events one after another, until the last. */

const LAST = new Set(["workflow_completed", "workflow_errored", "workflow_terminated"]);

class WorkflowSubscription {
  #ask;
  /** @type {number | undefined} */
  #cursor;
  #isClosed = false;
  /** @type {Promise<unknown>} The requests so far, one after another. */
  #requests = Promise.resolve();
  #isAsking = false;
  /** @type {{error: unknown} | undefined} Why it is broken. */
  #broken;
  /** @type {() => void} */
  #close = () => {};
  #closing = new Promise((resolve) => {
    this.#close = () => resolve(undefined);
  });

  /**
   * @param {(cursor: number | undefined) => Promise<any>} ask for the event after a cursor
   * @param {number | undefined} cursor
   */
  constructor(ask, cursor) {
    this.#ask = ask;
    this.#cursor = cursor;
  }

  /** @returns {Promise<{done: boolean, value: any}>} */
  next() {
    const request = this.#isAsking ? this.#requests.then(() => this.#next()) : this.#next();
    this.#isAsking = true;
    const ended = request.then(
      () => {},
      () => {},
    );
    this.#requests = ended;
    void ended.then(() => {
      if (this.#requests === ended) this.#isAsking = false;
    });
    return request;
  }

  async #next() {
    if (this.#broken !== undefined) throw this.#broken.error;
    if (this.#isClosed) return { done: true, value: undefined };
    let answer;
    try {
      answer = await Promise.race([this.#ask(this.#cursor), this.#closing]);
    } catch (error) {
      // The connection is gone, and what it has told the engine of this subscription with it.
      this.#broken = { error };
      throw error;
    }
    if (this.#isClosed) return { done: true, value: undefined };
    this.#isClosed = answer.done || LAST.has(answer.value.type);
    if (!answer.done) this.#cursor = answer.value.eventId;
    return answer;
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    this.#isClosed = true;
    this.#close();
  }
}

module.exports = { WorkflowSubscription };

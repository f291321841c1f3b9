/**
 * The same Worker. Each row has a number and replaces what had that number, so it makes no
 * difference which attempt writes it, and when. Nothing is removed first.
 */

import { Import as Planted, type Job, store } from "./worker.ts";

export { default } from "./worker.ts";

export class Import extends Planted {
  protected override async write({ job, rows }: Job): Promise<void> {
    for (const [number, row] of rows.entries()) {
      await store("PUT", `/jobs/${job}/rows/${number}`, row);
    }
  }
}

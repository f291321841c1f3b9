/** Shows R-RUN-5: an instance stays, and its id stays taken, after the retention that `create` was given. */

import { WorkflowEntrypoint } from "cloudflare:workers";
import { driven } from "../lib/driver.ts";

export class Flow extends WorkflowEntrypoint {
  async run() {
    return "end";
  }
}

export default driven();

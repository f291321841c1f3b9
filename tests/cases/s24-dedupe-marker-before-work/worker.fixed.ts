/** The same Worker. It does the work first, as often as it is told to, and notes the event last. */

import { apply, noteSeen, type Upgrade } from "./worker.ts";

export default {
  async fetch(request) {
    const upgrade = await request.json<Upgrade>();
    await apply(upgrade);
    await noteSeen(upgrade);
    return Response.json({ event: upgrade.event });
  },
} satisfies ExportedHandler;

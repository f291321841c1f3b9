/** The same Worker. The account hears the client's request id, and does for one id one thing. */

import { withdrawing } from "./worker.ts";

export default withdrawing(({ request, cents }) => ({ request, cents }));

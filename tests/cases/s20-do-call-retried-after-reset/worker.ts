/**
 * Withdraws money from an account.
 *
 *     POST /withdrawals   the client repeats it, under the same request id, until it is answered
 *
 * The account may be reset at any moment. A call that fails for that reason may be tried again.
 */

export interface Withdrawal {
  readonly request: string;
  readonly cents: number;
}

export function withdrawing(tell: (withdrawal: Withdrawal) => object): ExportedHandler {
  return {
    async fetch(request) {
      const withdrawal = await request.json<Withdrawal>();
      for (let attempt = 1; attempt <= 3; attempt++) {
        try {
          const answer = await fetch("https://account.example/withdrawals", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(tell(withdrawal)),
          });
          return Response.json(await answer.json(), { status: answer.status });
        } catch {
          // The account was reset; the next attempt reaches a new one.
        }
      }
      return new Response("try again\n", { status: 503 });
    },
  };
}

export default withdrawing(({ cents }) => ({ cents }));

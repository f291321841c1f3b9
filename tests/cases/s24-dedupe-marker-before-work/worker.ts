/**
 * Gives a user the plan that was paid for: a licence, and a row in the table of users.
 *
 *     POST /psp   the payment provider tells of a paid upgrade; it goes on until the answer is 200
 *
 * The database notes events that were seen. It answers 201 for a new one and 200 for one it has.
 */

export interface Upgrade {
  readonly event: string;
  readonly user: string;
  readonly plan: string;
}

export async function put(url: string, body: object): Promise<number> {
  const answer = await fetch(url, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer.status;
}

export const noteSeen = ({ event }: Upgrade) => put(`https://db.example/seen/${event}`, { event });

/** Both set a value, so that doing them again changes nothing. */
export async function apply({ event, user, plan }: Upgrade): Promise<void> {
  await put(`https://licences.example/${user}`, { event, plan });
  await put(`https://db.example/users/${user}`, { event, plan });
}

export default {
  async fetch(request) {
    const upgrade = await request.json<Upgrade>();
    const isNew = (await noteSeen(upgrade)) === 201;
    if (isNew) await apply(upgrade);
    return Response.json({ event: upgrade.event });
  },
} satisfies ExportedHandler;

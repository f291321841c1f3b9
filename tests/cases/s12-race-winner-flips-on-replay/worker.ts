/**
 * Sends a parcel with whichever carrier quotes first, and pays that carrier a day later.
 *
 *     POST /parcels   starts one Workflow instance, named after the parcel
 */

import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";

const CARRIERS = "https://carriers.example";

export interface Parcel {
  readonly parcel: string;
}

export interface Quote {
  readonly carrier: string;
  readonly cents: number;
}

interface Env {
  readonly PARCELS: Workflow<Parcel>;
}

export async function post(url: string, key: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
}

export class SendParcel extends WorkflowEntrypoint<Env, Parcel> {
  override async run(event: Readonly<WorkflowEvent<Parcel>>, step: WorkflowStep) {
    const { parcel } = event.payload;
    const winner = await this.choose(step);
    await step.do("book", () =>
      post(`${CARRIERS}/bookings`, parcel, { parcel, carrier: winner.carrier }),
    );
    await step.sleep("until it is picked up", "1 day");
    await step.do("settle", () =>
      post("https://bank.example/payments", parcel, {
        parcel,
        to: winner.carrier,
        cents: winner.cents,
      }),
    );
  }

  /** The quicker of two carriers. */
  protected choose(step: WorkflowStep): Promise<Quote> {
    return Promise.race([
      step.do("quote of the snail", () => this.quote("snail")),
      step.do("quote of the hare", () => this.quote("hare")),
    ]);
  }

  protected async quote(carrier: string): Promise<Quote> {
    const answer = await fetch(`${CARRIERS}/quotes/${carrier}`);
    if (!answer.ok) throw new Error(`the quote of ${carrier} gave ${answer.status}`);
    return answer.json<Quote>();
  }
}

export default {
  async fetch(request, env) {
    const parcel = await request.json<Parcel>();
    await env.PARCELS.create({ id: parcel.parcel, params: parcel });
    return Response.json({ accepted: parcel.parcel }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;

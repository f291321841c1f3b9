/**
 * The same Worker, which starts the shipment in a step, under an id that follows from the order. The
 * carrier hears which order a label is for.
 */

import { type WorkflowStep } from "cloudflare:workers";
import {
  ProcessOrder as PlantedProcessOrder,
  ShipOrder as PlantedShipOrder,
  startOnce,
} from "./worker.ts";

export { default } from "./worker.ts";

export class ProcessOrder extends PlantedProcessOrder {
  protected override startShipment(order: string, step: WorkflowStep): Promise<string> {
    return step.do("start the shipment", async () => {
      const id = `ship-${order}`;
      await startOnce(this.env.SHIPMENTS, id, { order });
      return id;
    });
  }
}

export class ShipOrder extends PlantedShipOrder {
  protected override headers(order: string) {
    return { "idempotency-key": `label ${order}` };
  }
}

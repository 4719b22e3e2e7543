/** Orders to many tasks, and what came of them. */
import { answerOf, api } from "@/api/client";
import type { SteeredTask } from "@/api/schema";
import type { Order } from "@/pages/tasks/taskMoves";

export type BulkOrder = { kind: Order } | { kind: "priority"; priority: number };

const MOST_AT_ONCE = 1_000; // ids that one request may name

export interface Refusal {
  reason: string;
  ids: string[];
}

export interface BulkOutcome {
  kind: BulkOrder["kind"];
  done: string[];
  refused: Refusal[];
}

export async function steer(order: BulkOrder, ids: string[]): Promise<BulkOutcome> {
  const told: SteeredTask[] = [];
  for (let from = 0; from < ids.length; from += MOST_AT_ONCE) {
    const { tasks } = await answerOf(request(order, ids.slice(from, from + MOST_AT_ONCE)));
    told.push(...tasks);
  }
  return outcomeOf(order.kind, told);
}

function request(order: BulkOrder, ids: string[]) {
  switch (order.kind) {
    case "pause":
      return api.POST("/api/v1/tasks:pause", { body: { ids } });
    case "resume":
      return api.POST("/api/v1/tasks:resume", { body: { ids } });
    case "cancel":
      return api.POST("/api/v1/tasks:cancel", { body: { ids } });
    case "retry":
      return api.POST("/api/v1/tasks:retry", { body: { ids } });
    case "priority":
      return api.POST("/api/v1/tasks:prioritize", { body: { ids, priority: order.priority } });
  }
}

/** Which tasks did what was wanted, and the others by what the master said of them. */
export function outcomeOf(kind: BulkOrder["kind"], told: SteeredTask[]): BulkOutcome {
  const done: string[] = [];
  const refused = new Map<string, string[]>();
  for (const { id, error } of told) {
    if (error === undefined) done.push(id);
    else {
      const reason = withoutId(error, id);
      refused.set(reason, [...(refused.get(reason) ?? []), id]);
    }
  }
  return { kind, done, refused: [...refused].map(([reason, ids]) => ({ reason, ids })) };
}

/** The sentence without the id, so that the same reason stands there once. */
function withoutId(sentence: string, id: string): string {
  return sentence.replaceAll(`Task ${id} `, "It ").replaceAll(` '${id}'`, "").replaceAll(` ${id}`, "");
}

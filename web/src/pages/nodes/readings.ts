/** What a node says of itself, as it is shown. Apart from React. */
import type { NodeShape } from "@/api/schema";

export interface Readings {
  cpu: number | null; // 0 … 1, as memory and load
  memory: number | null;
  load: number | null;
  received: number | null; // bytes per second
  sent: number | null;
}

const NOTHING: Readings = { cpu: null, memory: null, load: null, received: null, sent: null };
const AWAY = new Set<NodeShape["status"]>(["offline", "unresponsive", "pending"]);

/** The readings of the latest heartbeat; none of a node that is away, since they say nothing any more. */
export function readingsOf({ status, usage, load, last_heartbeat }: NodeShape): Readings {
  if (AWAY.has(status) || last_heartbeat === undefined) return NOTHING;
  return {
    cpu: usage.cpu_usage ?? null,
    memory: usage.memory_usage ?? null,
    load,
    received: usage.network_received ?? null,
    sent: usage.network_sent ?? null,
  };
}

const REASONS = {
  "High resource usage": "highUsage",
  "Task errors detected": "taskErrors",
  "High task latency": "latency",
  "Node is unreachable": "unreachable",
  "No heartbeat yet": "noHeartbeat",
  "It sent no heartbeat in time.": "silent",
  "It was silent for too long.": "gone",
  "It left.": "left",
  "It was taken out of service.": "takenOut",
  "It was asked to drain.": "drained",
  "It was put into maintenance.": "maintenance",
} as const;

export type Reason = { known: (typeof REASONS)[keyof typeof REASONS] } | { text: string };

/** Why a node is as healthy as it is; null where the check gave no reason. */
export function healthReasonOf({ health }: NodeShape): Reason | null {
  const { reason, error } = health.details as { reason?: unknown; error?: unknown };
  return reasonOf(reason ?? error);
}

/** Why a node has its status; null where there is nothing to say. */
export function statusReasonOf({ reason }: NodeShape): Reason | null {
  return reasonOf(reason);
}

/** Reasons that the masters give are translated; others are shown as they are. */
function reasonOf(text: unknown): Reason | null {
  if (typeof text !== "string" || text === "") return null;
  return text in REASONS ? { known: REASONS[text as keyof typeof REASONS] } : { text };
}

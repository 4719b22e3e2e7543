import type { NodeShape } from "@/api/schema";

/** A node for tests. */
export function aNode(told: Partial<NodeShape> = {}): NodeShape {
  return {
    id: "node-1",
    cluster_id: "default",
    name: "Worker 1",
    description: "",
    ip_address: "10.0.0.1",
    port: 9000,
    node_type: "standard",
    capabilities: {},
    resources: { cpu: 4, memory_mb: 8_192 },
    status: "online",
    last_heartbeat: "2026-01-01T10:00:00Z",
    health: { status: "healthy", details: {}, timestamp: "2026-01-01T10:00:00Z" },
    created_at: "2026-01-01T09:00:00Z",
    updated_at: "2026-01-01T09:00:00Z",
    region: "eu",
    slots: 32,
    weight: 1,
    task_types: ["web_crawl"],
    load: 0.5,
    usage: { cpu_usage: 0.42, memory_usage: 0.97, network_received: 2_500_000, network_sent: 1_200 },
    active_tasks: 3,
    session: 1,
    ...told,
  };
}

/** What a health check found; the description of the API does not say which details there are. */
export function details(found: Record<string, unknown>): NodeShape["health"]["details"] {
  return found as NodeShape["health"]["details"];
}

import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";
import type { HealthStatus, NodeStatus } from "@/api/schema";

export const STATUSES: readonly NodeStatus[] = [
  "online",
  "draining",
  "maintenance",
  "pending",
  "unresponsive",
  "offline",
];
export const HEALTH: readonly HealthStatus[] = ["healthy", "degraded", "unhealthy", "unreachable", "unknown"];

export interface NodeFilter {
  status: NodeStatus[];
  health: HealthStatus[];
  search: string;
}

/** Which nodes are looked at, kept in the address of the page. */
export function useNodeFilter(): [NodeFilter, (change: Partial<NodeFilter>) => void] {
  const [params, setParams] = useSearchParams();
  const [status, health, search] = ["status", "health", "search"].map((name) => params.get(name) ?? "");
  const filter = useMemo<NodeFilter>(
    () => ({
      status: chosenOf(STATUSES, status ?? ""),
      health: chosenOf(HEALTH, health ?? ""),
      search: search ?? "",
    }),
    [status, health, search],
  );
  const change = useCallback(
    (changes: Partial<NodeFilter>) =>
      setParams(
        (before) => {
          for (const [name, value] of Object.entries(changes)) {
            const text = typeof value === "string" ? value : value.join(",");
            if (text === "") before.delete(name);
            else before.set(name, text);
          }
          return before;
        },
        { replace: true },
      ),
    [setParams],
  );
  return [filter, change];
}

export function isEmpty({ status, health, search }: NodeFilter): boolean {
  return status.length === 0 && health.length === 0 && search === "";
}

/** Those of the possible values that a text with commas names. */
function chosenOf<Value extends string>(possible: readonly Value[], text: string): Value[] {
  const named = text.split(",");
  return possible.filter((value) => named.includes(value));
}

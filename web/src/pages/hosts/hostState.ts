/** What a host is doing, in one word, and whether a user limited it. */
import type { HostLimitsShape, HostStateShape, HostStatusShape } from "@/api/schema";

export type HostActivity = "blocked" | "resting" | "asking" | "queued" | "idle";

const SHORT_REST = 1; // seconds; less is the rhythm of every crawl

export function activityOf(host: HostStatusShape): HostActivity {
  if (host.blocked) return "blocked";
  if (host.ready_in >= SHORT_REST) return "resting";
  if (host.running > 0) return "asking";
  return host.queued > 0 ? "queued" : "idle";
}

export function isLimited(limits: HostLimitsShape): boolean {
  return limits.blocked || limits.delay !== null || limits.slots !== null;
}

export type RobotsWord = "unknown" | "unavailable" | "rules" | "none";

/** A host that fails before its robots.txt is known does not give it. */
export function robotsOf(state: HostStateShape): RobotsWord {
  return state.robots_status === "unknown" && state.failures > 0 ? "unavailable" : state.robots_status;
}

/** What somebody typed, where it can be the name of a host. */
export function hostNameIn(text: string): string | null {
  const name = text.trim().toLowerCase();
  return /^[\p{L}\p{N}][\p{L}\p{N}.-]*\.[\p{L}\p{N}-]+(:\d{1,5})?$/u.test(name) ? name : null;
}

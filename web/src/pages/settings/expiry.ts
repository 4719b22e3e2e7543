/** Until when a key is good: as it is chosen, and as the API takes it. */

export const LIFETIMES = ["never", "7", "30", "90", "365", "date"] as const;
export type Lifetime = (typeof LIFETIMES)[number];

const DAY = 86_400_000; // milliseconds

/** The moment that is meant; null: none. A day ends where its reader lives. */
export function expiryOf(lifetime: Lifetime, day: string, now = Date.now()): string | null {
  if (lifetime === "never") return null;
  if (lifetime === "date") return new Date(`${day}T23:59:59`).toISOString();
  return new Date(now + Number(lifetime) * DAY).toISOString();
}

/** Whether a day is one that a key may end with. */
export function isDayToCome(day: string, now = Date.now()): boolean {
  return new Date(`${day}T23:59:59`).getTime() > now;
}

export function isOver(moment: string, now = Date.now()): boolean {
  return new Date(moment).getTime() <= now;
}

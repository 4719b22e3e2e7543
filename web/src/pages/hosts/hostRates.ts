/** How many pages each host answers per second, from what was counted at several moments. */
import type { HostStatusShape } from "@/api/schema";

const WINDOW = 20_000; // milliseconds that a rate is the mean of

interface Count {
  at: number; // milliseconds
  settled: number;
}

export class HostRates {
  private readonly counts = new Map<string, Count[]>();

  /** Note what is counted now. */
  note(hosts: HostStatusShape[], at: number): void {
    for (const { host, done, dead } of hosts) {
      const known = this.counts.get(host) ?? [];
      if (known.at(-1)?.at === at) continue;
      const fresh = known.filter((count) => at - count.at <= WINDOW);
      this.counts.set(host, [...fresh, { at, settled: done + dead }]);
    }
  }

  /** Pages per second; null: not known before the second look. */
  of(host: string): number | null {
    const counts = this.counts.get(host) ?? [];
    const [first, last] = [counts[0], counts.at(-1)];
    if (first === undefined || last === undefined || first.at === last.at) return null;
    return (Math.max(last.settled - first.settled, 0) * 1000) / (last.at - first.at);
  }
}

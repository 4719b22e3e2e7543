/** What the live stream brings, apart from React: one connection, and news for those who ask. */
import type { EventShape, OverviewShape } from "@/api/schema";

export type Connection = "connecting" | "live" | "polling" | "lost";

export interface ClusterPoint {
  at: string;
  pages: number | null;
  bytes: number | null;
  errors: number | null;
  queued: number | null;
  running: number | null;
  pending: number | null;
  nodes: Record<string, number>;
}

export interface Snapshot {
  overview: OverviewShape;
  point: ClusterPoint | null;
}

export interface EventBatch {
  items: EventShape[];
  skipped: number;
  last_id: number;
}

export interface LiveListener {
  onSnapshot(snapshot: Snapshot): void;
  onEvents(batch: EventBatch): void;
  onConnection(connection: "connecting" | "live" | "broken"): void;
}

const FIRST_RETRY = 1_000; // milliseconds
const LONGEST_RETRY = 15_000;
const LONGEST_SILENCE = 20_000; // the server says something every 2 seconds

/** Listens until it is closed, and begins again by itself wherever it breaks. */
export class LiveConnection {
  private source: EventSource | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private retry = FIRST_RETRY;
  private lastId: string | null = null;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly listener: LiveListener,
  ) {
    this.open();
  }

  close(): void {
    this.closed = true;
    this.drop();
    clearTimeout(this.timer);
  }

  /** Try at once: the network is there again, or somebody asks for it. */
  again(): void {
    if (this.closed || this.source?.readyState === EventSource.OPEN) return;
    this.drop();
    clearTimeout(this.timer);
    this.open();
  }

  private open(): void {
    const after = this.lastId === null ? "" : `?after=${this.lastId}`;
    this.listener.onConnection("connecting");
    const source = new EventSource(`${this.url}${after}`);
    this.source = source;
    source.onopen = () => {
      this.retry = FIRST_RETRY;
      this.listener.onConnection("live");
      this.heard();
    };
    source.onerror = () => this.broke();
    source.addEventListener("snapshot", (message) => {
      this.heard();
      this.listener.onSnapshot(JSON.parse(message.data) as Snapshot);
    });
    source.addEventListener("events", (message) => {
      this.heard();
      if (message.lastEventId) this.lastId = message.lastEventId;
      this.listener.onEvents(JSON.parse(message.data) as EventBatch);
    });
  }

  private heard(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.broke(), LONGEST_SILENCE);
  }

  private broke(): void {
    this.drop();
    if (this.closed) return;
    this.listener.onConnection("broken");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), this.retry);
    this.retry = Math.min(this.retry * 2, LONGEST_RETRY);
  }

  private drop(): void {
    clearTimeout(this.silence);
    this.source?.close();
    this.source = null;
  }
}

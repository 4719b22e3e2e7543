/** An EventSource without a server: the test says what comes. */
import { onTestFinished, vi } from "vitest";

export class FakeEventSource extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static all: FakeEventSource[] = [];

  /** Takes the place of the browser's own for one test. */
  static install(): void {
    FakeEventSource.all = [];
    vi.stubGlobal("EventSource", FakeEventSource);
    onTestFinished(() => void vi.unstubAllGlobals());
  }

  static get newest(): FakeEventSource {
    const source = FakeEventSource.all.at(-1);
    if (source === undefined) throw new Error("nobody has connected");
    return source;
  }

  readyState: number = FakeEventSource.CONNECTING;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;

  constructor(readonly url: string) {
    super();
    FakeEventSource.all.push(this);
  }

  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }

  open(): void {
    this.readyState = FakeEventSource.OPEN;
    this.onopen?.();
  }

  fail(): void {
    this.onerror?.();
  }

  tell(type: "snapshot" | "events", data: unknown, lastEventId = ""): void {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data), lastEventId }));
  }
}

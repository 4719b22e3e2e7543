/** One stream for the whole app. What it tells makes stale queries fresh; without it, they poll. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { answerOf, api } from "@/api/client";
import { isSignedOut, isUnreachable } from "@/api/errors";
import { SESSION_KEY } from "@/api/queryClient";
import { type Connection, type EventBatch, LiveConnection, type Snapshot } from "@/live/liveState";

const REFRESH_PAUSE = 1_000; // milliseconds between two rounds of questions that events lead to
const POLL_PAUSE = 5_000;

type EventsListener = (batch: EventBatch) => void;

interface Live {
  connection: Connection;
  snapshot: Snapshot | null;
  /** Be told of events as they come; returns how to stop. */
  listen(listener: EventsListener): () => void;
  /** Ask for a connection now. */
  retry(): void;
}

const LiveContext = createContext<Live | null>(null);

export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [stream, setStream] = useState<"connecting" | "live" | "broken">("connecting");
  const [reachable, setReachable] = useState(true);
  const [snapshot, setSnapshot] = useState<Snapshot | null>(null);
  const listeners = useRef(new Set<EventsListener>());
  const current = useRef<LiveConnection | null>(null);

  useEffect(() => {
    const refresher = new Refresher(client);
    const connection = new LiveConnection("/api/v1/live:stream", {
      onSnapshot: (told) => {
        setSnapshot(told);
        client.setQueryData(["overview"], told.overview);
      },
      onEvents: (batch) => {
        refresher.add(batch);
        for (const listener of listeners.current) listener(batch);
      },
      onConnection: (state) => {
        setStream((before) => (state === "connecting" && before === "broken" ? before : state));
        if (state === "live") {
          setReachable(true);
          void client.invalidateQueries();
        }
      },
    });
    current.current = connection;
    const again = () => connection.again();
    window.addEventListener("online", again);
    return () => {
      window.removeEventListener("online", again);
      refresher.close();
      connection.close();
    };
  }, [client]);

  const broken = stream === "broken";
  useEffect(() => {
    if (!broken) return;
    const ask = () => poll(client, setReachable);
    void ask();
    const timer = setInterval(ask, POLL_PAUSE);
    return () => clearInterval(timer);
  }, [broken, client]);

  const live = useMemo<Live>(
    () => ({
      connection: broken ? (reachable ? "polling" : "lost") : stream === "live" ? "live" : "connecting",
      snapshot,
      listen: (listener) => {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
      retry: () => current.current?.again(),
    }),
    [broken, reachable, stream, snapshot],
  );
  return <LiveContext.Provider value={live}>{children}</LiveContext.Provider>;
}

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error("useLive needs a LiveProvider");
  return live;
}

/** Be told of events while a component is shown. */
export function useEvents(listener: EventsListener): void {
  const { listen } = useLive();
  const newest = useRef(listener);
  newest.current = listener;
  useEffect(() => listen((batch) => newest.current(batch)), [listen]);
}

async function poll(client: QueryClient, setReachable: (reachable: boolean) => void): Promise<void> {
  try {
    client.setQueryData(SESSION_KEY, await answerOf(api.GET("/api/v1/session"))); // it may have ended
    setReachable(true);
    await client.invalidateQueries();
  } catch (error) {
    setReachable(!isUnreachable(error));
    if (isSignedOut(error)) client.setQueryData(SESSION_KEY, null);
  }
}

/** Collects what changed and asks for it anew, at most once in a while. */
class Refresher {
  private tasks = new Set<string>();
  private nodes = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly client: QueryClient) {}

  add(batch: EventBatch): void {
    for (const event of batch.items) {
      if (event.task_id) this.tasks.add(event.task_id);
      if (event.node_id) this.nodes.add(event.node_id);
    }
    if (this.timer === undefined && (batch.items.length > 0 || batch.skipped > 0)) {
      this.timer = setTimeout(() => this.refresh(), REFRESH_PAUSE);
    }
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private refresh(): void {
    this.timer = undefined;
    const { tasks, nodes } = this;
    this.tasks = new Set();
    this.nodes = new Set();
    void this.client.invalidateQueries({
      predicate: ({ queryKey: [kind, id] }) => {
        if (kind === "tasks") return tasks.size > 0;
        if (kind === "nodes" || kind === "node-executions") return nodes.size > 0;
        if (kind === "task") return tasks.has(String(id));
        if (kind === "node") return nodes.has(String(id));
        return kind === "attention" || kind === "events";
      },
    });
  }
}

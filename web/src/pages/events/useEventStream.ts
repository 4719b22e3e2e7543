/** Events of the past from the API, and those that happen from the live stream, as one list. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer } from "react";
import { answerOf, api } from "@/api/client";
import { useAction } from "@/components/useAction";
import { useEvents } from "@/live/LiveProvider";
import type { EventBatch } from "@/live/liveState";
import { type EventFilter, fits, queryOf, typesOf } from "./eventFilter";
import { changed, MOST_ROWS, NO_ROWS } from "./eventRows";

const PAGE = 100;
const MOST_IN_BATCH = 200; // events in one message of the stream: with fewer, only heartbeats were left out
const MOST_LOOKED_AT = 1000; // events that the server looks at for one message

export function useEventStream(filter: EventFilter) {
  const [state, change] = useReducer(changed, NO_ROWS);
  const client = useQueryClient();

  // Asked for once; again after a break of the stream, and every few seconds where there is none.
  const newest = useQuery({
    queryKey: ["event-history", filter],
    queryFn: ({ signal }) => read(filter, { limit: PAGE }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  useEffect(() => {
    if (newest.data !== undefined) change({ kind: "newest", items: newest.data.items, limit: PAGE });
  }, [newest.data]);

  useEvents((batch) => {
    change({
      kind: "live",
      items: batch.items.filter((event) => fits(event, filter)),
      skipped: missedIn(batch, filter),
    });
  });

  const older = useAction((before: number) => read(filter, { before, limit: PAGE }), {
    onDone: ({ items }) => change({ kind: "older", items, limit: PAGE }),
  });
  const all = useAction(() => read(filter, { limit: MOST_ROWS }), {
    onDone: ({ items }) => change({ kind: "newest", items, limit: MOST_ROWS }),
  });
  const resume = useCallback(() => {
    change({ kind: "continue" });
    void client.invalidateQueries({ queryKey: ["event-history"] });
  }, [client]);

  return {
    ...state,
    loading: newest.isPending,
    error: newest.data === undefined ? newest.error : null,
    retry: () => void newest.refetch(),
    pause: () => change({ kind: "pause" }),
    resume,
    older: { load: () => older.mutate(state.rows.at(-1)?.id ?? 0), pending: older.isPending },
    skippedOnes: { load: () => all.mutate(undefined), pending: all.isPending },
  };
}

/** How many events that somebody wants to see the stream may have left out of a message. */
export function missedIn({ items, skipped }: EventBatch, filter: EventFilter): number {
  const onlyHeartbeats = items.length < MOST_IN_BATCH && items.length + skipped <= MOST_LOOKED_AT;
  return onlyHeartbeats && !typesOf(filter).includes("node.heartbeat") ? 0 : skipped;
}

function read(filter: EventFilter, page: { before?: number; limit: number }, signal?: AbortSignal) {
  const query = { ...queryOf(filter), ...page, order: "desc" as const };
  return answerOf(api.GET("/api/v1/events", { params: { query }, signal }));
}

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { answerOf, api } from "@/api/client";
import type { ClusterSeriesShape } from "@/api/schema";
import type { Span } from "@/components/SpanPicker";
import { useLive } from "@/live/LiveProvider";
import { isBehind, withPoint } from "./clusterSeries";

// Milliseconds. The shortest span follows the live stream instead.
const REFRESH: Record<Span, number | false> = { "15m": false, "6h": 30_000, "7d": 120_000 };

/** The cluster over time. The newest point comes with the live stream, without asking anew. */
export function useClusterSeries(span: Span) {
  const client = useQueryClient();
  const { snapshot } = useLive();
  const query = useQuery({
    queryKey: ["series", "cluster", span],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/system/series", { params: { query: { span } }, signal })),
    refetchInterval: REFRESH[span],
  });

  const point = snapshot?.point;
  useEffect(() => {
    if (span !== "15m" || !point) return;
    const queryKey = ["series", "cluster", span];
    const shown = client.getQueryData<ClusterSeriesShape>(queryKey);
    if (shown === undefined) return;
    const grown = withPoint(shown, point);
    if (grown === shown) return;
    client.setQueryData(queryKey, grown);
    // This page slept, or nobody sampled: the server knows which.
    if (isBehind(shown, point)) void client.invalidateQueries({ queryKey });
  }, [client, span, point]);

  return query;
}

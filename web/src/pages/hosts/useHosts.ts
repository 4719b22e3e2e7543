import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { answerOf, api } from "@/api/client";
import { ApiError } from "@/api/errors";
import { HostRates } from "./hostRates";

const PAUSE = 3_000; // milliseconds
const PAGE_SIZE = 50;

/** A page of hosts, and how fast each of them is. */
export function useHosts(search: string, cursor: string | undefined) {
  const rates = useRef(new HostRates()).current;
  const hosts = useQuery({
    queryKey: ["hosts", { search, cursor }],
    queryFn: ({ signal }) => {
      const query = { search: search || undefined, cursor, limit: PAGE_SIZE };
      return answerOf(api.GET("/api/v1/hosts", { params: { query }, signal }));
    },
    refetchInterval: PAUSE,
    placeholderData: keepPreviousData,
  });
  if (hosts.data !== undefined && !hosts.isPlaceholderData) {
    rates.note(hosts.data.items, hosts.dataUpdatedAt);
  }
  return { ...hosts, rates };
}

/** One host; null: no crawl has met it, and it has no limits. */
export function useHost(host: string | null) {
  return useQuery({
    queryKey: ["hosts", "one", host],
    queryFn: async ({ signal }) => {
      try {
        const params = { path: { host: host ?? "" } };
        return await answerOf(api.GET("/api/v1/hosts/{host}", { params, signal }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    enabled: host !== null,
    refetchInterval: PAUSE,
  });
}

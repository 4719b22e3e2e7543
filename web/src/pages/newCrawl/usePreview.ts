/** A page, and what the fields take from it: asked again shortly after they change. */
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, api } from "@/api/client";
import type { PagePreview, PreviewRequest } from "@/api/schema";
import { specOf } from "./fields";
import type { FieldDraft } from "./formValues";

const PAUSE_MS = 400;
const KEPT_MS = 5 * 60_000;

export function usePreview(url: string | null, fields: FieldDraft[], metadata: boolean) {
  const client = useQueryClient();
  const now = JSON.stringify({ extraction: specOf(fields), metadata });
  const [wanted] = useDebouncedValue(now, PAUSE_MS);
  const queryKey = ["preview", url, wanted];
  const page = useQuery({
    queryKey,
    enabled: url !== null,
    queryFn: ({ signal }) => ask(url ?? "", wanted, false, signal),
    placeholderData: (before, query) => (query?.queryKey[1] === url ? before : undefined),
    staleTime: KEPT_MS,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const refresh = useMutation({
    mutationFn: () => ask(url ?? "", wanted, true),
    onSuccess: (fresh) => {
      client.removeQueries({
        queryKey: ["preview", url],
        predicate: (query) => query.queryKey[2] !== wanted,
      });
      client.setQueryData(queryKey, fresh);
    },
  });
  return {
    page: page.data,
    error: refresh.error ?? page.error,
    isLooking: (page.isFetching && page.data === undefined) || refresh.isPending,
    isUpdating: page.isFetching || wanted !== now,
    refresh: () => refresh.mutate(),
  };
}

function ask(url: string, wanted: string, refresh: boolean, signal?: AbortSignal): Promise<PagePreview> {
  const body = { url, selectors: {}, refresh, ...JSON.parse(wanted) } as PreviewRequest;
  return answerOf(api.POST("/api/v1/preview", { body, signal }));
}

import { Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import type { NodeShape } from "@/api/schema";
import { useMay } from "@/app/session";
import { Failure } from "@/components/Failure";
import { Pager } from "@/components/Pager";
import { useKeysetPages } from "@/components/useKeysetPages";
import { ActionButtons } from "./ActionButtons";
import { NodeCards } from "./NodeCards";
import { NodeTable } from "./NodeTable";
import { useNodeActions } from "./useNodeActions";
import { isEmpty, type NodeFilter } from "./useNodeFilter";

export type View = "cards" | "table";

const PAGE_SIZE = 30; // nodes

/** The nodes that match a filter, page by page. Another filter begins with the first page again: give it a key. */
export function NodeList({ filter, view }: { filter: NodeFilter; view: View }) {
  const { t } = useTranslation("nodes");
  const pages = useKeysetPages();
  const query = useNodes(filter, pages.cursor);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const maySteer = useMay("operator");
  const chosen = useMemo(
    () => query.data?.items.filter(({ id }) => selected.has(id)) ?? [],
    [query.data, selected],
  );

  if (query.isError && query.data === undefined)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const List = view === "cards" ? NodeCards : NodeTable;
  return (
    <Stack gap="sm">
      {chosen.length > 0 && <BulkActions nodes={chosen} onDone={() => setSelected(new Set())} />}
      <List
        nodes={query.data?.items}
        empty={isEmpty(filter) ? t("list.none") : t("list.noMatch")}
        selected={selected}
        onSelect={maySteer ? setSelected : undefined}
      />
      <Pager pages={pages} nextCursor={query.data?.next_cursor} />
    </Stack>
  );
}

function useNodes({ status, health, search }: NodeFilter, cursor: string | undefined) {
  const query = {
    ...(status.length > 0 && { status }),
    ...(health.length > 0 && { health }),
    ...(search !== "" && { search }),
    ...(cursor !== undefined && { cursor }),
    limit: PAGE_SIZE,
  };
  return useQuery({
    queryKey: ["nodes", query],
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/nodes", { params: { query }, signal })),
    refetchInterval: 10_000, // readings change with heartbeats
  });
}

function BulkActions({ nodes, onDone }: { nodes: NodeShape[]; onDone: () => void }) {
  const { t } = useTranslation(["nodes", "common"]);
  const { act, isPending } = useNodeActions(onDone);
  return (
    <Paper withBorder p="xs" role="toolbar" aria-label={t("actions.label")}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {t("common:table.selected", { count: nodes.length })}
        </Text>
        <ActionButtons nodes={nodes} onAct={act} busy={isPending} />
      </Group>
    </Paper>
  );
}

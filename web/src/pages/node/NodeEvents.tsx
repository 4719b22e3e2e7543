import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { answerOf, api } from "@/api/client";
import type { EventShape } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { Failure } from "@/components/Failure";
import { Moment } from "@/components/Moment";
import { Panel } from "@/components/Panel";
import { EVENT_TYPES, type ShownType, stateChangeOf } from "./nodeEvents";

const HOW_MANY = 15;

/** What happened to a node lately, but for its heartbeats. */
export function NodeEvents({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation("nodes");
  const columns = useColumns();
  const query = useQuery({
    queryKey: ["events", "node", nodeId],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/events", {
          params: { query: { node_id: nodeId, order: "desc", limit: HOW_MANY, types: [...EVENT_TYPES] } },
          signal,
        }),
      ),
  });
  return (
    <Panel
      title={t("events.title")}
      aside={
        <Anchor component={Link} to={`/events?node=${encodeURIComponent(nodeId)}`} size="sm">
          {t("events.all")}
        </Anchor>
      }
    >
      {query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {!query.isError && (
        <DataTable
          label={t("events.table")}
          columns={columns}
          rows={query.data?.items}
          rowId={(event) => String(event.id)}
          empty={t("events.none")}
        />
      )}
    </Panel>
  );
}

function useColumns(): Column<EventShape>[] {
  const { t } = useTranslation("nodes");
  return useMemo(
    () => [
      {
        id: "when",
        header: t("events.when"),
        cell: ({ at }) => (
          <Text size="sm" style={{ whiteSpace: "nowrap" }}>
            <Moment at={at} />
          </Text>
        ),
      },
      {
        id: "what",
        header: t("events.what"),
        cell: (event) => (
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            <What event={event} />{" "}
            {event.task_id !== undefined && (
              <Anchor component={Link} to={`/tasks/${event.task_id}`} inherit>
                {event.task_id}
              </Anchor>
            )}
          </Text>
        ),
      },
    ],
    [t],
  );
}

function What({ event }: { event: EventShape }) {
  const { t } = useTranslation(["nodes", "common"]);
  const change = stateChangeOf(event);
  const named = (state: string) =>
    change?.of === "health"
      ? t(`common:health.${state as "healthy"}`, { defaultValue: state })
      : t(`common:nodeStatus.${state as "online"}`, { defaultValue: state });
  return t(`events.types.${event.type as ShownType}`, {
    from: change === null ? "" : named(change.from),
    to: change === null ? "" : named(change.to),
  });
}

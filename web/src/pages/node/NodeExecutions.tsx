import { Anchor, Badge, type MantineColor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { answerOf, api } from "@/api/client";
import type { ExecutionShape, ExecutionStatus } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { Failure } from "@/components/Failure";
import { Moment } from "@/components/Moment";
import { Pager } from "@/components/Pager";
import { Panel } from "@/components/Panel";
import { useKeysetPages } from "@/components/useKeysetPages";
import { useNow } from "@/components/useNow";
import { formatDuration } from "@/format";
import { runningFirst, secondsOf } from "./executions";
import classes from "./NodeExecutions.module.css";

const PAGE_SIZE = 20;
const COLORS: Record<ExecutionStatus, MantineColor> = { running: "blue", completed: "green", failed: "red" };

/** What runs on a node, and what ran there before. */
export function NodeExecutions({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation("nodes");
  const pages = useKeysetPages();
  const columns = useColumns();
  const query = useQuery({
    queryKey: ["node-executions", nodeId, pages.cursor],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/nodes/{node_id}/executions", {
          params: {
            path: { node_id: nodeId },
            query: { limit: PAGE_SIZE, ...(pages.cursor !== undefined && { cursor: pages.cursor }) },
          },
          signal,
        }),
      ),
  });
  const rows = useMemo(() => query.data && runningFirst(query.data.items), [query.data]);
  return (
    <Panel title={t("executions.title")} description={t("executions.description")}>
      {query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {!query.isError && (
        <DataTable
          label={t("executions.table")}
          columns={columns}
          rows={rows}
          rowId={(execution) => execution.id}
          empty={t("executions.none")}
        />
      )}
      <Pager pages={pages} nextCursor={query.data?.next_cursor} />
    </Panel>
  );
}

function useColumns(): Column<ExecutionShape>[] {
  const { t } = useTranslation("nodes");
  return useMemo(
    () => [
      {
        id: "task",
        header: t("executions.task"),
        cell: ({ task_id }) => (
          <Anchor component={Link} to={`/tasks/${task_id}`} size="sm" className={classes.task}>
            {task_id}
          </Anchor>
        ),
      },
      {
        id: "status",
        header: t("executions.status"),
        cell: ({ status }) => (
          <Badge color={COLORS[status]} variant="light" radius="sm" tt="none" miw="max-content">
            {t(`executions.statuses.${status}`)}
          </Badge>
        ),
      },
      {
        id: "started",
        header: t("executions.started"),
        hideBelow: "sm",
        cell: ({ start_time }) => (
          <Text size="sm" className={classes.together}>
            <Moment at={start_time} />
          </Text>
        ),
      },
      {
        id: "duration",
        header: t("executions.duration"),
        hideBelow: "sm",
        cell: (execution) => <Duration execution={execution} />,
      },
      {
        id: "end",
        header: t("executions.end"),
        hideBelow: "md",
        cell: ({ ended_by }) => (
          <span className={classes.together}>
            {ended_by === undefined ? "–" : t(`executions.ends.${ended_by}`)}
          </span>
        ),
      },
      {
        id: "choice",
        header: t("executions.choice"),
        hideBelow: "lg",
        cell: ({ choice, strategy }) => (
          <Text size="xs" c="dimmed">
            {choice === "" ? strategy : choice}
          </Text>
        ),
      },
    ],
    [t],
  );
}

function Duration({ execution }: { execution: ExecutionShape }) {
  const { i18n } = useTranslation();
  const now = useNow(5_000);
  return <span className={classes.together}>{formatDuration(secondsOf(execution, now), i18n.language)}</span>;
}

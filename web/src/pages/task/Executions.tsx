import { Anchor, Badge, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { answerOf, api } from "@/api/client";
import type { ExecutionShape, TaskShape } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { Failure } from "@/components/Failure";
import { Moment } from "@/components/Moment";
import { useNow } from "@/components/useNow";
import { formatDuration, formatNumber } from "@/format";
import { isAtWork } from "@/pages/tasks/taskMoves";

const OFTEN = 5_000; // milliseconds

/** Every go of a node at the task, the newest first. */
export function Executions({ task }: { task: TaskShape }) {
  const { t, i18n } = useTranslation("task");
  const executions = useQuery({
    queryKey: ["task", task.id, "executions"],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/tasks/{task_id}/executions", { params: { path: { task_id: task.id } }, signal }),
      ),
    refetchInterval: isAtWork(task.status) ? OFTEN : false,
    select: ({ items }) => items.toReversed(),
  });
  const columns = useMemo<Column<ExecutionShape>[]>(
    () => [
      {
        id: "node",
        header: t("history.columns.node"),
        cell: ({ node_id }) => (
          <Anchor component={Link} to={`/nodes/${node_id}`} size="sm">
            {node_id}
          </Anchor>
        ),
      },
      {
        id: "start",
        header: t("history.columns.start"),
        cell: ({ start_time }) => <Moment at={start_time} />,
      },
      {
        id: "duration",
        header: t("history.columns.duration"),
        align: "right",
        hideBelow: "sm",
        cell: (execution) => <Duration execution={execution} />,
      },
      {
        id: "ended",
        header: t("history.columns.ended"),
        cell: (execution) => <Ending execution={execution} />,
      },
      {
        id: "pages",
        header: t("history.columns.pages"),
        align: "right",
        cell: ({ metrics }) => {
          const { pages_crawled } = metrics as { pages_crawled?: number };
          return formatNumber(pages_crawled, i18n.language);
        },
      },
      {
        id: "why",
        header: t("history.columns.why"),
        hideBelow: "md",
        cell: ({ strategy, choice }) => (
          <Text size="sm" maw={340}>
            {strategy}: {choice}
          </Text>
        ),
      },
      {
        id: "allocation",
        header: t("history.columns.allocation"),
        hideBelow: "lg",
        cell: ({ allocation }) =>
          allocation === undefined
            ? "–"
            : t("history.allocation", {
                cores: formatNumber(allocation.cpu_cores, i18n.language, 1),
                memory: formatNumber(allocation.memory_mb, i18n.language),
              }),
      },
    ],
    [t, i18n.language],
  );
  if (executions.isError)
    return <Failure error={executions.error} onRetry={() => void executions.refetch()} />;
  return (
    <DataTable
      label={t("history.executions")}
      columns={columns}
      rows={executions.data}
      rowId={({ id }) => id}
      empty={t("history.noExecutions")}
    />
  );
}

const COLORS = { running: "blue", completed: "green", failed: "red" } as const;

function Ending({ execution }: { execution: ExecutionShape }) {
  const { t } = useTranslation("task");
  const { status, ended_by, stop, result } = execution;
  return (
    <Stack gap={2} align="flex-start">
      <Badge color={COLORS[status]} variant="light" radius="sm" tt="none" autoContrast miw="max-content">
        {ended_by === undefined ? t("history.running") : t(`history.endedBy.${ended_by}`)}
      </Badge>
      {status === "running" && stop !== undefined && (
        <Text size="xs">{t("history.stopping", { why: t(`history.endedBy.${stop}`) })}</Text>
      )}
      {result?.error !== undefined && (
        <Text size="xs" maw={260}>
          {result.error}
        </Text>
      )}
    </Stack>
  );
}

function Duration({ execution }: { execution: ExecutionShape }) {
  const { i18n } = useTranslation();
  const now = useNow(2_000);
  const end = execution.end_time === undefined ? now : Date.parse(execution.end_time);
  return formatDuration(Math.max(0, end - Date.parse(execution.start_time)) / 1000, i18n.language);
}

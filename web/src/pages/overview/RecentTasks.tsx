import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { answerOf, api } from "@/api/client";
import type { TaskShape } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { Failure } from "@/components/Failure";
import { Moment } from "@/components/Moment";
import { Panel } from "@/components/Panel";
import { TaskStatusBadge } from "@/components/StatusBadge";
import { subjectOf } from "./taskSubject";

const HOW_MANY = 5;

export function RecentTasks() {
  const { t } = useTranslation("overview");
  const columns = useColumns();
  const query = useQuery({
    queryKey: ["tasks", "recent"],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/tasks", {
          params: { query: { sort: "-created_at", limit: HOW_MANY, results: false } },
          signal,
        }),
      ),
  });
  return (
    <Panel
      title={t("recent.title")}
      aside={
        <Anchor component={Link} to="/tasks" size="sm">
          {t("recent.all")}
        </Anchor>
      }
    >
      {query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {!query.isError && (
        <DataTable
          label={t("recent.table")}
          columns={columns}
          rows={query.data?.items}
          rowId={(task) => task.id}
          empty={t("recent.none")}
        />
      )}
    </Panel>
  );
}

function useColumns(): Column<TaskShape>[] {
  const { t } = useTranslation("overview");
  return useMemo(
    () => [
      {
        id: "task",
        header: t("recent.task"),
        cell: (task) => (
          <>
            <Anchor component={Link} to={`/tasks/${task.id}`} size="sm" style={{ overflowWrap: "anywhere" }}>
              {subjectOf(task)}
            </Anchor>
            <Text size="xs" c="dimmed" visibleFrom="sm">
              {task.id}
            </Text>
          </>
        ),
      },
      { id: "status", header: t("recent.status"), cell: (task) => <TaskStatusBadge status={task.status} /> },
      {
        id: "created",
        header: t("recent.created"),
        hideBelow: "sm",
        cell: (task) => (
          <Text size="sm" style={{ whiteSpace: "nowrap" }}>
            <Moment at={task.created_at} />
          </Text>
        ),
      },
    ],
    [t],
  );
}

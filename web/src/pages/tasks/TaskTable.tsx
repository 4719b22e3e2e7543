import { Anchor, Box, Stack, Text } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { TaskShape } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { Moment } from "@/components/Moment";
import { TaskStatusBadge } from "@/components/StatusBadge";
import { useNow } from "@/components/useNow";
import { formatDuration } from "@/format";
import { hasEnded } from "@/pages/tasks/taskMoves";
import { durationOf, targetOf } from "@/pages/tasks/taskTarget";

interface Props {
  tasks: TaskShape[] | undefined;
  sort: string;
  onSort: (sort: string) => void;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: Set<string>) => void;
  empty: ReactNode;
}

export function TaskTable({ tasks, empty, ...rest }: Props) {
  const { t } = useTranslation("tasks");
  const columns = useMemo<Column<TaskShape>[]>(
    () => [
      { id: "task", header: t("columns.task"), cell: (task) => <Name task={task} /> },
      {
        id: "status",
        header: t("columns.status"),
        cell: (task) => (
          <Box miw="max-content">
            <TaskStatusBadge status={task.status} />
          </Box>
        ),
      },
      {
        id: "priority",
        header: t("columns.priority"),
        sort: "priority",
        align: "right",
        hideBelow: "sm",
        cell: (task) => task.priority,
      },
      { id: "project", header: t("columns.project"), hideBelow: "md", cell: (task) => task.project_id },
      { id: "node", header: t("columns.node"), hideBelow: "xl", cell: (task) => <NodeOf task={task} /> },
      {
        id: "duration",
        header: t("columns.duration"),
        align: "right",
        hideBelow: "md",
        cell: (task) => (
          <Line>
            <Duration task={task} />
          </Line>
        ),
      },
      {
        id: "created",
        header: t("columns.created"),
        sort: "created_at",
        hideBelow: "sm",
        cell: (task) => (
          <Line>
            <Moment at={task.created_at} />
          </Line>
        ),
      },
      {
        id: "updated",
        header: t("columns.updated"),
        sort: "updated_at",
        hideBelow: "md",
        cell: (task) => (
          <Line>
            <Moment at={task.updated_at} />
          </Line>
        ),
      },
    ],
    [t],
  );
  return (
    <DataTable
      label={t("title")}
      columns={columns}
      rows={tasks}
      rowId={(task) => task.id}
      rowName={(task) => `${targetOf(task).text} (${task.id})`}
      empty={empty}
      {...rest}
    />
  );
}

function Name({ task }: { task: TaskShape }) {
  const { t } = useTranslation("tasks");
  const { text, more } = targetOf(task);
  return (
    <Stack gap={0} maw={{ base: 190, xs: 300, lg: 320 }}>
      <Anchor component={Link} to={`/tasks/${task.id}`} size="sm" truncate="end" title={text}>
        {more > 0 ? t("target", { first: text, count: more }) : text}
      </Anchor>
      <Text size="xs" c="dimmed" ff="monospace" truncate="end">
        {task.id}
      </Text>
    </Stack>
  );
}

/** What stays in one line, however narrow the table. */
function Line({ children }: { children: ReactNode }) {
  return (
    <Text span inherit style={{ whiteSpace: "nowrap" }}>
      {children}
    </Text>
  );
}

function NodeOf({ task }: { task: TaskShape }) {
  if (task.assigned_node === undefined) return "–";
  return (
    <Anchor component={Link} to={`/nodes/${task.assigned_node}`} size="sm" style={{ whiteSpace: "nowrap" }}>
      {task.assigned_node}
    </Anchor>
  );
}

function Duration({ task }: { task: TaskShape }) {
  const { i18n } = useTranslation();
  const now = useNow(5_000);
  if (!hasEnded(task.status) && task.status !== "processing") return "–";
  return formatDuration(durationOf(task, now), i18n.language);
}

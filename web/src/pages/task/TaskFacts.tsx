import { Anchor, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { TaskShape } from "@/api/schema";
import { Moment } from "@/components/Moment";
import { useNow } from "@/components/useNow";
import { formatDuration } from "@/format";
import { PriorityControl } from "@/pages/task/PriorityControl";
import { durationOf } from "@/pages/tasks/taskTarget";

/** What stands at the head of the page beside the title. */
export function TaskFacts({ task }: { task: TaskShape }) {
  const { t } = useTranslation("task");
  return (
    <Group gap="xl" align="flex-start" style={{ rowGap: 8 }}>
      <Fact label={t("header.priority")}>
        <PriorityControl task={task} />
      </Fact>
      <Fact label={t("header.created")}>
        <Moment at={task.created_at} />
      </Fact>
      <Fact label={t("header.duration")}>
        <Duration task={task} />
      </Fact>
      {task.status === "waiting" && task.not_before !== undefined && (
        <Fact label={t("header.nextTry")}>
          <Moment at={task.not_before} />
        </Fact>
      )}
      {task.assigned_node !== undefined && (
        <Fact label={t("header.node")}>
          <Anchor component={Link} to={`/nodes/${task.assigned_node}`} inherit>
            {task.assigned_node}
          </Anchor>
        </Fact>
      )}
      <Fact label={t("header.project")}>
        <Anchor component={Link} to={`/tasks?project=${encodeURIComponent(task.project_id)}`} inherit>
          {task.project_id}
        </Anchor>
      </Fact>
      <Fact label={t("header.type")}>{task.task_type}</Fact>
      {task.retry_count > 0 && (
        <Fact label={t("header.tries")}>
          {t("header.triesOf", { count: task.retry_count, most: task.max_retries })}
        </Fact>
      )}
    </Group>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Stack gap={0}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </Stack>
  );
}

function Duration({ task }: { task: TaskShape }) {
  const { t, i18n } = useTranslation("task");
  const now = useNow(1_000);
  const seconds = durationOf(task, now);
  return seconds === null ? t("header.notBegun") : formatDuration(seconds, i18n.language);
}

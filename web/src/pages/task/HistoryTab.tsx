import { Stack, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { TaskShape } from "@/api/schema";
import { EventTimeline } from "@/pages/task/EventTimeline";
import { Executions } from "@/pages/task/Executions";

export function HistoryTab({ task }: { task: TaskShape }) {
  const { t } = useTranslation("task");
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        {t("history.executions")}
      </Title>
      <Executions task={task} />
      <Title order={2} size="h4">
        {t("history.timeline")}
      </Title>
      <EventTimeline taskId={task.id} />
    </Stack>
  );
}

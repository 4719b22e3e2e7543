import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import type { TaskShape } from "@/api/schema";
import { useMay } from "@/app/session";
import { useAction } from "@/components/useAction";
import { PRIORITIES } from "@/pages/tasks/TaskFilters";
import { hasEnded } from "@/pages/tasks/taskMoves";

/** The priority; operators change it as long as it means something. */
export function PriorityControl({ task }: { task: TaskShape }) {
  const { t } = useTranslation("task");
  const may = useMay("operator");
  const change = useAction(
    (priority: number) =>
      answerOf(
        api.PATCH("/api/v1/tasks/{task_id}", { params: { path: { task_id: task.id } }, body: { priority } }),
      ),
    {
      done: ({ priority }) => t("actions.done.priority", { priority }),
      refresh: [["task", task.id], ["tasks"]],
    },
  );
  if (!may || hasEnded(task.status)) return task.priority;
  return (
    <Select
      size="xs"
      w={72}
      aria-label={t("header.priority")}
      allowDeselect={false}
      data={PRIORITIES}
      disabled={change.isPending}
      value={String(task.priority)}
      onChange={(chosen) => chosen !== null && change.mutate(Number(chosen))}
    />
  );
}

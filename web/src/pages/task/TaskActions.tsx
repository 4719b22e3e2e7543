import { Button, Tooltip } from "@mantine/core";
import {
  IconCopyPlus,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { answerOf, api } from "@/api/client";
import type { ProgressShape, TaskShape } from "@/api/schema";
import { useMay } from "@/app/session";
import { askFirst } from "@/components/confirm";
import { useAction } from "@/components/useAction";
import { keepForNewTask } from "@/pages/task/runAgain";
import { type Order, ordersFor } from "@/pages/tasks/taskMoves";
import { WEB_CRAWL } from "@/pages/tasks/taskTarget";

const ICONS = {
  pause: IconPlayerPause,
  resume: IconPlayerPlay,
  cancel: IconPlayerStop,
  retry: IconRefresh,
};

interface Props {
  task: TaskShape;
  progress: ProgressShape | undefined;
}

/** What the status of the task allows, for those who may. */
export function TaskActions({ task, progress }: Props) {
  const { t } = useTranslation(["task", "tasks"]);
  const may = useMay("operator");
  const navigate = useNavigate();
  const order = useAction(
    async (kind: Order) => {
      await send(kind, task.id);
      return kind;
    },
    {
      done: (kind) => t(`actions.done.${kind}`),
      refresh: [["task", task.id], ["tasks"], ["attention"]],
    },
  );
  if (!may) return null;
  const give = (kind: Order) => {
    if (kind !== "cancel") order.mutate(kind);
    else
      askFirst({
        title: t("actions.askTitle"),
        text: t("actions.askText"),
        confirm: t("actions.askConfirm"),
        danger: true,
        onConfirm: () => order.mutate(kind),
      });
  };
  const again = () => void navigate(keepForNewTask(task));
  return (
    <>
      {ordersFor(task.status).map((kind) => {
        const Icon = ICONS[kind];
        return (
          <Tooltip
            key={kind}
            label={t(`actions.retryHelp.${retryKind(task, progress)}`)}
            disabled={kind !== "retry"}
          >
            <Button
              size="xs"
              variant={kind === "cancel" ? "outline" : "default"}
              color={kind === "cancel" ? "red" : undefined}
              leftSection={<Icon size={14} aria-hidden />}
              disabled={order.isPending}
              onClick={() => give(kind)}
            >
              {t(`tasks:actions.${kind}`)}
            </Button>
          </Tooltip>
        );
      })}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconCopyPlus size={14} aria-hidden />}
        onClick={again}
      >
        {t("tasks:actions.again")}
      </Button>
    </>
  );
}

function retryKind(task: TaskShape, progress: ProgressShape | undefined): "left" | "all" | "other" {
  if (task.task_type !== WEB_CRAWL || progress === undefined) return "other";
  return progress.pending + progress.leased > 0 ? "left" : "all";
}

function send(kind: Order, taskId: string) {
  const params = { path: { task_id: taskId } };
  switch (kind) {
    case "pause":
      return answerOf(api.POST("/api/v1/tasks/{task_id}:pause", { params }));
    case "resume":
      return answerOf(api.POST("/api/v1/tasks/{task_id}:resume", { params }));
    case "cancel":
      return answerOf(api.POST("/api/v1/tasks/{task_id}:cancel", { params }));
    case "retry":
      return answerOf(api.POST("/api/v1/tasks/{task_id}:retry", { params }));
  }
}

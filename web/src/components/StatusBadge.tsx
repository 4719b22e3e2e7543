import { Badge, type MantineColor } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { HealthStatus, NodeStatus, TaskStatus } from "@/api/schema";

const TASK_COLORS: Record<TaskStatus, MantineColor> = {
  waiting: "yellow",
  pending: "gray",
  assigned: "cyan",
  processing: "blue",
  paused: "orange",
  completed: "green",
  failed: "red",
  timeout: "red",
  cancelled: "gray",
};

const NODE_COLORS: Record<NodeStatus, MantineColor> = {
  pending: "gray",
  online: "green",
  draining: "orange",
  maintenance: "yellow",
  unresponsive: "red",
  offline: "gray",
};

const HEALTH_COLORS: Record<HealthStatus, MantineColor> = {
  unknown: "gray",
  healthy: "green",
  degraded: "yellow",
  unhealthy: "red",
  unreachable: "red",
};

export function TaskStatusBadge({ status }: { status: TaskStatus }) {
  const { t } = useTranslation();
  return <ColoredBadge color={TASK_COLORS[status]} text={t(`taskStatus.${status}`)} />;
}

export function NodeStatusBadge({ status }: { status: NodeStatus }) {
  const { t } = useTranslation();
  return <ColoredBadge color={NODE_COLORS[status]} text={t(`nodeStatus.${status}`)} />;
}

export function HealthBadge({ status }: { status: HealthStatus }) {
  const { t } = useTranslation();
  return <ColoredBadge color={HEALTH_COLORS[status]} text={t(`health.${status}`)} />;
}

/** Text with contrast enough on its light ground, in both schemes. */
function ColoredBadge({ color, text }: { color: MantineColor; text: string }) {
  return (
    <Badge color={color} variant="light" radius="sm" tt="none" miw="max-content" autoContrast>
      {text}
    </Badge>
  );
}

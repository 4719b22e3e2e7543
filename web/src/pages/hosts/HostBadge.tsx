import { Badge, type MantineColor } from "@mantine/core";
import { IconBan } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { HostStatusShape } from "@/api/schema";
import { formatDuration } from "@/format";
import { activityOf, type HostActivity } from "./hostState";

const COLORS: Record<HostActivity, MantineColor> = {
  blocked: "red",
  resting: "yellow",
  asking: "blue",
  queued: "cyan",
  idle: "gray",
};

/** What a host is doing; a block stands out. */
export function HostBadge({ host }: { host: HostStatusShape }) {
  const { t, i18n } = useTranslation("hosts");
  const activity = activityOf(host);
  const time = formatDuration(Math.ceil(host.ready_in), i18n.language);
  const blocked = activity === "blocked";
  return (
    <Badge
      size="sm"
      radius="sm"
      tt="none"
      color={COLORS[activity]}
      variant={blocked ? "filled" : "light"}
      leftSection={blocked ? <IconBan size={12} aria-hidden /> : undefined}
      autoContrast
    >
      {t(`state.${activity}`, { time })}
    </Badge>
  );
}

import { Alert, Badge, Button, Group, type MantineColor, Text, Tooltip } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useLive } from "@/live/LiveProvider";
import type { Connection } from "@/live/liveState";

const COLORS: Record<Connection, MantineColor> = {
  live: "green",
  connecting: "gray",
  polling: "yellow",
  lost: "red",
};

export function ConnectionBadge() {
  const { t } = useTranslation();
  const { connection } = useLive();
  return (
    <Tooltip label={t("connection.pollingHelp")} disabled={connection !== "polling"}>
      <Badge variant="dot" color={COLORS[connection]} tt="none" role="status" data-connection={connection}>
        {t(`connection.${connection}`)}
      </Badge>
    </Tooltip>
  );
}

/** Says that nobody answers, as long as nobody does. */
export function ConnectionBanner() {
  const { t } = useTranslation();
  const { connection, retry } = useLive();
  if (connection !== "lost") return null;
  return (
    <Alert
      color="red"
      icon={<IconPlugConnectedX size={18} />}
      title={t("connection.lost")}
      mb="md"
      role="alert"
    >
      <Group justify="space-between">
        <Text size="sm">{t("connection.lostHelp")}</Text>
        <Button size="xs" variant="default" onClick={retry}>
          {t("connection.retry")}
        </Button>
      </Group>
    </Alert>
  );
}

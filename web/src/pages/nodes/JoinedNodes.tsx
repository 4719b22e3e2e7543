import { Anchor, Group, Loader, Stack, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { EventShape } from "@/api/schema";
import { useEvents } from "@/live/LiveProvider";

/** The nodes that have registered since this is shown. */
export function JoinedNodes() {
  const { t } = useTranslation("nodes");
  const [joined, setJoined] = useState<EventShape[]>([]);
  useEvents(({ items }) => {
    const registered = items.filter(({ type }) => type === "node.registered");
    if (registered.length > 0) setJoined((before) => [...before, ...registered]);
  });
  return (
    <Stack gap="xs" role="status">
      {joined.map(({ id, node_id = "", data }) => (
        <Group gap="xs" key={id}>
          <IconCircleCheck size={18} color="var(--mantine-color-green-6)" aria-hidden />
          <Anchor component={Link} to={`/nodes/${encodeURIComponent(node_id)}`} size="sm">
            {t("add.joined", { name: (data as { name?: string }).name ?? node_id })}
          </Anchor>
        </Group>
      ))}
      {joined.length === 0 && (
        <Group gap="xs">
          <Loader size={14} aria-hidden />
          <Text size="sm" c="dimmed">
            {t("add.waiting")}
          </Text>
        </Group>
      )}
    </Stack>
  );
}

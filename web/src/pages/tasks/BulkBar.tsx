import { Button, CloseButton, Group, Menu, Paper, Text } from "@mantine/core";
import {
  IconArrowsUpDown,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { askFirst } from "@/components/confirm";
import type { BulkOrder } from "@/pages/tasks/steering";
import { PRIORITIES } from "@/pages/tasks/TaskFilters";

interface Props {
  count: number;
  busy: boolean;
  onOrder: (order: BulkOrder) => void;
  onClear: () => void;
}

const ORDERS = [
  { kind: "pause", icon: IconPlayerPause },
  { kind: "resume", icon: IconPlayerPlay },
  { kind: "retry", icon: IconRefresh },
] as const;

/** What can be done with the selected tasks. */
export function BulkBar({ count, busy, onOrder, onClear }: Props) {
  const { t } = useTranslation(["tasks", "common"]);
  const askToCancel = () =>
    askFirst({
      title: t("bulk.askTitle", { count }),
      text: t("bulk.askText"),
      confirm: t("bulk.askConfirm", { count }),
      danger: true,
      onConfirm: () => onOrder({ kind: "cancel" }),
    });
  return (
    <Paper
      withBorder
      p="xs"
      role="toolbar"
      aria-label={t("bulk.label")}
      pos="sticky"
      top={60}
      style={{ zIndex: 2 }}
    >
      <Group gap="xs">
        <CloseButton aria-label={t("bulk.clear")} onClick={onClear} />
        <Text size="sm" fw={600} mr="xs" role="status">
          {t("common:table.selected", { count })}
        </Text>
        {ORDERS.map(({ kind, icon: Icon }) => (
          <Button
            key={kind}
            size="xs"
            variant="default"
            disabled={busy}
            leftSection={<Icon size={14} aria-hidden />}
            onClick={() => onOrder({ kind })}
          >
            {t(`actions.${kind}`)}
          </Button>
        ))}
        <Menu>
          <Menu.Target>
            <Button
              size="xs"
              variant="default"
              disabled={busy}
              leftSection={<IconArrowsUpDown size={14} aria-hidden />}
            >
              {t("bulk.priority")}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {PRIORITIES.map((priority) => (
              <Menu.Item
                key={priority}
                onClick={() => onOrder({ kind: "priority", priority: Number(priority) })}
              >
                {priority}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button
          size="xs"
          color="red"
          variant="outline"
          disabled={busy}
          leftSection={<IconPlayerStop size={14} aria-hidden />}
          onClick={askToCancel}
        >
          {t("bulk.cancel")}
        </Button>
      </Group>
    </Paper>
  );
}

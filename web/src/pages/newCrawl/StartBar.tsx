import { Button, Group, Paper, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

interface Props {
  wrong: number;
  isStarting: boolean;
  isPossible?: boolean;
  onStart: () => void;
}

/** Always within reach, however long the form is. */
export function StartBar({ wrong, isStarting, isPossible = true, onStart }: Props) {
  const { t } = useTranslation("newCrawl");
  return (
    <Paper withBorder shadow="sm" p="xs" pos="sticky" bottom={8} style={{ zIndex: 5 }}>
      <Group justify="flex-end" gap="sm">
        <Text size="sm" c="red" role="status">
          {wrong > 0 ? t("wrong", { count: wrong }) : ""}
        </Text>
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          loading={isStarting}
          disabled={!isPossible}
          onClick={onStart}
        >
          {t("start")}
        </Button>
      </Group>
    </Paper>
  );
}

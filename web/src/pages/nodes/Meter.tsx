import { Group, type MantineColor, Progress, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatPercent } from "@/format";

const MUCH = 0.8;
const TOO_MUCH = 0.95;

/** How much of something is used: a bar and its number; a dash where nobody knows. */
export function Meter({ value, label }: { value: number | null; label: string }) {
  const { i18n } = useTranslation();
  if (value === null)
    return (
      <Text size="xs" c="dimmed">
        –
      </Text>
    );
  return (
    <Group gap={6} wrap="nowrap" miw={90}>
      <Progress.Root size="sm" flex={1} miw={36}>
        <Progress.Section
          value={Math.round(Math.min(value, 1) * 100)}
          color={colorOf(value)}
          aria-label={label}
        />
      </Progress.Root>
      <Text size="xs" w={36} ta="right">
        {formatPercent(value, i18n.language)}
      </Text>
    </Group>
  );
}

function colorOf(value: number): MantineColor {
  if (value >= TOO_MUCH) return "red";
  return value >= MUCH ? "orange" : "teal";
}

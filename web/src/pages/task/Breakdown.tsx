import { Box, Group, Paper, Progress, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/format";

interface Props {
  title: string;
  counts: Record<string, number>;
  color?: (name: string) => string;
  describe?: (name: string) => string | null;
}

/** How often each of some names was counted, most first. */
export function Breakdown({ title, counts, color, describe }: Props) {
  const { t, i18n } = useTranslation("task");
  const rows = Object.entries(counts).sort(([, one], [, other]) => other - one);
  const most = rows[0]?.[1] ?? 1;
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {t("overview.nothing")}
        </Text>
      )}
      <Stack gap={8} component="ul" m={0} p={0} style={{ listStyle: "none" }}>
        {rows.map(([name, count]) => (
          <Box component="li" key={name}>
            <Group justify="space-between" gap="xs" wrap="nowrap">
              <Text size="sm" ff="monospace" truncate="end">
                {name}
              </Text>
              <Text size="sm">{formatNumber(count, i18n.language)}</Text>
            </Group>
            <Progress
              value={(count / most) * 100}
              color={color?.(name)}
              size={4}
              aria-label={`${name}: ${count}`}
            />
            {describe?.(name) && (
              <Text size="xs" c="dimmed">
                {describe(name)}
              </Text>
            )}
          </Box>
        ))}
      </Stack>
    </Paper>
  );
}

/** Green for answers, yellow for detours, red for failures. */
export function statusColor(status: string): string {
  if (status.startsWith("2")) return "green";
  return status.startsWith("3") ? "yellow" : "red";
}

import { Group, Paper, Progress, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { FilterShape } from "@/api/schema";
import { formatBytes, formatNumber, formatPercent } from "@/format";
import { Fact } from "@/pages/task/TaskFacts";

/** How full the Bloom filter of a crawl is. */
export function FilterState({ filter }: { filter: FilterShape }) {
  const { t, i18n } = useTranslation("task");
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb="xs">
        {t("overview.filter")}
      </Title>
      <Text size="sm">
        {t("overview.filterFill", {
          count: formatNumber(filter.count, i18n.language) as unknown as number,
          capacity: formatNumber(filter.capacity, i18n.language),
        })}
      </Text>
      <Progress
        my={6}
        value={Math.min(1, filter.fill) * 100}
        color={filter.nearly_full ? "orange" : undefined}
        aria-label={t("overview.filter")}
      />
      {filter.nearly_full && <Text size="sm">{t("overview.filterNearlyFull")}</Text>}
      <Group gap="lg" my={4}>
        <Fact label={t("overview.filterSize")}>{formatBytes(filter.bytes, i18n.language)}</Fact>
        <Fact label={t("overview.filterLayers")}>{filter.layers}</Fact>
        <Fact label={t("overview.filterError")}>{errorRate(filter.error_rate, i18n.language)}</Fact>
      </Group>
      <Text size="xs" c="dimmed">
        {t("overview.filterHelp")}
      </Text>
    </Paper>
  );
}

const SMALLEST = 0.000_001;

function errorRate(rate: number, language: string): string {
  if (rate > 0 && rate < SMALLEST) return `< ${formatPercent(SMALLEST, language, 4)}`;
  return formatPercent(rate, language, 4);
}

import { Group, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import type { EndedBy, NodeStatsShape } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { Panel } from "@/components/Panel";
import { formatBytes, formatDuration, formatNumber, formatPercent } from "@/format";

/** How a node fared lately. */
export function NodeStats({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation("nodes");
  const query = useQuery({
    queryKey: ["node", nodeId, "stats"],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/nodes/{node_id}/stats", { params: { path: { node_id: nodeId } }, signal })),
  });
  return (
    <Panel title={t("stats.title")} description={t("stats.description")}>
      {query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={60} />}
      {query.data !== undefined && <Numbers stats={query.data} />}
    </Panel>
  );
}

function Numbers({ stats }: { stats: NodeStatsShape }) {
  const { t, i18n } = useTranslation("nodes");
  const language = i18n.language;
  const numbers = [
    [t("stats.completed"), formatNumber(stats.completed, language)],
    [t("stats.failed"), formatNumber(stats.failed, language)],
    [t("stats.successRate"), formatPercent(stats.success_rate, language, 1)],
    [t("stats.meanDuration"), formatDuration(stats.mean_duration, language)],
    [t("stats.pages"), formatNumber(stats.pages_crawled, language)],
    [t("stats.data"), formatBytes(stats.data_size, language)],
  ];
  const ends = Object.entries(stats.by_end);
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
        {numbers.map(([name, value]) => (
          <div key={name}>
            <Text size="xs" c="dimmed">
              {name}
            </Text>
            <Text fw={700} fz="lg">
              {value}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      {ends.length > 0 && (
        <Group gap="md">
          <Text size="xs" c="dimmed">
            {t("stats.ends")}
          </Text>
          {ends.map(([end, count]) => (
            <Text size="xs" key={end}>
              {t(`executions.ends.${end as EndedBy}`, { defaultValue: end })}: {formatNumber(count, language)}
            </Text>
          ))}
        </Group>
      )}
    </Stack>
  );
}

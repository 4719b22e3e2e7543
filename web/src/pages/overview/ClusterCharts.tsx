import { type MantineColor, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { NodeStatus } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { Panel } from "@/components/Panel";
import { type Span, SpanPicker } from "@/components/SpanPicker";
import { type ChartLine, TimeChart } from "@/components/TimeChart";
import { useSpan } from "@/components/useSpan";
import { formatBytes, formatPercent, formatShort } from "@/format";
import { type ClusterColumns, columnsOf } from "./clusterSeries";
import { useClusterSeries } from "./useClusterSeries";

const STATE_COLORS: Record<NodeStatus, MantineColor> = {
  online: "green",
  draining: "orange",
  maintenance: "yellow",
  pending: "cyan",
  unresponsive: "red",
  offline: "gray",
};

const CHART_HEIGHT = 160;

interface Chart {
  name: "pages" | "bytes" | "errors" | "queued" | "tasks" | "nodes";
  help?: string;
  lines: ChartLine[];
  format: (value: number | null) => string;
}

/** The cluster over time: six live charts over one span. */
export function ClusterCharts() {
  const { t } = useTranslation("overview");
  const [span, setSpan] = useSpan();
  const series = useClusterSeries(span);
  const columns = useMemo(() => (series.data === undefined ? null : columnsOf(series.data)), [series.data]);
  return (
    <Panel title={t("charts.title")} aside={<SpanPicker value={span} onChange={setSpan} />}>
      {series.isError && <Failure error={series.error} onRetry={() => void series.refetch()} />}
      {columns !== null && <Charts columns={columns} span={span} />}
      {columns === null && !series.isError && <Skeleton height={2 * CHART_HEIGHT} />}
    </Panel>
  );
}

function Charts({ columns, span }: { columns: ClusterColumns; span: Span }) {
  const { t } = useTranslation("overview");
  const charts = useCharts(columns);
  return (
    <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="md">
      {charts.map(({ name, help, lines, format }) => (
        <Panel key={`${name} ${span}`} title={t(`charts.${name}`)} order={3} description={help}>
          <Stack gap={0} mih={CHART_HEIGHT}>
            <TimeChart
              label={t(`charts.${name}`)}
              times={columns.times}
              from={columns.from}
              to={columns.to}
              lines={lines}
              format={format}
              height={CHART_HEIGHT}
            />
          </Stack>
        </Panel>
      ))}
    </SimpleGrid>
  );
}

function useCharts(columns: ClusterColumns): Chart[] {
  const { t, i18n } = useTranslation(["overview", "common"]);
  const language = i18n.language;
  return useMemo(() => {
    const number = (value: number | null) => formatShort(value, language);
    const bytes = (value: number | null) => t("charts.perSecond", { value: formatBytes(value, language) });
    const percent = (value: number | null) => formatPercent(value, language, 1);
    const line = (label: string, color: MantineColor, values: (number | null)[]) => ({
      label,
      color,
      values,
    });
    return [
      { name: "pages", lines: [line(t("charts.pages"), "blue", columns.pages)], format: number },
      { name: "bytes", lines: [line(t("charts.bytes"), "teal", columns.bytes)], format: bytes },
      {
        name: "errors",
        help: t("charts.errorsHelp"),
        lines: [line(t("charts.errors"), "red", columns.errorShare)],
        format: percent,
      },
      {
        name: "queued",
        help: t("charts.queuedHelp"),
        lines: [line(t("charts.queuedLine"), "violet", columns.queued)],
        format: number,
      },
      {
        name: "tasks",
        lines: [
          line(t("charts.tasksRunning"), "blue", columns.running),
          line(t("charts.tasksPending"), "orange", columns.pending),
        ],
        format: number,
      },
      {
        name: "nodes",
        lines: columns.nodes.map(({ status, values }) =>
          line(t(`common:nodeStatus.${status}`), STATE_COLORS[status], values),
        ),
        format: number,
      },
    ];
  }, [columns, language, t]);
}

import { type MantineColor, SimpleGrid, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import { Failure } from "@/components/Failure";
import { Panel } from "@/components/Panel";
import { type Span, SpanPicker } from "@/components/SpanPicker";
import { type ChartLine, TimeChart } from "@/components/TimeChart";
import { useSpan } from "@/components/useSpan";
import { formatBytes, formatPercent, formatShort } from "@/format";
import { columnsOf, type NodeColumns, type Reading } from "./nodeSeries";

const REFRESH: Record<Span, number> = { "15m": 5_000, "6h": 30_000, "7d": 120_000 }; // milliseconds

interface Chart {
  name: "cpu" | "memory" | "network" | "load" | "pages" | "tasks";
  lines: ChartLine[];
  format: (value: number | null) => string;
}

/** A node over time. */
export function NodeCharts({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation("nodes");
  const [span, setSpan] = useSpan();
  const series = useQuery({
    queryKey: ["series", "node", nodeId, span],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/nodes/{node_id}/series", {
          params: { path: { node_id: nodeId }, query: { span } },
          signal,
        }),
      ),
    refetchInterval: REFRESH[span],
  });
  const columns = useMemo(() => (series.data === undefined ? null : columnsOf(series.data)), [series.data]);
  return (
    <Panel title={t("charts.title")} aside={<SpanPicker value={span} onChange={setSpan} />}>
      {series.isError && <Failure error={series.error} onRetry={() => void series.refetch()} />}
      {columns !== null && <Charts columns={columns} span={span} />}
      {columns === null && !series.isError && <Skeleton height={320} />}
    </Panel>
  );
}

function Charts({ columns, span }: { columns: NodeColumns; span: Span }) {
  const { t } = useTranslation("nodes");
  const charts = useCharts(columns);
  return (
    <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="md">
      {charts.map(({ name, lines, format }) => (
        <Panel key={`${name} ${span}`} title={t(`charts.${name}`)} order={3}>
          <TimeChart
            label={t(`charts.${name}`)}
            times={columns.times}
            from={columns.from}
            to={columns.to}
            lines={lines}
            format={format}
          />
        </Panel>
      ))}
    </SimpleGrid>
  );
}

function useCharts({ values }: NodeColumns): Chart[] {
  const { t, i18n } = useTranslation("nodes");
  const language = i18n.language;
  return useMemo(() => {
    const number = (value: number | null) => formatShort(value, language);
    const bytes = (value: number | null) => t("charts.perSecond", { value: formatBytes(value, language) });
    const percent = (value: number | null) => formatPercent(value, language, 1);
    const line = (label: string, color: MantineColor, reading: Reading) => ({
      label,
      color,
      values: values[reading],
    });
    return [
      { name: "cpu", lines: [line(t("charts.cpu"), "blue", "cpu")], format: percent },
      { name: "memory", lines: [line(t("charts.memory"), "violet", "memory")], format: percent },
      {
        name: "network",
        lines: [line(t("charts.received"), "teal", "received"), line(t("charts.sent"), "orange", "sent")],
        format: bytes,
      },
      { name: "load", lines: [line(t("charts.load"), "grape", "load")], format: percent },
      { name: "pages", lines: [line(t("charts.pages"), "blue", "pages")], format: number },
      { name: "tasks", lines: [line(t("charts.tasks"), "cyan", "active_tasks")], format: number },
    ];
  }, [values, language, t]);
}

import { Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { lazy, Suspense, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { TaskPoint, TaskShape } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { type Span, SpanPicker } from "@/components/SpanPicker";
import { formatShort } from "@/format";
import { useSeries } from "@/pages/task/useTask";

const TimeChart = lazy(() =>
  import("@/components/TimeChart").then(({ TimeChart }) => ({ default: TimeChart })),
);

interface Props {
  task: TaskShape;
  span: Span;
  onSpan: (span: Span) => void;
}

const CHARTS = [
  { name: "pages", value: "pages", color: "cyan" },
  { name: "errors", value: "errors", color: "red" },
  { name: "queue", value: "queued", color: "violet" },
] as const;

export function TaskCharts({ task, span, onSpan }: Props) {
  const { t } = useTranslation("task");
  const series = useSeries(task, span);
  const points = series.data?.points;
  const empty = points?.every(({ pages, queued }) => pages === null && queued === null);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t("charts.title")}
        </Title>
        <SpanPicker value={span} onChange={onSpan} />
      </Group>
      {series.isError && <Failure error={series.error} onRetry={() => void series.refetch()} />}
      {empty && (
        <Text size="sm" c="dimmed">
          {t("charts.empty")}
        </Text>
      )}
      {series.data !== undefined && points !== undefined && !empty && (
        <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
          {CHARTS.map(({ name, value, color }) => (
            <Chart
              key={name}
              label={t(`charts.${name}`)}
              points={points}
              value={value}
              color={color}
              from={Date.parse(series.data.from) / 1000}
              to={Date.parse(series.data.to) / 1000}
            />
          ))}
        </SimpleGrid>
      )}
    </Stack>
  );
}

interface ChartProps {
  label: string;
  points: TaskPoint[];
  value: "pages" | "errors" | "queued";
  color: string;
  from: number;
  to: number;
}

function Chart({ label, points, value, color, from, to }: ChartProps) {
  const { i18n } = useTranslation();
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points]);
  const lines = useMemo(
    () => [{ label, color, values: points.map((point) => point[value]) }],
    [points, value, color, label],
  );
  return (
    <Suspense fallback={<div style={{ minHeight: 160 }} />}>
      <TimeChart
        label={label}
        times={times}
        lines={lines}
        format={(each) => formatShort(each, i18n.language)}
        from={from}
        to={to}
      />
    </Suspense>
  );
}

/** The shortest span that still shows the task: where it ended long ago, a longer one. */
export function usualSpan(task: TaskShape, now: number): Span {
  if (task.completed_at === undefined) return "15m";
  const age = (now - Date.parse(task.started_at ?? task.created_at)) / 1000;
  return age < 840 ? "15m" : age < 21_000 ? "6h" : "7d";
}

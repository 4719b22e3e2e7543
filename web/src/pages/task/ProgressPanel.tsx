import { Group, Paper, Progress, Stack, Text, Tooltip } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ProgressShape, TaskShape } from "@/api/schema";
import { useNow } from "@/components/useNow";
import { formatBytes, formatDuration, formatNumber, formatPercent } from "@/format";
import { type Estimate, estimate, type Reach, reachOf } from "@/pages/task/eta";
import { Fact } from "@/pages/task/TaskFacts";
import { useSeries } from "@/pages/task/useTask";
import { hasEnded, isAtWork } from "@/pages/tasks/taskMoves";

interface Props {
  task: TaskShape;
  progress: ProgressShape;
}

/** How far a crawl is: a bar, when it may be through, and what it has done. */
export function ProgressPanel({ task, progress }: Props) {
  const { t, i18n } = useTranslation("task");
  const maxPages = maxPagesOf(task);
  const reach = reachOf(progress, maxPages);
  const share = task.status === "completed" ? 1 : reach.share;
  const number = (value: number) => formatNumber(value, i18n.language);
  const counters = [
    ["pages", progress.pages],
    ["records", progress.records],
    ["queued", progress.pending],
    ["underWay", progress.leased],
    ["dead", progress.dead],
    ["skipped", progress.skipped],
    ["retries", progress.retries],
  ] as const;
  const text = t(reach.basis === "pages" ? "progress.ofPages" : "progress.ofLinks", {
    done: number(reach.done),
    most: number(reach.done + reach.left),
  });
  return (
    <Paper withBorder p="sm" component="section" aria-label={t("progress.title")}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={600}>
            {formatPercent(share, i18n.language)}{" "}
            <Text span size="sm" fw={400}>
              {progress.added === 0 ? t("progress.notBegun") : text}
            </Text>
          </Text>
          {isAtWork(task.status) && <TimeLeft task={task} reach={reach} maxPages={maxPages} />}
        </Group>
        <Progress
          value={share * 100}
          color={barColor(task)}
          animated={isAtWork(task.status)}
          aria-label={t("progress.title")}
          size="md"
        />
        <Group gap="lg" style={{ rowGap: 6 }}>
          {counters.map(([name, value]) => (
            <Fact key={name} label={t(`progress.${name}`)}>
              {number(value)}
            </Fact>
          ))}
          <Fact label={t("progress.bytes")}>{formatBytes(progress.bytes, i18n.language)}</Fact>
        </Group>
      </Stack>
    </Paper>
  );
}

export function maxPagesOf(task: TaskShape): number | null {
  const { max_pages } = task.parameters as { max_pages?: unknown };
  return typeof max_pages === "number" ? max_pages : null;
}

function barColor(task: TaskShape): string | undefined {
  if (task.status === "completed") return "green";
  if (task.status === "failed" || task.status === "timeout") return "red";
  return hasEnded(task.status) || task.status === "paused" ? "gray" : undefined;
}

interface TimeLeftProps {
  task: TaskShape;
  reach: Reach;
  maxPages: number | null;
}

function TimeLeft({ task, reach, maxPages }: TimeLeftProps) {
  const { t, i18n } = useTranslation("task");
  const now = useNow(5_000);
  const series = useSeries(task, "15m");
  const told = series.data === undefined ? null : estimate(reach, series.data.points, now);
  if (told === null) return <Text size="sm">{t("progress.measuring")}</Text>;
  if (told.seconds === null) return <Text size="sm">{t("progress.stalled")}</Text>;
  return (
    <Tooltip label={<How reach={reach} told={told} maxPages={maxPages} />} multiline w={280}>
      <Text size="sm" tabIndex={0}>
        {t(reach.basis === "pages" ? "progress.eta" : "progress.etaAtLeast", {
          time: formatDuration(told.seconds, i18n.language),
        })}{" "}
        <IconInfoCircle size={14} aria-hidden style={{ verticalAlign: "-2px" }} />
      </Text>
    </Tooltip>
  );
}

/** How the time that is left was reckoned. */
function How({ reach, told, maxPages }: { reach: Reach; told: Estimate; maxPages: number | null }) {
  const { t, i18n } = useTranslation("task");
  const rate = formatNumber(told.rate, i18n.language, told.rate < 10 ? 1 : 0);
  const window = formatDuration(told.window, i18n.language);
  if (reach.basis === "pages")
    return t("progress.howPages", { most: formatNumber(maxPages, i18n.language), rate, window });
  return t("progress.howQueue", { left: formatNumber(reach.left, i18n.language), rate, window });
}

import { Alert, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { TaskShape } from "@/api/schema";
import { formatBytes, formatDuration, formatNumber } from "@/format";
import { Fact } from "@/pages/task/TaskFacts";
import { WEB_CRAWL } from "@/pages/tasks/taskTarget";

const LONGEST = 4_000; // characters of the data that are shown

/** What came of a task that ended, or why it did not go well. */
export function ResultPanel({ task }: { task: TaskShape }) {
  const { t } = useTranslation("task");
  const { result, reason } = task;
  const problem = result?.error ?? reason;
  if (result === undefined && problem === undefined) return null;
  const metrics = Object.entries(result?.metrics ?? {});
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Title order={2} size="h5">
          {t("overview.result")}
        </Title>
        {problem !== undefined && (
          <Alert
            color={result?.success ? "yellow" : "red"}
            icon={<IconAlertTriangle size={18} />}
            title={result?.error === undefined ? t("overview.reason") : t("overview.error")}
          >
            {problem}
          </Alert>
        )}
        {metrics.length > 0 && (
          <Group gap="lg" aria-label={t("overview.metrics")}>
            {metrics.map(([name, value]) => (
              <Metric key={name} name={name} value={value} />
            ))}
          </Group>
        )}
        {result !== undefined && Object.keys(result.data).length > 0 && <Data task={task} />}
      </Stack>
    </Paper>
  );
}

const UNITS: Record<string, (value: number, language: string) => string> = {
  data_size: formatBytes,
  processing_time: formatDuration,
};

/** A number of the result; those of crawls have names that people read. */
function Metric({ name, value }: { name: string; value: unknown }) {
  const { t, i18n } = useTranslation("task");
  const label = i18n.exists(`task:metrics.${name}`) ? t(`metrics.${name}` as "metrics.records") : name;
  const format = UNITS[name] ?? ((number: number) => formatNumber(number, i18n.language, 3));
  return (
    <Fact label={label}>
      {typeof value === "number" ? format(value, i18n.language) : JSON.stringify(value)}
    </Fact>
  );
}

function Data({ task }: { task: TaskShape }) {
  const { t } = useTranslation("task");
  const whole = JSON.stringify(task.result?.data, null, 2);
  const long = whole.length > LONGEST;
  if (long && task.task_type === WEB_CRAWL) return null; // Records shows it better
  return (
    <>
      <Code block tabIndex={0} aria-label={t("overview.data")} mah={320} style={{ overflow: "auto" }}>
        {long ? `${whole.slice(0, LONGEST)} …` : whole}
      </Code>
      {long && (
        <Text size="xs" c="dimmed">
          {t("overview.dataLarge")}
        </Text>
      )}
    </>
  );
}

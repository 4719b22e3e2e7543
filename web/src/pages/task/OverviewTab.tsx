import { Paper, SimpleGrid, Stack, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ProgressShape, TaskShape } from "@/api/schema";
import { CopyBlock } from "@/components/CopyBlock";
import type { Span } from "@/components/SpanPicker";
import { Breakdown, statusColor } from "@/pages/task/Breakdown";
import { Explanation } from "@/pages/task/Explanation";
import { FilterState } from "@/pages/task/FilterState";
import { ResultPanel } from "@/pages/task/ResultPanel";
import { requestOf } from "@/pages/task/runAgain";
import { useSentences } from "@/pages/task/sentences";
import { TaskCharts } from "@/pages/task/TaskCharts";

interface Props {
  task: TaskShape;
  progress: ProgressShape | undefined;
  isCrawl: boolean;
  span: Span;
  onSpan: (span: Span) => void;
}

export function OverviewTab({ task, progress, isCrawl, span, onSpan }: Props) {
  const { t } = useTranslation("task");
  const { ofReason, ofRule } = useSentences();
  return (
    <Stack gap="md">
      <Explanation task={task} />
      <ResultPanel task={task} />
      {isCrawl && <TaskCharts task={task} span={span} onSpan={onSpan} />}
      {isCrawl && progress !== undefined && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: progress.filter === null ? 3 : 4 }} spacing="md">
          <Breakdown title={t("overview.byStatus")} counts={progress.by_status} color={statusColor} />
          <Breakdown
            title={t("overview.byReason")}
            counts={progress.by_reason}
            color={() => "red"}
            describe={ofReason}
          />
          <Breakdown
            title={t("overview.byRule")}
            counts={progress.by_rule}
            color={() => "yellow"}
            describe={ofRule}
          />
          {progress.filter !== null && <FilterState filter={progress.filter} />}
        </SimpleGrid>
      )}
      <Paper withBorder p="sm">
        <Title order={2} size="h5" mb="xs">
          {t("overview.parameters")}
        </Title>
        <CopyBlock text={JSON.stringify(requestOf(task), null, 2)} label={t("overview.parameters")} />
      </Paper>
    </Stack>
  );
}

import { ActionIcon, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconListSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import type { ProgressShape, RecordShape, TaskShape } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { Failure } from "@/components/Failure";
import { Moment } from "@/components/Moment";
import { Pager } from "@/components/Pager";
import { useKeysetPages } from "@/components/useKeysetPages";
import { formatNumber } from "@/format";
import { RecordDrawer } from "@/pages/task/RecordDrawer";
import { cellText, columnsOf, fieldOf, WHOLE } from "@/pages/task/recordCells";
import { isAtWork } from "@/pages/tasks/taskMoves";

const AT_ONCE = 50;
const SELDOM = 5_000; // milliseconds
const FORMATS = ["jsonl", "csv", "parquet"] as const;

interface Props {
  task: TaskShape;
  progress: ProgressShape | undefined;
}

export function RecordsTab({ task, progress }: Props) {
  const { t, i18n } = useTranslation("task");
  const pages = useKeysetPages();
  const [shown, setShown] = useState<RecordShape | null>(null);
  const query = { cursor: pages.cursor, limit: AT_ONCE };
  const records = useQuery({
    queryKey: ["task", task.id, "records", query],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/tasks/{task_id}/records", { params: { path: { task_id: task.id }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
    // Only a page that is not full yet changes while the crawl goes on.
    refetchInterval: ({ state: { data } }) => (isAtWork(task.status) && !data?.next_cursor ? SELDOM : false),
  });
  const columns = useRecordColumns(records.data?.items, setShown);
  const total = progress?.records ?? 0;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm">
          {t("records.total", { count: total, replace: { count: formatNumber(total, i18n.language) } })}
        </Text>
        <Exports taskId={task.id} disabled={total === 0} />
      </Group>
      {records.isError && <Failure error={records.error} onRetry={() => void records.refetch()} />}
      {(records.data !== undefined || !records.isError) && (
        <DataTable
          label={t("records.label")}
          columns={columns}
          rows={records.data?.items}
          rowId={({ url }) => url}
          empty={t("records.empty")}
        />
      )}
      <Pager pages={pages} nextCursor={records.data?.next_cursor} />
      <RecordDrawer record={shown} onClose={() => setShown(null)} />
    </Stack>
  );
}

function useRecordColumns(records: RecordShape[] | undefined, onShow: (record: RecordShape) => void) {
  const { t } = useTranslation("task");
  const names = columnsOf(records ?? []).join("\n");
  return useMemo<Column<RecordShape>[]>(() => {
    const ofData = names === "" ? [] : names.split("\n");
    return [
      {
        id: "url",
        header: t("records.url"),
        cell: (record) => <PageCell record={record} onShow={onShow} />,
      },
      ...ofData.map((name) => ({
        id: `data.${name}`,
        header: name === WHOLE ? t("records.value") : name,
        cell: (record: RecordShape) => <Cell value={fieldOf(record, name)} />,
      })),
      {
        id: "fetched",
        header: t("records.fetched"),
        hideBelow: "md",
        cell: ({ fetched_at }) => <Moment at={fetched_at} />,
      },
    ];
  }, [names, t, onShow]);
}

interface PageCellProps {
  record: RecordShape;
  onShow: (record: RecordShape) => void;
}

function PageCell({ record, onShow }: PageCellProps) {
  const { t } = useTranslation("task");
  return (
    <Group gap={6} wrap="nowrap">
      <ActionIcon
        variant="subtle"
        size="sm"
        aria-label={t("records.details", { url: record.url })}
        onClick={() => onShow(record)}
      >
        <IconListSearch size={16} />
      </ActionIcon>
      <Anchor
        href={record.url}
        target="_blank"
        rel="noreferrer noopener"
        size="sm"
        truncate="end"
        title={record.url}
        maw={{ base: 160, md: 260 }}
      >
        {record.url.replace(/^https?:\/\//, "")}
      </Anchor>
    </Group>
  );
}

function Cell({ value }: { value: unknown }) {
  return (
    <Text size="sm" maw={320} miw={60} lineClamp={2} style={{ wordBreak: "break-word" }}>
      {cellText(value)}
    </Text>
  );
}

function Exports({ taskId, disabled }: { taskId: string; disabled: boolean }) {
  const { t } = useTranslation("task");
  if (disabled) return null;
  return (
    <Group gap={6} role="group" aria-label={t("records.export")}>
      <Text size="sm">{t("records.export")}</Text>
      {FORMATS.map((format) => (
        <Button
          key={format}
          component="a"
          href={`/api/v1/tasks/${encodeURIComponent(taskId)}/records:export?format=${format}`}
          download
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          aria-label={t("records.exportAs", { format: NAMES[format] })}
        >
          {NAMES[format]}
        </Button>
      ))}
    </Group>
  );
}

const NAMES = { jsonl: "JSONL", csv: "CSV", parquet: "Parquet" };

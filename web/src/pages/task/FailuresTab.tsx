import { Button, Group, Stack } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import type { FailedUrls, ProgressShape, TaskShape } from "@/api/schema";
import { useMay } from "@/app/session";
import { Failure } from "@/components/Failure";
import { Pager } from "@/components/Pager";
import { useAction } from "@/components/useAction";
import { useKeysetPages } from "@/components/useKeysetPages";
import { formatNumber } from "@/format";
import { FailureReasons } from "@/pages/task/FailureReasons";
import { FailureTable } from "@/pages/task/FailureTable";
import { isAtWork } from "@/pages/tasks/taskMoves";

const AT_ONCE = 50;
const MOST_AT_ONCE = 1_000; // URLs that one request may name
const SELDOM = 5_000; // milliseconds

interface Props {
  task: TaskShape;
  progress: ProgressShape | undefined;
  reason: string; // nothing: all
  onReason: (reason: string) => void;
}

export function FailuresTab({ task, progress, reason, onReason }: Props) {
  return (
    <Stack gap="sm">
      <FailureReasons counts={progress?.by_reason ?? {}} chosen={reason} onChoose={onReason} />
      <FailureList key={reason} task={task} progress={progress} reason={reason} />
    </Stack>
  );
}

function FailureList({ task, progress, reason }: Omit<Props, "onReason">) {
  const may = useMay("operator");
  const pages = useKeysetPages();
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const query = { cursor: pages.cursor, limit: AT_ONCE, reason: reason || undefined };
  const failures = useQuery({
    queryKey: ["task", task.id, "failures", query],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/tasks/{task_id}/failures", {
          params: { path: { task_id: task.id }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: isAtWork(task.status) ? SELDOM : false,
  });
  const rows = failures.data?.items;
  return (
    <>
      {may && rows !== undefined && rows.length > 0 && (
        <RetryButtons
          task={task}
          reason={reason}
          count={reason === "" ? (progress?.dead ?? 0) : (progress?.by_reason[reason] ?? 0)}
          urls={[...selected]}
          onDone={() => {
            select(new Set());
            pages.first();
          }}
        />
      )}
      {failures.isError && <Failure error={failures.error} onRetry={() => void failures.refetch()} />}
      {(rows !== undefined || !failures.isError) && (
        <FailureTable
          rows={rows}
          selected={selected}
          onSelect={may ? (chosen) => select(new Set([...chosen].slice(0, MOST_AT_ONCE))) : undefined}
        />
      )}
      <Pager pages={pages} nextCursor={failures.data?.next_cursor} />
    </>
  );
}

interface RetryProps {
  task: TaskShape;
  reason: string;
  count: number;
  urls: string[]; // those that are selected
  onDone: () => void;
}

/** Try once more: what is selected, all of a reason, or all. */
function RetryButtons({ task, reason, count, urls, onDone }: RetryProps) {
  const { t, i18n } = useTranslation("task");
  const retry = useAction(
    (body: Partial<FailedUrls>) =>
      answerOf(
        api.POST("/api/v1/tasks/{task_id}:retry-failed", {
          params: { path: { task_id: task.id } },
          body: body as FailedUrls,
        }),
      ),
    { done: () => t("failures.done"), refresh: [["task", task.id], ["tasks"]], onDone },
  );
  const whole = formatNumber(count, i18n.language);
  return (
    <Group gap="xs">
      <Button
        size="xs"
        disabled={urls.length === 0 || retry.isPending}
        leftSection={<IconRefresh size={14} aria-hidden />}
        onClick={() => retry.mutate({ urls })}
      >
        {t("failures.retrySelected", { count: urls.length })}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={retry.isPending}
        leftSection={<IconRefresh size={14} aria-hidden />}
        onClick={() => retry.mutate(reason === "" ? {} : { reason })}
      >
        {reason === ""
          ? t("failures.retryAll", { count, replace: { count: whole } })
          : t("failures.retryReason", { reason: `${reason} (${whole})` })}
      </Button>
    </Group>
  );
}

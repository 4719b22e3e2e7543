import { Badge, Group, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useParams, useSearchParams } from "react-router";
import { ApiError } from "@/api/errors";
import type { ProgressShape, TaskShape } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { Page } from "@/components/Page";
import { SPANS, type Span } from "@/components/SpanPicker";
import { TaskStatusBadge } from "@/components/StatusBadge";
import { formatShort } from "@/format";
import { FailuresTab } from "@/pages/task/FailuresTab";
import { HistoryTab } from "@/pages/task/HistoryTab";
import { HostsTab } from "@/pages/task/HostsTab";
import { LedgerTab } from "@/pages/task/LedgerTab";
import { LogTab } from "@/pages/task/LogTab";
import { OverviewTab } from "@/pages/task/OverviewTab";
import { ProgressPanel } from "@/pages/task/ProgressPanel";
import { RecordsTab } from "@/pages/task/RecordsTab";
import { shortened } from "@/pages/task/recordCells";
import { TaskActions } from "@/pages/task/TaskActions";
import { usualSpan } from "@/pages/task/TaskCharts";
import { TaskFacts } from "@/pages/task/TaskFacts";
import { useProgress, useTask } from "@/pages/task/useTask";
import { targetOf, WEB_CRAWL } from "@/pages/tasks/taskTarget";

const TABS = ["overview", "history", "records", "failures", "ledger", "hosts", "log"] as const;
type Tab = (typeof TABS)[number];
const LONGEST_TITLE = 90; // characters; the parameters have the whole address
const FOR_ALL: readonly Tab[] = ["overview", "history", "log"];

export function Component() {
  const { t } = useTranslation("task");
  const { taskId = "" } = useParams();
  const task = useTask(taskId);
  if (task.data !== undefined) return <TaskPage key={taskId} task={task.data} />;
  const missing = task.error instanceof ApiError && task.error.status === 404;
  return (
    <Page title={missing ? t("unknown") : t("title")} description={taskId}>
      {task.isError ? (
        <Failure error={task.error} onRetry={() => void task.refetch()} />
      ) : (
        <Skeleton height={240} />
      )}
    </Page>
  );
}

function TaskPage({ task }: { task: TaskShape }) {
  const { t } = useTranslation(["task", "tasks"]);
  const isCrawl = task.task_type === WEB_CRAWL;
  const progress = useProgress(task, isCrawl);
  const { text: whole, more } = targetOf(task);
  const text = shortened(whole, LONGEST_TITLE);
  return (
    <Page
      title={more > 0 ? t("tasks:target", { first: text, count: more }) : text}
      description={<Identity task={task} />}
      actions={<TaskActions task={task} progress={progress.data} />}
    >
      <TaskFacts task={task} />
      {isCrawl && progress.isError && (
        <Failure error={progress.error} onRetry={() => void progress.refetch()} />
      )}
      {isCrawl && progress.data !== undefined && <ProgressPanel task={task} progress={progress.data} />}
      <TaskTabs task={task} progress={progress.data} isCrawl={isCrawl} />
    </Page>
  );
}

function Identity({ task }: { task: TaskShape }) {
  return (
    <Group gap="xs">
      <TaskStatusBadge status={task.status} />
      <Text span size="sm" ff="monospace" style={{ wordBreak: "break-all" }}>
        {task.id}
      </Text>
    </Group>
  );
}

interface TabsProps {
  task: TaskShape;
  progress: ProgressShape | undefined;
  isCrawl: boolean;
}

function TaskTabs({ task, progress, isCrawl }: TabsProps) {
  const { t } = useTranslation("task");
  const [params, setParams] = useSearchParams();
  const tabs = isCrawl ? TABS : FOR_ALL;
  const tab = tabs.find((each) => each === params.get("tab")) ?? "overview";
  const span = SPANS.find((each) => each === params.get("span")) ?? usualSpan(task, Date.now());
  const go = (change: Record<string, string>, replace = false) =>
    setParams(new URLSearchParams(Object.entries(change).filter(([, value]) => value !== "")), { replace });
  const parts: Record<Tab, () => ReactNode> = {
    overview: () => (
      <OverviewTab
        task={task}
        progress={progress}
        isCrawl={isCrawl}
        span={span}
        onSpan={(chosen: Span) => go({ span: chosen }, true)}
      />
    ),
    history: () => <HistoryTab task={task} />,
    records: () => <RecordsTab task={task} progress={progress} />,
    failures: () => (
      <FailuresTab
        task={task}
        progress={progress}
        reason={params.get("reason") ?? ""}
        onReason={(reason) => go({ tab: "failures", reason })}
      />
    ),
    ledger: () => (
      <LedgerTab task={task} url={params.get("url") ?? ""} onUrl={(url) => go({ tab: "ledger", url })} />
    ),
    hosts: () => <HostsTab task={task} />,
    log: () => <LogTab task={task} />,
  };
  return (
    <Tabs
      value={tab}
      onChange={(chosen) => go({ tab: chosen === "overview" ? "" : (chosen ?? "") })}
      keepMounted={false}
    >
      <Tabs.List aria-label={t("tabs.label")} mb="md">
        {tabs.map((each) => (
          <Tabs.Tab key={each} value={each} rightSection={<TabCount tab={each} progress={progress} />}>
            {t(`tabs.${each}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((each) => (
        <Tabs.Panel key={each} value={each}>
          <Stack>{each === tab && parts[each]()}</Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function TabCount({ tab, progress }: { tab: Tab; progress: ProgressShape | undefined }) {
  const { i18n } = useTranslation();
  const count = tab === "records" ? progress?.records : tab === "failures" ? progress?.dead : undefined;
  if (!count) return null;
  return (
    <Badge size="sm" variant="light" color={tab === "failures" ? "red" : "gray"} autoContrast>
      {formatShort(count, i18n.language)}
    </Badge>
  );
}

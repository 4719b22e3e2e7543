import { Button, Group, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconArrowBarToDown, IconDownload, IconSearch } from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { LogLineShape, TaskShape } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { formatNumber } from "@/format";
import { LogView } from "@/pages/task/LogView";
import { asText, filtered, LEVELS, type Level, MOST_LINES } from "@/pages/task/logLines";
import { useTaskLog } from "@/pages/task/useTaskLog";
import { hasEnded } from "@/pages/tasks/taskMoves";

/** What the nodes logged about the task, as it comes. */
export function LogTab({ task }: { task: TaskShape }) {
  const { t, i18n } = useTranslation("task");
  const alive = !hasEnded(task.status);
  const { log, loading, error } = useTaskLog(task.id, alive);
  const [level, setLevel] = useState<Level>("all");
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text, 150);
  const [follow, setFollow] = useState(alive);
  const view = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => filtered(log.lines, level, search), [log.lines, level, search]);
  const jump = () => view.current?.scrollTo({ top: view.current.scrollHeight });
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <TextInput
          size="xs"
          flex="1 1 180px"
          maw={320}
          type="search"
          aria-label={t("log.search")}
          placeholder={t("log.search")}
          leftSection={<IconSearch size={14} aria-hidden />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Select
          size="xs"
          w={190}
          aria-label={t("log.level")}
          allowDeselect={false}
          data={LEVELS.map((value) => ({ value, label: t(`log.levels.${value}`) }))}
          value={level}
          onChange={(chosen) => setLevel((chosen ?? "all") as Level)}
        />
        <Switch
          size="sm"
          label={t("log.follow")}
          checked={follow}
          onChange={({ currentTarget }) => setFollow(currentTarget.checked)}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconArrowBarToDown size={14} aria-hidden />}
          onClick={jump}
        >
          {t("log.jump")}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={log.lines.length === 0}
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => save(`${task.id}.log`, lines)}
        >
          {t("log.download")}
        </Button>
      </Group>
      {error !== null && <Failure error={error} />}
      {lines.length === 0 ? (
        <Text c="dimmed" py="lg" ta="center">
          {loading ? t("log.loading") : log.lines.length === 0 ? t("log.empty") : t("log.emptyFiltered")}
        </Text>
      ) : (
        <LogView label={t("log.label")} lines={lines} follow={follow} onFollow={setFollow} view={view} />
      )}
      <Text size="xs" c="dimmed" role="status">
        {t("log.lines", {
          count: lines.length,
          replace: { count: formatNumber(lines.length, i18n.language) },
        })}
        {log.dropped &&
          ` ${t("log.capped", { count: MOST_LINES, replace: { count: formatNumber(MOST_LINES, i18n.language) } })}`}
      </Text>
    </Stack>
  );
}

/** The lines that are shown, as a file. */
function save(name: string, lines: LogLineShape[]): void {
  const address = URL.createObjectURL(new Blob([asText(lines)], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}

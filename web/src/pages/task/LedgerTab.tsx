import { Alert, Button, Group, Skeleton, Stack, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import type { TaskShape } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { LedgerEntry } from "@/pages/task/LedgerEntry";
import { isAtWork } from "@/pages/tasks/taskMoves";

const SELDOM = 5_000; // milliseconds

interface Props {
  task: TaskShape;
  url: string; // that is looked at; nothing: none yet
  onUrl: (url: string) => void;
}

/** What became of any URL. */
export function LedgerTab({ task, url, onUrl }: Props) {
  const { t } = useTranslation("task");
  const [text, setText] = useState(url);
  const [wrong, setWrong] = useState(false);
  useEffect(() => setText(url), [url]);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    setWrong(!isAddress(wanted));
    if (isAddress(wanted)) onUrl(wanted);
  };
  return (
    <Stack gap="md">
      <form onSubmit={ask} noValidate>
        <Group gap="xs" align="flex-start">
          <TextInput
            flex="1 1 260px"
            type="url"
            label={t("ledger.url")}
            description={t("ledger.help")}
            placeholder={t("ledger.placeholder")}
            error={wrong ? t("ledger.invalid") : undefined}
            value={text}
            maxLength={8192}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              setWrong(false);
            }}
          />
          <Button type="submit" mt={{ base: 0, xs: 43 }} leftSection={<IconSearch size={16} aria-hidden />}>
            {t("ledger.ask")}
          </Button>
        </Group>
      </form>
      {isAddress(url) && <Answer task={task} url={url} />}
    </Stack>
  );
}

function Answer({ task, url }: Omit<Props, "onUrl">) {
  const { t } = useTranslation("task");
  const why = useQuery({
    queryKey: ["task", task.id, "why", url],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/tasks/{task_id}/why", {
          params: { path: { task_id: task.id }, query: { url } },
          signal,
        }),
      ),
    refetchInterval: isAtWork(task.status) ? SELDOM : false,
  });
  if (why.isError) return <Failure error={why.error} onRetry={() => void why.refetch()} />;
  if (why.data === undefined) return <Skeleton height={160} />;
  if (why.data === null)
    return (
      <Alert color="gray" title={t("ledger.unknown")} role="status">
        {t("ledger.unknownHelp")}
      </Alert>
    );
  return <LedgerEntry entry={why.data} />;
}

function isAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/.test(text);
}

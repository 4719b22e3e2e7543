import { Alert, Badge, Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "@/components/Failure";
import { EventTable } from "./EventTable";
import { type EventFilter, hasText } from "./eventFilter";
import { sentenceOf } from "./eventSentence";
import { useEventStream } from "./useEventStream";

/** The stream under one filter; another filter is another stream. */
export function EventStream({ filter, text }: { filter: EventFilter; text: string }) {
  const { t, i18n } = useTranslation(["events", "common"]);
  const stream = useEventStream(filter);
  const rows = useMemo(
    () => stream.rows.filter((event) => hasText(event, sentenceOf(event, t, i18n.language) ?? "", text)),
    [stream.rows, text, t, i18n.language],
  );
  if (stream.error !== null) return <Failure error={stream.error} onRetry={stream.retry} />;
  if (stream.loading) return <Skeleton height={320} aria-busy />;
  return (
    <Stack gap="sm">
      <StreamControls stream={stream} />
      {stream.skipped > 0 && (
        <Alert color="yellow" p="xs" role="status">
          <Group justify="space-between">
            <Text size="sm">{t("skipped", { count: stream.skipped })}</Text>
            <Button
              size="xs"
              variant="default"
              loading={stream.skippedOnes.pending}
              onClick={stream.skippedOnes.load}
            >
              {t("loadSkipped")}
            </Button>
          </Group>
        </Alert>
      )}
      <EventTable
        rows={rows}
        empty={
          text !== "" && stream.rows.length > 0 ? t("emptyText", { count: stream.rows.length }) : t("empty")
        }
      />
      <Group justify="center">
        {stream.complete ? (
          <Text size="sm" c="dimmed">
            {stream.rows.length > 0 && t("oldest")}
          </Text>
        ) : (
          <Button variant="default" loading={stream.older.pending} onClick={stream.older.load}>
            {t("older")}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function StreamControls({ stream }: { stream: ReturnType<typeof useEventStream> }) {
  const { t } = useTranslation("events");
  const { paused, waiting } = stream;
  return (
    <Group gap="sm">
      <Button
        size="xs"
        variant={paused ? "filled" : "default"}
        leftSection={paused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
        onClick={paused ? stream.resume : stream.pause}
      >
        {t(paused ? "continue" : "pause")}
      </Button>
      {paused && (
        <Badge variant="dot" tt="none" color="yellow">
          {t("paused")}
        </Badge>
      )}
      {paused && waiting > 0 && (
        <Text size="sm" role="status">
          {t("waiting", { count: waiting })}
        </Text>
      )}
    </Group>
  );
}

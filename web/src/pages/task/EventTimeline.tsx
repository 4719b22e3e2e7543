import { Anchor, Button, type MantineColor, Skeleton, Stack, Text, Timeline } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { answerOf, api } from "@/api/client";
import type { EventShape, TaskStatus } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { Moment } from "@/components/Moment";
import { TASK_STATUSES } from "@/pages/tasks/taskMoves";

const AT_ONCE = 100;

/** What happened to a task, the newest first. */
export function EventTimeline({ taskId }: { taskId: string }) {
  const { t } = useTranslation(["task", "common"]);
  const events = useInfiniteQuery({
    queryKey: ["task", taskId, "events"],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET("/api/v1/events", {
          params: { query: { task_id: taskId, order: "desc", limit: AT_ONCE, before: pageParam } },
          signal,
        }),
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ items }) => (items.length < AT_ONCE ? undefined : items.at(-1)?.id),
  });
  if (events.isError) return <Failure error={events.error} onRetry={() => void events.refetch()} />;
  if (events.data === undefined) return <Skeleton height={120} />;
  const all = events.data.pages.flatMap(({ items }) => items);
  if (all.length === 0) return <Text c="dimmed">{t("history.empty")}</Text>;
  return (
    <Stack align="flex-start">
      <Timeline bulletSize={14} lineWidth={2} active={all.length} w="100%">
        {all.map((event) => (
          <Timeline.Item key={event.id} title={headline(event, t)} color={colorOf(event)}>
            <Details event={event} />
          </Timeline.Item>
        ))}
      </Timeline>
      {events.hasNextPage && (
        <Button
          size="xs"
          variant="default"
          loading={events.isFetchingNextPage}
          onClick={() => void events.fetchNextPage()}
        >
          {t("history.older")}
        </Button>
      )}
    </Stack>
  );
}

function Details({ event }: { event: EventShape }) {
  const { strategy, choice, result } = event.data as {
    strategy?: string;
    choice?: string;
    result?: { error?: string | null };
  };
  const words = choice === undefined ? result?.error : `${strategy}: ${choice}`;
  return (
    <Text size="xs" c="dimmed" component="div">
      <Moment at={event.at} />
      {event.node_id !== undefined && (
        <>
          {" · "}
          <Anchor component={Link} to={`/nodes/${event.node_id}`} inherit underline="always">
            {event.node_id}
          </Anchor>
        </>
      )}
      {words && ` · ${words}`}
    </Text>
  );
}

/** An event of a task in a few words. */
export function headline(event: EventShape, t: TFunction<["task", "common"]>): string {
  const data = event.data as Record<string, unknown>;
  const number = (name: string) => Number(data[name] ?? 0);
  switch (event.type) {
    case "task.created":
      return t("history.events.created", { priority: number("priority") });
    case "task.assigned":
      return t("history.events.assigned", { node: event.node_id });
    case "task.reassign":
      return t("history.events.reassign", { node: event.node_id });
    case "task.status_changed":
      return t("history.events.moved", {
        from: statusName(data.old_status, t),
        to: statusName(data.status, t),
      });
    case "task.completed":
      return t("history.events.completed");
    case "task.failed":
      return t("history.events.failed");
    case "task.timeout":
      return t("history.events.timeout", { count: number("retry_count") });
    case "task.filter_nearly_full":
      return t("history.events.filter", { count: number("count"), capacity: number("capacity") });
    default:
      return event.type;
  }
}

function statusName(status: unknown, t: TFunction<["task", "common"]>): string {
  const known = TASK_STATUSES.find((each) => each === status);
  return known === undefined ? String(status) : t(`common:taskStatus.${known satisfies TaskStatus}`);
}

function colorOf({ type }: EventShape): MantineColor {
  if (type === "task.completed") return "green";
  if (type === "task.failed" || type === "task.timeout") return "red";
  return type === "task.reassign" || type === "task.filter_nearly_full" ? "orange" : "blue";
}

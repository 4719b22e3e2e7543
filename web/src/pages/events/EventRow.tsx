import { ActionIcon, Anchor, Badge, Code, Group, type MantineColor, Stack, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { EventShape, EventType } from "@/api/schema";
import { formatMoment } from "@/format";
import { sentenceOf } from "./eventSentence";

const COLORS: Partial<Record<EventType, MantineColor>> = {
  "task.completed": "green",
  "task.failed": "red",
  "task.timeout": "red",
  "task.reassign": "orange",
  "task.filter_nearly_full": "orange",
  "node.timeout": "red",
  "node.health_changed": "yellow",
  "node.registered": "green",
  "scheduler.node_unavailable": "orange",
  "host.limits_changed": "orange",
  "task.created": "blue",
  "task.assigned": "cyan",
};

/** One event, and its data for those who open it. */
export const EventRow = memo(function EventRow({ event }: { event: EventShape }) {
  const { t, i18n } = useTranslation(["events", "common"]);
  const [opened, { toggle }] = useDisclosure();
  const sentence = sentenceOf(event, t, i18n.language);
  const Icon = opened ? IconChevronDown : IconChevronRight;
  const badge = (
    <Badge size="sm" radius="sm" tt="none" variant="light" autoContrast color={COLORS[event.type] ?? "gray"}>
      {t(`types.${event.type}`)}
    </Badge>
  );
  const time = (
    <time dateTime={event.at} title={formatMoment(event.at, i18n.language)}>
      {clock(event.at, i18n.language)}
    </time>
  );
  return (
    <>
      <Table.Tr data-event={event.id}>
        <Table.Td>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-expanded={opened}
            aria-label={t(opened ? "hideData" : "showData", { id: event.id })}
            onClick={toggle}
          >
            <Icon size={16} />
          </ActionIcon>
        </Table.Td>
        <Table.Td visibleFrom="sm" style={{ whiteSpace: "nowrap" }}>
          {time}
        </Table.Td>
        <Table.Td visibleFrom="sm">{badge}</Table.Td>
        <Table.Td>
          <Stack gap={2} align="flex-start">
            <Group gap="xs" hiddenFrom="sm">
              <Text span size="xs" c="dimmed">
                {time}
              </Text>
              {badge}
            </Group>
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              {sentence ?? <Code>{event.type}</Code>}
            </Text>
            <Stack gap={0} hiddenFrom="md">
              <About event={event} />
            </Stack>
          </Stack>
        </Table.Td>
        <Table.Td visibleFrom="md" style={{ whiteSpace: "nowrap" }}>
          <Stack gap={0}>
            <About event={event} />
          </Stack>
        </Table.Td>
      </Table.Tr>
      {opened && (
        <Table.Tr>
          <Table.Td colSpan={5}>
            <Code block aria-label={t("data", { id: event.id })} style={{ whiteSpace: "pre-wrap" }}>
              {JSON.stringify(event, null, 2)}
            </Code>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
});

function About({ event }: { event: EventShape }) {
  const host = (event.data as Record<string, unknown>).host;
  return (
    <>
      {event.task_id !== undefined && <To path={`/tasks/${event.task_id}`} text={event.task_id} />}
      {event.node_id !== undefined && <To path={`/nodes/${event.node_id}`} text={event.node_id} />}
      {typeof host === "string" && <To path={`/hosts?search=${encodeURIComponent(host)}`} text={host} />}
    </>
  );
}

function To({ path, text }: { path: string; text: string }) {
  return (
    <Anchor component={Link} to={path} size="xs" style={{ overflowWrap: "anywhere" }}>
      {text}
    </Anchor>
  );
}

/** The time of day; on other days than today, the date too. */
function clock(at: string, language: string): string {
  const moment = new Date(at);
  const day: Intl.DateTimeFormatOptions =
    moment.toDateString() === new Date().toDateString() ? {} : { month: "numeric", day: "numeric" };
  return new Intl.DateTimeFormat(language, {
    ...day,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).format(moment);
}

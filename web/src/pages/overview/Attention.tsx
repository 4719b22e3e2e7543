import { Anchor, Badge, Button, Group, type MantineColor, Stack, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { answerOf, api } from "@/api/client";
import type { AttentionAnswer, AttentionShape, Severity } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { Moment } from "@/components/Moment";
import { Panel } from "@/components/Panel";
import classes from "./Attention.module.css";
import { pageOf } from "./subjects";

const SEVERITY_COLORS: Record<Severity, MantineColor> = { error: "red", warning: "orange", info: "blue" };
const AT_FIRST = 6;

/** What somebody should look at, the most severe first. */
export function Attention() {
  const { t } = useTranslation("overview");
  const query = useQuery({
    queryKey: ["attention"],
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/system/attention", { signal })),
    refetchInterval: 10_000,
  });
  if (query.isError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return null;
  const count = query.data.items.length + query.data.more;
  return (
    <Panel
      title={t("attention.title")}
      aside={
        count > 0 && <Badge color={SEVERITY_COLORS[query.data.items[0]?.severity ?? "info"]}>{count}</Badge>
      }
    >
      {count === 0 ? <Nothing /> : <Items answer={query.data} />}
    </Panel>
  );
}

function Nothing() {
  const { t } = useTranslation("overview");
  return (
    <Group gap="xs" wrap="nowrap">
      <IconCircleCheck size={20} color="var(--mantine-color-green-6)" aria-hidden />
      <Text size="sm">{t("attention.nothing")}</Text>
    </Group>
  );
}

function Items({ answer: { items, more } }: { answer: AttentionAnswer }) {
  const { t } = useTranslation("overview");
  const [all, setAll] = useState(false);
  const hidden = items.length - AT_FIRST;
  return (
    <Stack gap="xs">
      <ul className={classes.list}>
        {(all ? items : items.slice(0, AT_FIRST)).map((item) => (
          <Item key={`${item.kind} ${item.subject.type} ${item.subject.id}`} item={item} />
        ))}
      </ul>
      {hidden > 0 && (
        <Button size="xs" variant="subtle" w="fit-content" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? t("attention.showLess") : t("attention.showAll", { count: hidden })}
        </Button>
      )}
      {more > 0 && (all || hidden <= 0) && (
        <Text size="sm" c="dimmed">
          {t("attention.more", { count: more })}
        </Text>
      )}
    </Stack>
  );
}

function Item({ item: { kind, severity, subject, reason, since } }: { item: AttentionShape }) {
  const { t } = useTranslation("overview");
  const page = pageOf(subject);
  return (
    <li className={classes.item} data-severity={severity}>
      <Group gap="xs" justify="space-between">
        <Group gap="xs" miw={0}>
          <Badge color={SEVERITY_COLORS[severity]} variant="light" radius="sm" tt="none">
            {t(`attention.severity.${severity}`)}
          </Badge>
          <Text size="sm" fw={600}>
            {t(`attention.kinds.${kind}`)}
          </Text>
          {page === null ? (
            <Text size="sm">{subject.id}</Text>
          ) : (
            <Anchor component={Link} to={page} size="sm" className={classes.subject}>
              {subject.id}
            </Anchor>
          )}
        </Group>
        {since !== null && (
          <Text size="xs" c="dimmed">
            {t("attention.since")} <Moment at={since} />
          </Text>
        )}
      </Group>
      <Text size="sm" className={classes.reason}>
        {reason}
      </Text>
    </li>
  );
}

import { Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { TaskShape } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { Failure } from "@/components/Failure";
import { formatDuration, formatNumber } from "@/format";
import { useHosts } from "@/pages/task/useTask";

const MOST = 200;

type Host = NonNullable<ReturnType<typeof useHosts>["data"]>["items"][number];

/** The hosts of a crawl, those with most trouble first. */
export function HostsTab({ task }: { task: TaskShape }) {
  const { t, i18n } = useTranslation("task");
  const hosts = useHosts(task, MOST);
  const columns = useMemo<Column<Host>[]>(() => {
    const number = (id: "queued" | "done" | "dead", hideBelow?: "sm"): Column<Host> => ({
      id,
      header: t(`hosts.columns.${id}`),
      align: "right",
      hideBelow,
      cell: (host) => formatNumber(host[id], i18n.language),
    });
    return [
      {
        id: "host",
        header: t("hosts.columns.host"),
        cell: ({ host }) => (
          <Anchor component={Link} to={`/hosts?search=${encodeURIComponent(host)}`} size="sm">
            {host}
          </Anchor>
        ),
      },
      { id: "state", header: t("hosts.columns.state"), cell: (host) => <HostState host={host} /> },
      number("queued"),
      number("done", "sm"),
      number("dead"),
      {
        id: "elapsed",
        header: t("hosts.columns.elapsed"),
        align: "right",
        hideBelow: "sm",
        cell: ({ mean_elapsed, done }) => (done === 0 ? "–" : formatDuration(mean_elapsed, i18n.language)),
      },
      {
        id: "delay",
        header: t("hosts.columns.delay"),
        align: "right",
        hideBelow: "md",
        cell: ({ state }) => formatDuration(state?.delay, i18n.language),
      },
      {
        id: "slots",
        header: t("hosts.columns.slots"),
        align: "right",
        hideBelow: "md",
        cell: ({ state }) => state?.slots ?? "–",
      },
    ];
  }, [t, i18n.language]);
  if (hosts.isError) return <Failure error={hosts.error} onRetry={() => void hosts.refetch()} />;
  return (
    <Stack gap="xs">
      <DataTable
        label={t("hosts.label")}
        columns={columns}
        rows={hosts.data?.items}
        rowId={({ host }) => host}
        empty={t("hosts.empty")}
      />
      {hosts.data?.items.length === MOST && (
        <Text size="sm" c="dimmed">
          {t("hosts.most", { count: MOST })}
        </Text>
      )}
    </Stack>
  );
}

/** Whether the host may be asked now, and what holds it back. */
function HostState({ host }: { host: Host }) {
  const { t, i18n } = useTranslation("task");
  const { ready_in, state } = host;
  const failures = state?.failures ?? 0;
  return (
    <Group gap={4}>
      {failures > 0 && <Mark color="red" text={t("hosts.failing", { count: failures })} />}
      {(state?.pressure ?? 0) > 0 && <Mark color="yellow" text={t("hosts.slowed")} />}
      {ready_in > 1 ? (
        <Mark color="gray" text={t("hosts.rests", { time: formatDuration(ready_in, i18n.language) })} />
      ) : (
        failures === 0 && <Mark color="green" text={t("hosts.ready")} />
      )}
    </Group>
  );
}

function Mark({ color, text }: { color: string; text: string }) {
  return (
    <Badge color={color} variant="light" radius="sm" tt="none" autoContrast miw="max-content">
      {text}
    </Badge>
  );
}

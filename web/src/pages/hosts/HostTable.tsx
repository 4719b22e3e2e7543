import { ActionIcon, Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { IconAdjustments } from "@tabler/icons-react";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { HostStatusShape } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { formatSeconds, formatShort } from "@/format";
import { HostBadge } from "./HostBadge";
import type { HostRates } from "./hostRates";
import { isLimited, robotsOf } from "./hostState";

interface Props {
  hosts: HostStatusShape[] | undefined;
  rates: HostRates;
  empty: ReactNode;
  onOpen: (host: string) => void;
}

export function HostTable({ hosts, rates, empty, onOpen }: Props) {
  const { t, i18n } = useTranslation(["hosts", "common"]);
  const language = i18n.language;
  const columns = useMemo<Column<HostStatusShape>[]>(() => {
    const count = (id: "queued" | "done" | "dead", hideBelow?: "sm"): Column<HostStatusShape> => ({
      id,
      header: t(`columns.${id}`),
      align: "right",
      hideBelow,
      cell: (host) => formatShort(host[id], language),
    });
    return [
      {
        id: "host",
        header: t("columns.host"),
        cell: (host) => (
          <Stack gap={4} align="flex-start">
            <Anchor
              component="button"
              type="button"
              size="sm"
              ta="left"
              maw={320}
              style={{ overflowWrap: "break-word" }}
              onClick={() => onOpen(host.host)}
            >
              {host.host}
            </Anchor>
            <Group gap={4}>
              <HostBadge host={host} />
              {isLimited(host.limits) && !host.blocked && (
                <Badge size="sm" color="orange" variant="light" radius="sm" tt="none">
                  {t("limited")}
                </Badge>
              )}
            </Group>
          </Stack>
        ),
      },
      {
        id: "pace",
        header: t("columns.pace"),
        hideBelow: "sm",
        cell: (host) => <Pace host={host} />,
      },
      {
        id: "rate",
        header: t("columns.rate"),
        align: "right",
        hideBelow: "md",
        cell: (host) => formatShort(rates.of(host.host), language),
      },
      {
        id: "meanTime",
        header: t("columns.meanTime"),
        align: "right",
        hideBelow: "md",
        cell: (host) =>
          host.mean_elapsed > 0 ? formatSeconds(Number(host.mean_elapsed.toPrecision(2)), language) : "–",
      },
      count("queued"),
      {
        id: "running",
        header: t("columns.running"),
        align: "right",
        hideBelow: "md",
        cell: (host) => `${host.running} / ${host.slots}`,
      },
      count("done"),
      count("dead", "sm"),
      {
        id: "errors",
        header: t("columns.errors"),
        hideBelow: "md",
        cell: (host) => <Errors host={host} />,
      },
      {
        id: "robots",
        header: t("columns.robots"),
        hideBelow: "lg",
        cell: ({ state }) => (
          <Text size="xs">
            {t(`robots.${robotsOf(state)}`)}
            {state.crawl_delay > 0 && (
              <>
                <br />
                {t("robots.delay", { time: formatSeconds(state.crawl_delay, language) })}
              </>
            )}
          </Text>
        ),
      },
      {
        id: "actions",
        header: t("columns.actions"),
        hideBelow: "sm",
        align: "right",
        cell: ({ host }) => (
          <ActionIcon variant="subtle" onClick={() => onOpen(host)} aria-label={t("drawer.open", { host })}>
            <IconAdjustments size={18} />
          </ActionIcon>
        ),
      },
    ];
  }, [t, language, rates, onOpen]);

  return (
    <DataTable
      label={t("title")}
      columns={columns}
      rows={hosts}
      rowId={(host) => host.host}
      rowBackground={(host) => (host.blocked ? "var(--mantine-color-red-light)" : undefined)}
      empty={empty}
    />
  );
}

function Pace({ host }: { host: HostStatusShape }) {
  const { t, i18n } = useTranslation("hosts");
  return (
    <Text size="xs" style={{ whiteSpace: "nowrap" }}>
      {host.delay > 0
        ? t("pace.delay", { time: formatSeconds(host.delay, i18n.language) })
        : t("pace.noDelay")}
      <br />
      {t("pace.slots", { count: host.slots })}
      {host.state.exclusive && (
        <>
          <br />
          {t("pace.exclusive")}
        </>
      )}
    </Text>
  );
}

function Errors({ host }: { host: HostStatusShape }) {
  const { t, i18n } = useTranslation("hosts");
  const { failures, pressure } = host.state;
  if (failures === 0 && pressure === 0) {
    return (
      <Text size="xs" c="dimmed">
        {t("errors.none")}
      </Text>
    );
  }
  return (
    <Stack gap={0}>
      {failures > 0 && (
        <Text size="xs" fw={600}>
          {t("errors.failures", { count: failures })}
        </Text>
      )}
      {pressure > 0 && (
        <Text size="xs">{t("errors.pressure", { time: formatSeconds(pressure, i18n.language) })}</Text>
      )}
    </Stack>
  );
}

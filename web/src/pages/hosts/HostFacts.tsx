import { Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { HostStatusShape } from "@/api/schema";
import { Moment } from "@/components/Moment";
import { formatNumber, formatSeconds } from "@/format";
import { robotsOf } from "./hostState";

/** All that holds for a host now. */
export function HostFacts({ host }: { host: HostStatusShape }) {
  const { t, i18n } = useTranslation("hosts");
  const language = i18n.language;
  const { state } = host;
  const time = (seconds: number) => (seconds > 0 ? formatSeconds(seconds, language) : t("drawer.nothing"));
  const rest = () => {
    if (host.blocked) return t("drawer.restBlocked");
    return host.ready_in > 0
      ? t("drawer.restIn", { time: time(Math.ceil(host.ready_in)) })
      : t("drawer.restNow");
  };
  const facts: [string, ReactNode][] = [
    [t("drawer.rest"), rest()],
    [
      t("drawer.delay"),
      <>
        {time(host.delay)}
        {host.delay > 0 && (
          <Text size="xs" c="dimmed">
            {t("drawer.mostRate", { rate: formatNumber(1 / host.delay, language, 2) })}
          </Text>
        )}
      </>,
    ],
    [t("drawer.slots"), t("drawer.slotsUsed", { running: host.running, slots: host.slots })],
    [t("drawer.exclusive"), t(state.exclusive ? "drawer.exclusiveYes" : "drawer.exclusiveNo")],
    [t("drawer.pressure"), time(state.pressure)],
    [t("drawer.failures"), formatNumber(state.failures, language)],
    [
      t("drawer.robots"),
      <>
        {t(`robots.${robotsOf(state)}`)}
        {state.robots_at !== null && (
          <Text size="xs" c="dimmed" component="div">
            {t("drawer.robotsRead")} <Moment at={state.robots_at} />
          </Text>
        )}
      </>,
    ],
    [t("drawer.crawlDelay"), time(state.crawl_delay)],
    [t("drawer.meanTime"), host.mean_elapsed > 0 ? time(Number(host.mean_elapsed.toPrecision(2))) : "–"],
    [
      t("drawer.links"),
      t("drawer.linksText", {
        queued: formatNumber(host.queued, language),
        done: formatNumber(host.done, language),
        dead: formatNumber(host.dead, language),
      }),
    ],
  ];
  return (
    <Table variant="vertical" layout="fixed" fz="sm" aria-label={t("drawer.now")}>
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w="45%" scope="row">
              {name}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

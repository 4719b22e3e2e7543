import { Paper, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { ClusterPoint, OverviewShape } from "@/api/schema";
import { formatBytes, formatNumber, formatPercent, formatShort } from "@/format";
import classes from "./NumberTiles.module.css";

interface Props {
  overview: OverviewShape;
  point: ClusterPoint | null | undefined;
}

/** The cluster in numbers, as it is now. */
export function NumberTiles({ overview, point }: Props) {
  const { t, i18n } = useTranslation("overview");
  const number = (value: number | undefined) => formatNumber(value, i18n.language);
  const { tasks, nodes, health, running, slots, leader } = overview;
  const unwell = (health.degraded ?? 0) + (health.unhealthy ?? 0) + (health.unreachable ?? 0);
  return (
    <SimpleGrid
      cols={{ base: 2, sm: 3, xl: 6 }}
      spacing="sm"
      component="section"
      aria-label={t("tiles.label")}
    >
      <Tile
        label={t("tiles.running")}
        value={number((tasks.processing ?? 0) + (tasks.assigned ?? 0))}
        help={t("tiles.runningHelp", { executions: number(running) })}
        to="/tasks?status=processing&status=assigned"
      />
      <Tile
        label={t("tiles.waiting")}
        value={number((tasks.pending ?? 0) + (tasks.waiting ?? 0))}
        help={t("tiles.waitingHelp", { total: number(overview.tasks_total) })}
        to="/tasks?status=pending&status=waiting"
      />
      <Tile
        label={t("tiles.nodes")}
        value={t("tiles.nodesValue", {
          online: number(nodes.online ?? 0),
          total: number(overview.nodes_total),
        })}
        help={unwell > 0 ? t("tiles.nodesUnwell", { count: unwell }) : t("tiles.nodesWell")}
        to="/nodes"
      />
      <Tile
        label={t("tiles.slots")}
        value={t("tiles.slotsValue", { used: number(running), total: number(slots) })}
        help={t("tiles.slotsHelp", {
          share: formatPercent(slots > 0 ? running / slots : null, i18n.language),
        })}
        to="/nodes"
      />
      <Tile
        label={t("tiles.pages")}
        value={formatShort(point?.pages, i18n.language)}
        help={t("tiles.pagesHelp", { bytes: formatBytes(point?.bytes, i18n.language) })}
      />
      <Tile
        label={t("tiles.leader")}
        value={leader ?? t("tiles.noLeader")}
        help={leader === null ? t("tiles.noLeaderHelp") : t("tiles.leaderHelp")}
        small
      />
    </SimpleGrid>
  );
}

interface TileProps {
  label: string;
  value: ReactNode;
  help: string;
  to?: string;
  small?: boolean; // for a value that is a name
}

function Tile({ label, value, help, to, small }: TileProps) {
  const content = (
    <>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text
        fz={small ? "md" : "xl"}
        fw={700}
        lh={small ? 1.94 : undefined}
        truncate
        title={small ? String(value) : ""}
      >
        {value}
      </Text>
      <Text size="xs" c="dimmed" truncate>
        {help}
      </Text>
    </>
  );
  if (to === undefined)
    return (
      <Paper withBorder p="sm">
        {content}
      </Paper>
    );
  return (
    <Paper withBorder p="sm" component={Link} to={to} className={classes.link}>
      {content}
    </Paper>
  );
}

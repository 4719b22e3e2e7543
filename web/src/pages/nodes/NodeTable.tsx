import { Anchor, Stack, Text } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { NodeShape } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { Moment } from "@/components/Moment";
import { formatBytes } from "@/format";
import { Meter } from "./Meter";
import { NodeHealth, NodeStatus } from "./NodeState";
import classes from "./NodeTable.module.css";
import { readingsOf } from "./readings";

export interface NodeListProps {
  nodes: NodeShape[] | undefined; // undefined: not known yet
  empty: ReactNode;
  selected: ReadonlySet<string>;
  onSelect?: (selected: Set<string>) => void; // not there: nothing can be done with nodes
}

/** The nodes, one in a row. */
export function NodeTable({ nodes, empty, selected, onSelect }: NodeListProps) {
  const { t } = useTranslation("nodes");
  const columns = useColumns();
  return (
    <DataTable
      label={t("list.label")}
      columns={columns}
      rows={nodes}
      rowId={(node) => node.id}
      rowName={(node) => node.name}
      empty={empty}
      selected={selected}
      onSelect={onSelect}
    />
  );
}

function useColumns(): Column<NodeShape>[] {
  const { t } = useTranslation("nodes");
  return useMemo(
    () => [
      { id: "name", header: t("columns.name"), cell: (node) => <NodeName node={node} /> },
      { id: "status", header: t("columns.status"), cell: (node) => <NodeStatus node={node} /> },
      { id: "health", header: t("columns.health"), cell: (node) => <NodeHealth node={node} /> },
      {
        id: "cpu",
        header: t("columns.cpu"),
        cell: (node) => <Meter value={readingsOf(node).cpu} label={t("columns.cpu")} />,
      },
      {
        id: "memory",
        header: t("columns.memory"),
        hideBelow: "sm",
        cell: (node) => <Meter value={readingsOf(node).memory} label={t("columns.memory")} />,
      },
      {
        id: "load",
        header: t("columns.load"),
        hideBelow: "lg",
        cell: (node) => <Meter value={readingsOf(node).load} label={t("columns.load")} />,
      },
      {
        id: "network",
        header: t("columns.network"),
        hideBelow: "lg",
        cell: (node) => <Network node={node} />,
      },
      {
        id: "running",
        header: t("columns.running"),
        cell: (node) => (
          <Text size="sm" className={classes.together}>
            {t("runningOf", { running: node.active_tasks, slots: node.slots })}
          </Text>
        ),
      },
      {
        id: "heartbeat",
        header: t("columns.heartbeat"),
        hideBelow: "md",
        cell: (node) => (
          <Text size="sm" className={classes.together}>
            <Moment at={node.last_heartbeat} />
          </Text>
        ),
      },
    ],
    [t],
  );
}

/** The name of a node, which leads to its page, and its id where that says more. */
export function NodeName({ node }: { node: NodeShape }) {
  return (
    <Stack gap={0} miw={100}>
      <Anchor
        component={Link}
        to={`/nodes/${encodeURIComponent(node.id)}`}
        size="sm"
        fw={600}
        style={{ overflowWrap: "anywhere" }}
      >
        {node.name}
      </Anchor>
      {node.id !== node.name && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {node.id}
        </Text>
      )}
    </Stack>
  );
}

/** What goes in and out of a node. */
export function Network({ node }: { node: NodeShape }) {
  const { t, i18n } = useTranslation("nodes");
  const { received, sent } = readingsOf(node);
  if (received === null && sent === null) return "–";
  return (
    <Text size="xs" component="div">
      <span className={classes.together}>
        {t("network.received", { value: formatBytes(received, i18n.language) })}
      </span>{" "}
      <span className={classes.together}>
        {t("network.sent", { value: formatBytes(sent, i18n.language) })}
      </span>
    </Text>
  );
}

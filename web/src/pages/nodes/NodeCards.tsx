import { Checkbox, Group, Paper, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { NodeShape } from "@/api/schema";
import { Moment } from "@/components/Moment";
import { Meter } from "./Meter";
import { NodeState } from "./NodeState";
import { Network, type NodeListProps, NodeName } from "./NodeTable";
import { readingsOf } from "./readings";

/** The nodes, one on a card. */
export function NodeCards({ nodes, empty, selected, onSelect }: NodeListProps) {
  if (nodes === undefined) return <Skeleton height={220} />;
  if (nodes.length === 0)
    return (
      <Text c="dimmed" ta="center" py="lg" component="div">
        {empty}
      </Text>
    );
  const toggle = (id: string, on: boolean) => {
    const next = new Set(selected);
    if (on) next.add(id);
    else next.delete(id);
    onSelect?.(next);
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
      {nodes.map((node) => (
        <NodeCard
          key={node.id}
          node={node}
          selected={selected.has(node.id)}
          onSelect={onSelect && ((on) => toggle(node.id, on))}
        />
      ))}
    </SimpleGrid>
  );
}

interface CardProps {
  node: NodeShape;
  selected: boolean;
  onSelect: ((on: boolean) => void) | undefined;
}

function NodeCard({ node, selected, onSelect }: CardProps) {
  const { t } = useTranslation("nodes");
  const { cpu, memory, load } = readingsOf(node);
  return (
    <Paper
      withBorder
      p="sm"
      component="article"
      bg={selected ? "var(--mantine-primary-color-light)" : undefined}
    >
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <NodeName node={node} />
          {onSelect !== undefined && (
            <Checkbox
              size="xs"
              aria-label={t("list.select", { name: node.name })}
              checked={selected}
              onChange={(event) => onSelect(event.currentTarget.checked)}
            />
          )}
        </Group>
        <NodeState node={node} />
        <Line label={t("columns.cpu")}>
          <Meter value={cpu} label={t("columns.cpu")} />
        </Line>
        <Line label={t("columns.memory")}>
          <Meter value={memory} label={t("columns.memory")} />
        </Line>
        <Line label={t("columns.load")}>
          <Meter value={load} label={t("columns.load")} />
        </Line>
        <Line label={t("columns.network")}>
          <Network node={node} />
        </Line>
        <Line label={t("columns.running")}>
          {t("runningOf", { running: node.active_tasks, slots: node.slots })}
        </Line>
        <Line label={t("columns.heartbeat")}>
          <Moment at={node.last_heartbeat} />
        </Line>
      </Stack>
    </Paper>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between">
      <Text size="xs" c="dimmed" w={96} style={{ flexShrink: 0 }}>
        {label}
      </Text>
      <Text size="xs" component="div" flex={1} ta="right">
        {children}
      </Text>
    </Group>
  );
}

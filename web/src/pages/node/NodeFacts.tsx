import { SimpleGrid, Stack, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { NodeShape } from "@/api/schema";
import { Moment } from "@/components/Moment";
import { Panel } from "@/components/Panel";
import { formatBytes, formatNumber } from "@/format";
import { type Fact, Facts } from "./Facts";

/** What a node is, and what it can do. */
export function NodeFacts({ node }: { node: NodeShape }) {
  const { t, i18n } = useTranslation("nodes");
  const number = (value: number) => formatNumber(value, i18n.language, 2);
  const { cpu, memory_mb, ...others } = node.resources;
  const resources: Fact[] = [
    ...(cpu === undefined ? [] : [{ name: t("facts.cpu"), value: number(cpu) }]),
    ...(memory_mb === undefined
      ? []
      : [{ name: t("facts.memory_mb"), value: formatBytes(memory_mb * 1_048_576, i18n.language) }]),
    ...Object.entries(others).map(([name, value]) => ({ name, value: number(value) })),
    { name: t("facts.slots"), value: number(node.slots) },
    { name: t("facts.weight"), value: number(node.weight) },
    { name: t("facts.taskTypes"), value: node.task_types.join(", ") || t("facts.none") },
  ];
  const capabilities = Object.entries(node.capabilities as Record<string, unknown>).map(([name, value]) => ({
    name,
    value: written(value),
  }));
  const about: Fact[] = [
    { name: t("facts.id"), value: node.id },
    { name: t("facts.type"), value: node.node_type },
    { name: t("facts.region"), value: node.region || t("facts.none") },
    { name: t("facts.cluster"), value: node.cluster_id },
    {
      name: t("facts.address"),
      value: node.port ? t("page.address", { address: node.ip_address, port: node.port }) : node.ip_address,
    },
    { name: t("facts.created"), value: <Moment at={node.created_at} /> },
    ...(node.description === "" ? [] : [{ name: t("facts.note"), value: node.description }]),
  ];
  return (
    <Panel title={t("facts.title")}>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="lg">
        <Part title={t("facts.resources")} facts={resources} />
        <Part title={t("facts.capabilities")} facts={capabilities} />
        <Part title={t("facts.about")} facts={about} />
      </SimpleGrid>
    </Panel>
  );
}

function Part({ title, facts }: { title: string; facts: Fact[] }) {
  const { t } = useTranslation("nodes");
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        {title}
      </Title>
      {facts.length === 0 ? t("facts.none") : <Facts facts={facts} />}
    </Stack>
  );
}

function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

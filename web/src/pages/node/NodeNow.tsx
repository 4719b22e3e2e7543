import { SimpleGrid, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { NodeShape } from "@/api/schema";
import { Moment } from "@/components/Moment";
import { Panel } from "@/components/Panel";
import { Meter } from "@/pages/nodes/Meter";
import { NodeHealth, NodeStatus } from "@/pages/nodes/NodeState";
import { Network } from "@/pages/nodes/NodeTable";
import { readingsOf } from "@/pages/nodes/readings";
import { Facts } from "./Facts";
import { detailsOf, isKnown } from "./healthDetails";

/** How a node is now: status and health with their reasons, and its readings. */
export function NodeNow({ node }: { node: NodeShape }) {
  const { t, i18n } = useTranslation("nodes");
  const { cpu, memory, load } = readingsOf(node);
  const details = detailsOf(node.health, i18n.language);
  return (
    <Panel title={t("page.now")}>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="lg">
        <Facts
          facts={[
            { name: t("page.statusLabel"), value: <NodeStatus node={node} /> },
            {
              name: t("page.running"),
              value: t("runningOf", { running: node.active_tasks, slots: node.slots }),
            },
            { name: t("page.heartbeat"), value: <Moment at={node.last_heartbeat} /> },
          ]}
        />
        <Facts
          facts={[
            { name: t("page.healthLabel"), value: <NodeHealth node={node} /> },
            { name: t("page.checked"), value: <Moment at={node.health.timestamp} /> },
            ...(details.length > 0
              ? [
                  {
                    name: t("page.readings"),
                    value: (
                      <Stack gap={0}>
                        {details.map(({ name, value }) => (
                          <span key={name}>
                            {isKnown(name) ? t(`page.detail.${name}`) : name}: {value}
                          </span>
                        ))}
                      </Stack>
                    ),
                  },
                ]
              : []),
          ]}
        />
        <Facts
          facts={[
            { name: t("columns.cpu"), value: <Meter value={cpu} label={t("columns.cpu")} /> },
            { name: t("columns.memory"), value: <Meter value={memory} label={t("columns.memory")} /> },
            { name: t("columns.load"), value: <Meter value={load} label={t("columns.load")} /> },
            { name: t("columns.network"), value: <Network node={node} /> },
          ]}
        />
      </SimpleGrid>
    </Panel>
  );
}

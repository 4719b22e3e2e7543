import { ActionIcon, Badge, Button, Group, type MantineColor, Text } from "@mantine/core";
import { IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import type { ClusterShape, ClusterStatus } from "@/api/schema";
import { useMay } from "@/app/session";
import { askFirst } from "@/components/confirm";
import { type Column, DataTable } from "@/components/DataTable";
import { Failure } from "@/components/Failure";
import { Panel } from "@/components/Panel";
import { useAction } from "@/components/useAction";
import { ClusterForm } from "./ClusterForm";

const COLORS: Record<ClusterStatus, MantineColor> = {
  active: "green",
  inactive: "gray",
  maintenance: "yellow",
};

export function Clusters() {
  const { t } = useTranslation("settings");
  const mayChange = useMay("admin");
  const [edited, setEdited] = useState<ClusterShape | "new" | null>(null);
  const clusters = useQuery({
    queryKey: ["clusters"],
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/clusters", { signal })),
  });
  const columns = useColumns(mayChange, setEdited);
  if (clusters.data === undefined && clusters.isError) {
    return <Failure error={clusters.error} onRetry={() => void clusters.refetch()} />;
  }
  return (
    <Panel
      title={t("clusters.title")}
      description={t("clusters.help")}
      aside={
        mayChange && (
          <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setEdited("new")}>
            {t("clusters.add")}
          </Button>
        )
      }
    >
      <DataTable
        label={t("clusters.title")}
        columns={columns}
        rows={clusters.data?.items}
        rowId={(cluster) => cluster.id}
        empty={t("clusters.empty")}
      />
      {!mayChange && (
        <Text size="sm" c="dimmed">
          {t("clustersAdminOnly")}
        </Text>
      )}
      <ClusterForm edited={edited} onClose={() => setEdited(null)} />
    </Panel>
  );
}

function useColumns(mayChange: boolean, onEdit: (cluster: ClusterShape) => void): Column<ClusterShape>[] {
  const { t } = useTranslation(["settings", "common"]);
  const { mutate: remove } = useAction(
    async (cluster: ClusterShape) => {
      const params = { path: { cluster_id: cluster.id } };
      await answerOf(api.DELETE("/api/v1/clusters/{cluster_id}", { params }));
      return cluster;
    },
    { done: ({ name }) => t("clusters.deleted", { name }), refresh: [["clusters"]] },
  );
  return useMemo(() => {
    const ask = (cluster: ClusterShape) =>
      askFirst({
        title: t("clusters.deleteTitle", { name: cluster.name }),
        text: t("clusters.deleteText"),
        confirm: t("common:actions.delete"),
        danger: true,
        onConfirm: () => remove(cluster),
      });
    const actions: Column<ClusterShape> = {
      id: "actions",
      header: t("columns.actions"),
      align: "right",
      width: 96,
      cell: (cluster) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <ActionIcon
            variant="subtle"
            aria-label={t("clusters.edit", { name: cluster.name })}
            onClick={() => onEdit(cluster)}
          >
            <IconPencil size={18} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={t("clusters.delete", { name: cluster.name })}
            onClick={() => ask(cluster)}
          >
            <IconTrash size={18} />
          </ActionIcon>
        </Group>
      ),
    };
    const columns: Column<ClusterShape>[] = [
      {
        id: "name",
        header: t("columns.name"),
        cell: (cluster) => (
          <>
            <Text size="sm">{cluster.name}</Text>
            <Text size="xs" c="dimmed" visibleFrom="sm" style={{ overflowWrap: "anywhere" }}>
              {cluster.id}
            </Text>
          </>
        ),
      },
      {
        id: "description",
        header: t("columns.description"),
        hideBelow: "md",
        cell: (cluster) => cluster.description || "–",
      },
      {
        id: "status",
        header: t("columns.status"),
        cell: ({ status }) => (
          <Badge color={COLORS[status]} variant="light" radius="sm" tt="none" miw="max-content">
            {t(`clusters.statuses.${status}`)}
          </Badge>
        ),
      },
      {
        id: "nodes",
        header: t("columns.nodes"),
        align: "right",
        cell: ({ nodes = 0, online = 0 }) => t("clusters.online", { online, nodes }),
      },
    ];
    return mayChange ? [...columns, actions] : columns;
  }, [t, mayChange, onEdit, remove]);
}

import { ActionIcon, Badge, Group, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import type { KeyShape } from "@/api/schema";
import { useSession } from "@/app/session";
import { askFirst } from "@/components/confirm";
import { type Column, DataTable } from "@/components/DataTable";
import { Moment } from "@/components/Moment";
import { useAction } from "@/components/useAction";
import { isOver } from "./expiry";

interface Props {
  kind: "keys" | "tokens";
  keys: KeyShape[] | undefined;
}

export function KeyTable({ kind, keys }: Props) {
  const { t } = useTranslation(["settings", "common"]);
  const { key_id: own } = useSession();
  const { mutate: remove } = useAction(
    async (key: KeyShape) => {
      await answerOf(api.DELETE("/api/v1/keys/{key_id}", { params: { path: { key_id: key.id } } }));
      return key;
    },
    { done: ({ name }) => t("deleteKey.done", { name }), refresh: [["keys"]] },
  );
  const columns = useMemo<Column<KeyShape>[]>(() => {
    const isToken = kind === "tokens";
    const ask = (key: KeyShape) =>
      askFirst({
        title: t(isToken ? "deleteKey.titleToken" : "deleteKey.title", { name: key.name }),
        text: t(isToken ? "deleteKey.textToken" : "deleteKey.text"),
        confirm: t("common:actions.delete"),
        danger: true,
        onConfirm: () => remove(key),
      });
    const role: Column<KeyShape> = {
      id: "role",
      header: t("columns.role"),
      cell: (key) => t(`common:roles.${key.role}`),
    };
    return [
      {
        id: "name",
        header: t("columns.name"),
        cell: (key) => (
          <>
            <Group gap={6}>
              <Text size="sm">{key.name}</Text>
              {key.id === own && (
                <Badge size="sm" radius="sm" tt="none" variant="light">
                  {t("yours")}
                </Badge>
              )}
            </Group>
            <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {key.id}
            </Text>
          </>
        ),
      },
      ...(isToken ? [] : [role]),
      {
        id: "created",
        header: t("columns.created"),
        hideBelow: "md",
        cell: (key) => <Moment at={key.created_at} />,
      },
      {
        id: "expires",
        header: t("columns.expires"),
        hideBelow: "sm",
        cell: (key) => <Expiry at={key.expires_at} />,
      },
      {
        id: "used",
        header: t("columns.used"),
        hideBelow: "sm",
        cell: (key) => <Moment at={key.last_used_at} />,
      },
      {
        id: "actions",
        header: t("columns.actions"),
        align: "right",
        width: 80,
        cell: (key) =>
          key.id === own ? null : (
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t("deleteKey.label", { name: key.name })}
              onClick={() => ask(key)}
            >
              <IconTrash size={18} />
            </ActionIcon>
          ),
      },
    ];
  }, [t, kind, own, remove]);
  return (
    <DataTable
      label={t(`${kind}.title`)}
      columns={columns}
      rows={keys}
      rowId={(key) => key.id}
      empty={t(`${kind}.empty`)}
    />
  );
}

function Expiry({ at }: { at: string | undefined }) {
  const { t } = useTranslation("settings");
  if (at === undefined) return t("noExpiry");
  if (!isOver(at)) return <Moment at={at} />;
  return (
    <Badge color="red" variant="light" radius="sm" tt="none" size="sm">
      {t("expired")}
    </Badge>
  );
}

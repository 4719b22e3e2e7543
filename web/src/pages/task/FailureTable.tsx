import { Anchor, Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { FailureShape } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { Moment } from "@/components/Moment";

interface Props {
  rows: FailureShape[] | undefined;
  selected: ReadonlySet<string>; // URLs
  onSelect?: (selected: Set<string>) => void;
}

/** URLs that were given up; each leads to its place in the ledger. */
export function FailureTable({ rows, selected, onSelect }: Props) {
  const { t } = useTranslation("task");
  const columns = useMemo<Column<FailureShape>[]>(
    () => [
      {
        id: "url",
        header: t("failures.columns.url"),
        cell: ({ url }) => (
          <Anchor
            component={Link}
            to={`?tab=ledger&url=${encodeURIComponent(url)}`}
            size="sm"
            display="block"
            maw={{ base: 150, sm: 420, lg: 560 }}
            truncate="end"
            title={url}
          >
            {url}
          </Anchor>
        ),
      },
      {
        id: "reason",
        header: t("failures.columns.reason"),
        cell: ({ reason }) => (
          <Text size="sm" ff="monospace">
            {reason}
          </Text>
        ),
      },
      {
        id: "status",
        header: t("failures.columns.status"),
        align: "right",
        hideBelow: "sm",
        cell: ({ http_status }) => http_status ?? "–",
      },
      {
        id: "attempts",
        header: t("failures.columns.attempts"),
        align: "right",
        hideBelow: "sm",
        cell: ({ attempts }) => attempts,
      },
      {
        id: "at",
        header: t("failures.columns.at"),
        hideBelow: "sm",
        cell: ({ at }) => <Moment at={at} />,
      },
    ],
    [t],
  );
  return (
    <DataTable
      label={t("failures.label")}
      columns={columns}
      rows={rows}
      rowId={({ url }) => url}
      empty={t("failures.none")}
      selected={selected}
      onSelect={onSelect}
    />
  );
}

import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { AttemptShape } from "@/api/schema";
import { type Column, DataTable } from "@/components/DataTable";
import { Moment } from "@/components/Moment";
import { formatDuration } from "@/format";

/** Each try at a URL. */
export function Attempts({ attempts }: { attempts: AttemptShape[] }) {
  const { t, i18n } = useTranslation("task");
  const columns = useMemo<Column<AttemptShape>[]>(
    () => [
      {
        id: "number",
        header: t("ledger.columns.number"),
        align: "right",
        width: 60,
        cell: ({ number }) => number,
      },
      { id: "at", header: t("ledger.columns.at"), cell: ({ at }) => <Moment at={at} /> },
      {
        id: "kind",
        header: t("ledger.columns.kind"),
        cell: ({ kind }) =>
          i18n.exists(`task:ledger.outcomes.${kind}`)
            ? t(`ledger.outcomes.${kind}` as "ledger.outcomes.fetched")
            : kind,
      },
      {
        id: "status",
        header: t("ledger.columns.status"),
        align: "right",
        cell: ({ http_status }) => http_status ?? "–",
      },
      {
        id: "reason",
        header: t("ledger.columns.reason"),
        hideBelow: "sm",
        cell: ({ reason }) => reason ?? "–",
      },
      {
        id: "elapsed",
        header: t("ledger.columns.elapsed"),
        align: "right",
        hideBelow: "sm",
        cell: ({ elapsed }) => formatDuration(elapsed, i18n.language),
      },
    ],
    [t, i18n],
  );
  return (
    <DataTable
      label={t("ledger.attempts")}
      columns={columns}
      rows={attempts}
      rowId={({ number, at }) => `${number} ${at}`}
      empty={t("ledger.noAttempts")}
    />
  );
}

import { ScrollArea, Table, Text, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { EventShape } from "@/api/schema";
import { EventRow } from "./EventRow";

/** Events, newest first. */
export function EventTable({ rows, empty }: { rows: EventShape[]; empty: ReactNode }) {
  const { t } = useTranslation(["events", "common"]);
  return (
    <ScrollArea type="auto" viewportProps={{ tabIndex: 0, "aria-label": t("label"), role: "region" }}>
      <Table verticalSpacing={6} aria-label={t("label")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={36}>
              <VisuallyHidden>{t("common:actions.details")}</VisuallyHidden>
            </Table.Th>
            <Table.Th w={110} visibleFrom="sm">
              {t("columns.time")}
            </Table.Th>
            <Table.Th w={170} visibleFrom="sm">
              {t("columns.type")}
            </Table.Th>
            <Table.Th>{t("columns.what")}</Table.Th>
            <Table.Th visibleFrom="md">{t("columns.about")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
          {rows.length === 0 && (
            <Table.Tr>
              <Table.Td colSpan={5}>
                <Text c="dimmed" ta="center" py="lg" component="div">
                  {empty}
                </Text>
              </Table.Td>
            </Table.Tr>
          )}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}

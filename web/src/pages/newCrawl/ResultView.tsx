import { Box, Code, Group, List, Loader, SegmentedControl, Stack, Table, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Cell, columnsOf, isRecords } from "./resultShape";

const ROWS = 5;

interface Props {
  data: unknown; // the record, null where there is none
  isUpdating: boolean;
}

/** What the fields yield on the page that is looked at. */
export function ResultView({ data, isUpdating }: Props) {
  const { t } = useTranslation("newCrawl");
  const [view, setView] = useState("table");
  const record = typeof data === "object" && data !== null ? (data as Record<string, unknown>) : null;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Title order={3} size="h5">
            {t("result.title")}
          </Title>
          {isUpdating && <Loader size={14} role="status" aria-label={t("result.updating")} />}
        </Group>
        {record !== null && (
          <SegmentedControl
            size="xs"
            aria-label={t("result.view")}
            value={view}
            onChange={setView}
            data={[
              { value: "table", label: t("result.table") },
              { value: "json", label: t("result.json") },
            ]}
          />
        )}
      </Group>
      {record === null ? (
        <Text size="sm" c="dimmed">
          {t("result.waiting")}
        </Text>
      ) : view === "json" ? (
        <Code
          block
          mah={360}
          tabIndex={0}
          role="region"
          aria-label={t("result.title")}
          style={{ overflow: "auto" }}
        >
          {JSON.stringify(record, null, 2)}
        </Code>
      ) : (
        <Stack gap="sm" data-testid="result" role="group" aria-label={t("result.title")}>
          {Object.entries(record).map(([name, value]) => (
            <Entry key={name} name={name} value={value} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}

function Entry({ name, value }: { name: string; value: unknown }) {
  const { t } = useTranslation("newCrawl");
  const count = Array.isArray(value) ? value.length : null;
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw={600} ff="monospace">
          {name}
        </Text>
        {count !== null && count > 0 && (
          <Text size="xs" c="dimmed">
            {t("result.count", { count })}
          </Text>
        )}
      </Group>
      <Value value={value} label={name} />
    </div>
  );
}

function Value({ value, label }: { value: unknown; label: string }): ReactNode {
  const { t } = useTranslation("newCrawl");
  if (value === null || value === undefined) return <Faint>{t("result.nothing")}</Faint>;
  if (Array.isArray(value) && value.length === 0) return <Faint>{t("result.empty")}</Faint>;
  if (isRecords(value)) return <RecordTable records={value} label={label} />;
  if (Array.isArray(value)) {
    return (
      <>
        <List size="sm" pl="xs">
          {value.slice(0, ROWS).map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: values have no other identity
            <List.Item key={index} style={{ overflowWrap: "anywhere" }}>
              {shortText(one)}
            </List.Item>
          ))}
        </List>
        <More count={value.length - ROWS} />
      </>
    );
  }
  return (
    <Text size="sm" style={{ overflowWrap: "anywhere" }}>
      {shortText(value)}
    </Text>
  );
}

function RecordTable({ records, label }: { records: Record<string, unknown>[]; label: string }) {
  const { t } = useTranslation("newCrawl");
  const columns = columnsOf(records);
  return (
    <>
      <Box style={{ overflowX: "auto" }} tabIndex={0} role="region" aria-label={label}>
        <Table fz="xs" withTableBorder verticalSpacing={4} miw={columns.length * 90}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((name) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {records.slice(0, ROWS).map((record, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: records have no other identity
              <Table.Tr key={index}>
                {columns.map((name) => (
                  <Table.Td key={name} maw={260} style={{ overflowWrap: "break-word" }}>
                    {isNothing(record[name]) ? <Faint>{t("result.nothing")}</Faint> : shortText(record[name])}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
      <More count={records.length - ROWS} />
    </>
  );
}

function More({ count }: { count: number }) {
  const { t } = useTranslation("newCrawl");
  return count > 0 ? <Faint>{t("result.more", { count })}</Faint> : null;
}

function Faint({ children }: { children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed" component="span">
      {children}
    </Text>
  );
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

function shortText(value: unknown): Cell {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

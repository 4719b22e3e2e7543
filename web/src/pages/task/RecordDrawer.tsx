import { Anchor, Code, Drawer, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { RecordShape } from "@/api/schema";
import { CopyBlock } from "@/components/CopyBlock";
import { Moment } from "@/components/Moment";
import { isObject } from "@/pages/task/recordCells";
import { Fact } from "@/pages/task/TaskFacts";

interface Props {
  record: RecordShape | null;
  onClose: () => void;
}

/** One record with all that it has. */
export function RecordDrawer({ record, onClose }: Props) {
  const { t } = useTranslation(["task", "common"]);
  return (
    <Drawer
      opened={record !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={t("records.drawer")}
      closeButtonProps={{ "aria-label": t("common:actions.close") }}
    >
      {record !== null && <Details record={record} />}
    </Drawer>
  );
}

function Details({ record }: { record: RecordShape }) {
  const { t } = useTranslation("task");
  return (
    <Stack gap="md">
      <Text size="sm" style={{ wordBreak: "break-all" }} component="div">
        <Anchor href={record.url} target="_blank" rel="noreferrer noopener" inherit>
          {record.url}
        </Anchor>
      </Text>
      <Group gap="lg">
        <Fact label={t("records.status")}>{record.status}</Fact>
        <Fact label={t("records.depth")}>{record.depth}</Fact>
        <Fact label={t("records.fetched")}>
          <Moment at={record.fetched_at} />
        </Fact>
        <Anchor component={Link} to={`?tab=ledger&url=${encodeURIComponent(record.url)}`} size="sm">
          {t("records.inLedger")}
        </Anchor>
      </Group>
      {record.final_url !== record.url && <Fact label={t("records.redirected")}>{record.final_url}</Fact>}
      {isObject(record.data) && <Values data={record.data} />}
      <Stack gap={4}>
        <Title order={3} size="h6">
          {t("records.json")}
        </Title>
        <CopyBlock text={JSON.stringify(record, null, 2)} label={t("records.json")} />
      </Stack>
    </Stack>
  );
}

function Values({ data }: { data: Record<string, unknown> }) {
  return (
    <Table layout="fixed" withRowBorders>
      <Table.Tbody>
        {Object.entries(data).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w="28%" style={{ verticalAlign: "top", wordBreak: "break-word" }} scope="row">
              {name}
            </Table.Th>
            <Table.Td style={{ wordBreak: "break-word" }}>
              <Value value={value} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value !== "object") return <span style={{ whiteSpace: "pre-wrap" }}>{String(value)}</span>;
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return value.join(", ") || "–";
  return (
    <Code block style={{ whiteSpace: "pre-wrap" }}>
      {JSON.stringify(value, null, 2)}
    </Code>
  );
}

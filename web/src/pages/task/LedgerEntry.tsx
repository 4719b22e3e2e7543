import { Anchor, Badge, Paper, Stack, Table, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { WhyAnswer } from "@/api/schema";
import { Moment } from "@/components/Moment";
import { formatBytes, formatDuration } from "@/format";
import { Attempts } from "@/pages/task/Attempts";
import { useSentences } from "@/pages/task/sentences";

const COLORS: Record<string, string> = { pending: "gray", leased: "blue", done: "green", dead: "red" };

/** Everything that a crawl knows of one URL. */
export function LedgerEntry({ entry }: { entry: WhyAnswer }) {
  const { t, i18n } = useTranslation("task");
  const { ofReason, ofRule } = useSentences();
  const state = entry.state ?? "kept_out";
  const known = <Name extends string>(key: Name) => i18n.exists(`task:${key}`);
  const word = (group: "states" | "outcomes" | "found", name: string) =>
    known(`ledger.${group}.${name}`) ? t(`ledger.${group}.${name}` as "ledger.states.done") : name;
  return (
    <Stack gap="md" aria-live="polite">
      <Paper withBorder p="sm">
        <Text size="sm" fw={600} mb="xs" style={{ wordBreak: "break-all" }} component="div">
          <Anchor href={entry.url} target="_blank" rel="noreferrer noopener" inherit>
            {entry.url}
          </Anchor>
        </Text>
        <Table layout="auto" withRowBorders={false} verticalSpacing={4}>
          <Table.Tbody>
            <Row label={t("ledger.state")}>
              <Badge color={COLORS[state] ?? "orange"} variant="light" radius="sm" tt="none" autoContrast>
                {word("states", state)}
              </Badge>
            </Row>
            {entry.rule !== null && (
              <Row label={t("ledger.rule")}>
                <Named name={entry.rule} sentence={ofRule(entry.rule)} />
              </Row>
            )}
            {entry.outcome !== null && (
              <Row label={t("ledger.outcome")}>
                {word("outcomes", entry.outcome)}
                {entry.http_status !== null && ` · HTTP ${entry.http_status}`}
              </Row>
            )}
            {entry.reason !== null && entry.reason !== entry.rule && (
              <Row label={t("ledger.reason")}>
                <Named name={entry.reason} sentence={ofReason(entry.reason)} />
              </Row>
            )}
            {entry.found_by !== null && (
              <Row label={t("ledger.foundBy")}>{word("found", entry.found_by)}</Row>
            )}
            {entry.parent_url !== null && (
              <Row label={t("ledger.parent")}>
                <Other url={entry.parent_url} />
              </Row>
            )}
            <Row label={t("ledger.depth")}>{entry.depth}</Row>
            {entry.final_url !== null && entry.final_url !== entry.url && (
              <Row label={t("ledger.finalUrl")}>
                <Other url={entry.final_url} />
              </Row>
            )}
            {entry.redirected_from.length > 0 && (
              <Row label={t("ledger.redirectedFrom")}>
                {entry.redirected_from.map((url) => (
                  <Other key={url} url={url} />
                ))}
              </Row>
            )}
            {entry.fetched_at !== null && (
              <Row label={t("ledger.fetched")}>
                <Moment at={entry.fetched_at} />
                {entry.elapsed !== null &&
                  ` · ${t("ledger.took", { time: formatDuration(entry.elapsed, i18n.language) })}`}
                {entry.size !== null && ` · ${formatBytes(entry.size, i18n.language)}`}
              </Row>
            )}
            <Row label={t("ledger.record")}>{entry.has_record ? t("ledger.yes") : t("ledger.no")}</Row>
          </Table.Tbody>
        </Table>
      </Paper>
      <Title order={2} size="h5">
        {t("ledger.attempts")}
      </Title>
      <Attempts attempts={entry.attempts} />
    </Stack>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w={130} scope="row" fw={500} style={{ verticalAlign: "top" }}>
        {label}
      </Table.Th>
      <Table.Td style={{ wordBreak: "break-word" }}>{children}</Table.Td>
    </Table.Tr>
  );
}

function Named({ name, sentence }: { name: string; sentence: string | null }) {
  return (
    <>
      <Text span size="sm" ff="monospace">
        {name}
      </Text>
      {sentence !== null && ` – ${sentence}`}
    </>
  );
}

/** Another URL of the crawl: its own place in the ledger. */
function Other({ url }: { url: string }) {
  return (
    <Anchor
      component={Link}
      to={`?tab=ledger&url=${encodeURIComponent(url)}`}
      size="sm"
      display="block"
      style={{ wordBreak: "break-all" }}
    >
      {url}
    </Anchor>
  );
}

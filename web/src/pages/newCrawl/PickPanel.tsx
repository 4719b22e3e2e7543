import { Button, Code, Group, NativeSelect, Paper, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { containersOf } from "./fields";
import type { FieldDraft } from "./formValues";
import { type Pick, picksOf } from "./outlineFields";
import type { OutlineRow } from "./outlineRows";

interface Props {
  row: OutlineRow | null;
  fields: FieldDraft[];
  into: string | null; // id of the container that a field goes to
  onInto: (id: string | null) => void;
  onPick: (row: OutlineRow, pick: Pick) => void;
}

/** What can be taken from the element that is chosen in the tree. */
export function PickPanel({ row, fields, into, onInto, onPick }: Props) {
  const { t } = useTranslation("newCrawl");
  if (row === null) {
    return (
      <Text size="sm" c="dimmed">
        {t("outline.choose")}
      </Text>
    );
  }
  const { node } = row;
  const containers = containersOf(fields);
  return (
    <Paper withBorder p="sm" component="section" aria-label={t("pick.title")}>
      <Stack gap="xs">
        <Group gap="xs" justify="space-between">
          <Text size="sm" fw={600}>
            {t("pick.title")}
          </Text>
          {node.count > 1 && (
            <Text size="xs" c="dimmed">
              {t("outline.count", { count: node.count })}
            </Text>
          )}
        </Group>
        <Code style={{ overflowWrap: "anywhere" }}>{node.selector}</Code>
        {node.text !== "" && (
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {node.text}
          </Text>
        )}
        {Object.entries(node.attributes).map(([name, value]) => (
          <Text key={name} size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {name} = {value}
          </Text>
        ))}
        {containers.length > 0 && (
          <NativeSelect
            size="xs"
            label={t("pick.into")}
            value={into ?? ""}
            onChange={(event) => onInto(event.currentTarget.value || null)}
            data={[
              { value: "", label: t("pick.page") },
              ...containers.map(({ id, name }) => ({ value: id, label: name || t("fields.unnamed") })),
            ]}
          />
        )}
        <Group gap={6}>
          {picksOf(node).map((pick, index) => (
            <Button
              key={`${pick.take}:${pick.attribute ?? ""}`}
              size="compact-sm"
              variant={index === 0 ? "filled" : "default"}
              onClick={() => onPick(row, pick)}
            >
              {pick.take === "attribute"
                ? t("pick.attribute", { name: pick.attribute })
                : t(`pick.${pick.take}`)}
            </Button>
          ))}
        </Group>
      </Stack>
    </Paper>
  );
}

import { ActionIcon, Button, Checkbox, Group, NativeSelect, Paper, Stack, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { addField, asRecords, mapField, newField } from "./fields";
import { type FieldDraft, VALUE_TYPES, type ValueType } from "./formValues";
import { languageOf, splitSelector, type Take, withTake } from "./selectorText";
import { useForm } from "./useCrawlForm";

interface Props {
  field: FieldDraft;
  problemOf: (name: string) => string | undefined;
}

/** One field: its name, its selector, and what it takes; with its own fields where it gives records. */
export function FieldCard({ field, problemOf }: Props) {
  const { t } = useTranslation("newCrawl");
  const { setFields, touch } = useForm();
  const [atName, atSelector] = [`field:${field.id}:name`, `field:${field.id}:selector`];
  const shownName = field.name.trim() || t("fields.unnamed");
  const change = (changes: Partial<FieldDraft>) =>
    setFields((fields) => mapField(fields, field.id, (now) => ({ ...now, ...changes })));
  const rename = (typed: string) => {
    const isList = typed.trimEnd().endsWith("[]");
    change(isList ? { name: typed.trimEnd().slice(0, -2), list: true } : { name: typed });
  };

  return (
    <Paper withBorder p="xs" pos="relative" role="group" aria-label={t("fields.label", { name: shownName })}>
      <Stack gap={6}>
        <Group gap={6} align="flex-start">
          <TextInput
            size="xs"
            w={{ base: "calc(100% - 40px)", xs: "34%" }}
            label={t("fields.name")}
            value={field.name}
            error={problemOf(atName)}
            onChange={(event) => rename(event.currentTarget.value)}
            onBlur={() => touch(atName)}
          />
          <TextInput
            size="xs"
            flex={{ base: "1 1 100%", xs: "1 1 0" }}
            mr={{ base: 0, xs: 34 }}
            label={t("fields.selector")}
            value={field.selector}
            error={problemOf(atSelector)}
            spellCheck={false}
            autoCapitalize="off"
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            onChange={(event) => change({ selector: event.currentTarget.value, origin: undefined })}
            onBlur={() => field.selector !== "" && touch(atSelector)}
          />
          <ActionIcon
            variant="subtle"
            color="red"
            pos="absolute"
            top={8}
            right={6}
            aria-label={t("fields.remove", { name: shownName })}
            onClick={() => setFields((fields) => mapField(fields, field.id, () => null))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
        <Group gap={6} align="flex-end">
          <TakeInput field={field} change={change} />
          {field.fields === null && (
            <NativeSelect
              size="xs"
              label={t("fields.type")}
              value={field.type}
              onChange={(event) => change({ type: event.currentTarget.value as ValueType | "" })}
              data={[
                { value: "", label: t("fields.types.none") },
                ...VALUE_TYPES.map((type) => ({ value: type, label: t(`fields.types.${type}`) })),
              ]}
            />
          )}
          <Checkbox
            size="xs"
            mb={7}
            label={t("fields.list")}
            title={t("fields.listHelp")}
            checked={field.list}
            onChange={(event) => change({ list: event.currentTarget.checked })}
          />
        </Group>
        {field.fields !== null && (
          <Stack
            gap={6}
            pl="sm"
            style={{ borderInlineStart: "2px solid var(--mantine-color-default-border)" }}
          >
            {field.fields.map((inner) => (
              <FieldCard key={inner.id} field={inner} problemOf={problemOf} />
            ))}
            <Button
              size="compact-xs"
              variant="subtle"
              leftSection={<IconPlus size={14} />}
              style={{ alignSelf: "flex-start" }}
              onClick={() => setFields((fields) => addField(fields, newField(), field.id))}
            >
              {t("fields.addInner", { name: shownName })}
            </Button>
          </Stack>
        )}
      </Stack>
    </Paper>
  );
}

/** Writes what is taken to the end of the selector, where it can also be typed. */
function TakeInput({ field, change }: { field: FieldDraft; change: (changes: Partial<FieldDraft>) => void }) {
  const { t } = useTranslation("newCrawl");
  const language = languageOf(field.selector);
  const { css, take, attribute } = splitSelector(field.selector);
  const isCss = language === "css";
  if (language === "re") return null;
  const chosen = field.fields !== null ? "records" : isCss ? take : "text";
  const takes = isCss ? (["text", "attribute", "html", "records"] as const) : (["text", "records"] as const);
  const choose = (wanted: Take | "records") => {
    if (wanted === "records") return change(asRecords(field));
    const selector = isCss
      ? withTake(css, wanted, wanted === "attribute" ? attribute || "href" : "")
      : field.selector;
    change({ selector, fields: null, ...(field.fields === null ? {} : { list: false }) });
  };
  return (
    <>
      <NativeSelect
        size="xs"
        label={t("fields.take")}
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value as Take | "records")}
        data={takes.map((each) => ({ value: each, label: t(`fields.takes.${each}`) }))}
      />
      {chosen === "attribute" && (
        <TextInput
          size="xs"
          w={100}
          label={t("fields.attribute")}
          value={attribute}
          onChange={(event) => change({ selector: withTake(css, "attribute", event.currentTarget.value) })}
        />
      )}
    </>
  );
}

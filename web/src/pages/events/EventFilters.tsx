import { Button, Group, MultiSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { EventType } from "@/api/schema";
import { EVENT_TYPES, type EventFilter } from "./eventFilter";

const TYPING_PAUSE = 300; // milliseconds

interface Props {
  filter: EventFilter;
  text: string;
  onChange: (name: "types" | "task" | "node" | "text", value: string) => void;
  onClear: () => void;
}

export function EventFilters({ filter, text, onChange, onClear }: Props) {
  const { t } = useTranslation("events");
  const any = filter.types.length > 0 || filter.task !== "" || filter.node !== "" || text !== "";
  return (
    <Group align="flex-end" gap="sm">
      <MultiSelect
        label={t("filters.types")}
        placeholder={filter.types.length === 0 ? t("filters.allTypes") : undefined}
        data={EVENT_TYPES.map((value) => ({ value, label: t(`types.${value}`) }))}
        value={filter.types}
        onChange={(types: EventType[]) => onChange("types", types.join(","))}
        clearable
        searchable
        miw={220}
        maw={420}
        flex="1 1 220px"
      />
      <TypedFilter
        label={t("filters.task")}
        placeholder={t("filters.taskPlaceholder")}
        value={filter.task}
        onChange={(value) => onChange("task", value)}
      />
      <TypedFilter
        label={t("filters.node")}
        placeholder={t("filters.nodePlaceholder")}
        value={filter.node}
        onChange={(value) => onChange("node", value)}
      />
      <TypedFilter
        label={t("filters.text")}
        placeholder={t("filters.textHelp")}
        value={text}
        onChange={(value) => onChange("text", value)}
      />
      {any && (
        <Button variant="subtle" onClick={onClear}>
          {t("filters.clear")}
        </Button>
      )}
    </Group>
  );
}

interface TypedProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

/** Tells when somebody stops typing. */
function TypedFilter({ label, placeholder, value, onChange }: TypedProps) {
  const [typed, setTyped] = useState(value);
  const tell = useDebouncedCallback((text: string) => onChange(text.trim()), TYPING_PAUSE);
  useEffect(() => setTyped(value), [value]);
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typed}
      flex="1 1 160px"
      maw={320}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        tell(currentTarget.value);
      }}
    />
  );
}

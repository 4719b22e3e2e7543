import { Button, Group, MultiSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { HealthStatus, NodeStatus } from "@/api/schema";
import { HEALTH, isEmpty, type NodeFilter, STATUSES } from "./useNodeFilter";

interface Props {
  filter: NodeFilter;
  onChange: (change: Partial<NodeFilter>) => void;
}

const TYPING_PAUSE = 300; // milliseconds

export function NodeFilters({ filter, onChange }: Props) {
  const { t } = useTranslation(["nodes", "common"]);
  return (
    <Group gap="sm" align="flex-end">
      <SearchBox search={filter.search} onSearch={(search) => onChange({ search })} />
      <MultiSelect
        label={t("filter.status")}
        placeholder={filter.status.length === 0 ? t("filter.anyStatus") : undefined}
        data={STATUSES.map((value) => ({ value, label: t(`common:nodeStatus.${value}`) }))}
        value={filter.status}
        onChange={(status) => onChange({ status: status as NodeStatus[] })}
        flex="1 1 180px"
        maw={320}
      />
      <MultiSelect
        label={t("filter.health")}
        placeholder={filter.health.length === 0 ? t("filter.anyHealth") : undefined}
        data={HEALTH.map((value) => ({ value, label: t(`common:health.${value}`) }))}
        value={filter.health}
        onChange={(health) => onChange({ health: health as HealthStatus[] })}
        flex="1 1 180px"
        maw={320}
      />
      {!isEmpty(filter) && (
        <Button variant="subtle" onClick={() => onChange({ status: [], health: [], search: "" })}>
          {t("filter.clear")}
        </Button>
      )}
    </Group>
  );
}

/** Waits until somebody has stopped typing. */
function SearchBox({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const { t } = useTranslation(["nodes", "common"]);
  const [text, setText] = useState(search);
  const tell = useDebouncedCallback(onSearch, TYPING_PAUSE);
  useEffect(() => setText(search), [search]);
  return (
    <TextInput
      label={t("common:actions.search")}
      placeholder={t("filter.search")}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        tell(event.currentTarget.value.trim());
      }}
      flex="1 1 200px"
      maw={360}
    />
  );
}

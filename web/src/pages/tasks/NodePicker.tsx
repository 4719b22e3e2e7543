import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";

const SHOWN = 20;
const TYPING_PAUSE = 300; // milliseconds

/** One node out of thousands, found by a part of its name or id. */
export function NodePicker({ value, onChange }: { value: string; onChange: (nodeId: string) => void }) {
  const { t } = useTranslation(["tasks", "common"]);
  const [text, setText] = useState("");
  const [opened, setOpened] = useState(false);
  const [search] = useDebouncedValue(text, TYPING_PAUSE);
  const nodes = useQuery({
    queryKey: ["nodes", "pick", search],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/nodes", {
          params: { query: { search: search || undefined, limit: SHOWN } },
          signal,
        }),
      ),
    enabled: opened,
  });
  const found = (nodes.data?.items ?? []).map(({ id, name }) => ({
    value: id,
    label: name === "" || name === id ? id : `${name} (${id})`,
  }));
  const known = value === "" || found.some((each) => each.value === value);
  return (
    <Select
      label={t("filters.node")}
      placeholder={t("filters.nodePlaceholder")}
      searchable
      clearable
      data={known ? found : [{ value, label: value }, ...found]}
      filter={({ options }) => options} // the master searches
      value={value === "" ? null : value}
      onChange={(chosen) => onChange(chosen ?? "")}
      onSearchChange={setText}
      onDropdownOpen={() => setOpened(true)}
      clearButtonProps={{ "aria-label": t("common:actions.clear") }}
    />
  );
}

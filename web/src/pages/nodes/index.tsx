import { Button, SegmentedControl } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Page } from "@/components/Page";
import { AddNode } from "./AddNode";
import { NodeFilters } from "./NodeFilters";
import { NodeList, type View } from "./NodeList";
import { useNodeFilter } from "./useNodeFilter";

/** All nodes: as cards or in a table. */
export function Component() {
  const { t } = useTranslation("nodes");
  const [params, setParams] = useSearchParams();
  const [filter, setFilter] = useNodeFilter();
  const view: View = params.get("view") === "table" ? "table" : "cards";
  const put = useCallback(
    (name: "view" | "add", value: string) =>
      setParams(
        (before) => {
          if (value === "") before.delete(name);
          else before.set(name, value);
          return before;
        },
        { replace: true },
      ),
    [setParams],
  );
  return (
    <Page
      title={t("title")}
      description={t("description")}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t("view.label")}
            value={view}
            onChange={(chosen) => put("view", chosen === "table" ? "table" : "")}
            data={[
              { value: "cards", label: t("view.cards") },
              { value: "table", label: t("view.table") },
            ]}
          />
          <Button size="xs" leftSection={<IconPlus size={14} aria-hidden />} onClick={() => put("add", "1")}>
            {t("add.action")}
          </Button>
        </>
      }
    >
      <NodeFilters filter={filter} onChange={setFilter} />
      <NodeList key={JSON.stringify(filter)} filter={filter} view={view} />
      <AddNode opened={params.has("add")} onClose={() => put("add", "")} />
    </Page>
  );
}

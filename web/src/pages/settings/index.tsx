import { Tabs } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Page } from "@/components/Page";
import { Access } from "./Access";
import { Clusters } from "./Clusters";
import { General } from "./General";

const TABS = ["general", "access", "clusters"] as const;

export function Component() {
  const { t } = useTranslation("settings");
  const [params, setParams] = useSearchParams();
  const tab = TABS.find((name) => name === params.get("tab")) ?? "general";
  return (
    <Page title={t("title")}>
      <Tabs
        value={tab}
        onChange={(name) => setParams(name === "general" || name === null ? {} : { tab: name })}
      >
        <Tabs.List mb="md" aria-label={t("tabs.label")}>
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`tabs.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="general">{tab === "general" && <General />}</Tabs.Panel>
        <Tabs.Panel value="access">{tab === "access" && <Access />}</Tabs.Panel>
        <Tabs.Panel value="clusters">{tab === "clusters" && <Clusters />}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}

import { Alert, Button, Tabs } from "@mantine/core";
import { IconRotate } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useMay } from "@/app/session";
import { askFirst } from "@/components/confirm";
import { Page } from "@/components/Page";
import { FormTab } from "./FormTab";
import { formJson, JsonTab } from "./JsonTab";
import { CrawlFormProvider, useCrawlForm } from "./useCrawlForm";

/** Describe a crawl, see what it would yield, and start it. */
export function Component() {
  const { t } = useTranslation("newCrawl");
  if (useMay("operator")) return <NewCrawl />;
  return (
    <Page title={t("title")}>
      <Alert color="blue">{t("viewersOnly")}</Alert>
    </Page>
  );
}

function NewCrawl() {
  const { t } = useTranslation("newCrawl");
  const form = useCrawlForm();
  const [search, setSearch] = useSearchParams();
  const tab = search.get("tab") === "json" ? "json" : "form";
  const { draft, change } = form;
  const go = (wanted: string | null) => setSearch(wanted === "json" ? { tab: "json" } : {});

  // What nobody has changed there follows the form.
  useEffect(() => {
    const now = formJson(draft.values);
    const isUntouched = draft.json === "" || draft.json === draft.carried;
    if (tab === "json" && isUntouched && draft.carried !== now) change({ json: now, carried: now });
  }, [tab, draft, change]);

  const reset = () =>
    askFirst({
      title: t("reset"),
      text: t("resetAsk"),
      confirm: t("reset"),
      danger: true,
      onConfirm: form.reset,
    });

  return (
    <CrawlFormProvider value={form}>
      <Page
        title={t("title")}
        description={t("description")}
        actions={
          <Button variant="default" size="xs" leftSection={<IconRotate size={14} />} onClick={reset}>
            {t("reset")}
          </Button>
        }
      >
        <Tabs value={tab} onChange={go} keepMounted={false}>
          <Tabs.List mb="md" aria-label={t("tabs.label")}>
            <Tabs.Tab value="form">{t("tabs.form")}</Tabs.Tab>
            <Tabs.Tab value="json">{t("tabs.json")}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form">
            <FormTab />
          </Tabs.Panel>
          <Tabs.Panel value="json">
            <JsonTab onForm={() => go("form")} />
          </Tabs.Panel>
        </Tabs>
      </Page>
    </CrawlFormProvider>
  );
}

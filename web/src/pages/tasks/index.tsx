import { useTranslation } from "react-i18next";
import { Page } from "@/components/Page";

export function Component() {
  const { t } = useTranslation("tasks");
  return <Page title={t("title")}>…</Page>;
}

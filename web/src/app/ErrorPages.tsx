import { Anchor, Button, Code, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useRouteError } from "react-router";
import { messageOf } from "@/api/errors";
import { Page } from "@/components/Page";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Page title={t("errors.notFound")}>
      <Text>{t("errors.notFoundHelp")}</Text>
      <Anchor component={Link} to="/">
        {t("nav.overview")}
      </Anchor>
    </Page>
  );
}

/** A page that failed takes nothing else with it. */
export function CrashPage() {
  const { t } = useTranslation();
  const error = useRouteError();
  return (
    <Page title={t("errors.crashed")}>
      <Text>{t("errors.crashedHelp")}</Text>
      <Code block>{messageOf(error)}</Code>
      <Button w="fit-content" onClick={() => window.location.reload()}>
        {t("errors.reload")}
      </Button>
    </Page>
  );
}

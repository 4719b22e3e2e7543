import { Anchor, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import { LanguagePicker, SchemePicker } from "@/app/Preferences";
import { useSession } from "@/app/session";
import { Panel } from "@/components/Panel";
import { formatMoment } from "@/format";

export function General() {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Account />
      <Look />
      <About />
    </SimpleGrid>
  );
}

function Account() {
  const { t, i18n } = useTranslation(["settings", "common"]);
  const session = useSession();
  return (
    <Panel title={t("account.title")} description={t(`account.roleHelp.${session.role}`)}>
      <Fact name={t("account.name")}>{session.name}</Fact>
      <Fact name={t("account.role")}>{t(`common:roles.${session.role}`)}</Fact>
      <Fact name={t("account.until")}>
        {session.expires_at === null ? (
          t("account.forever")
        ) : (
          <time dateTime={session.expires_at}>{formatMoment(session.expires_at, i18n.language)}</time>
        )}
      </Fact>
    </Panel>
  );
}

function Look() {
  const { t } = useTranslation("settings");
  return (
    <Panel title={t("look.title")}>
      <LanguagePicker />
      <SchemePicker />
    </Panel>
  );
}

function About() {
  const { t } = useTranslation("settings");
  const health = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => answerOf(api.GET("/health", { signal })),
  });
  return (
    <Panel title={t("about.title")} description={t("about.docsHelp")}>
      <Fact name={t("about.version")}>{health.data?.version ?? "–"}</Fact>
      <Fact name={t("about.status")}>
        {health.data === undefined ? "–" : t(health.data.leader ? "about.leads" : "about.follows")}
      </Fact>
      <Stack gap={4}>
        <Anchor href="/docs" target="_blank" rel="noreferrer" size="sm">
          {t("about.docs")}
        </Anchor>
        <Anchor href="/openapi.json" target="_blank" rel="noreferrer" size="sm">
          {t("about.openapi")}
        </Anchor>
      </Stack>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="sm" component="div" style={{ overflowWrap: "anywhere" }}>
        {children}
      </Text>
    </Group>
  );
}

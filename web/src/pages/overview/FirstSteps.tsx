import { Button, SimpleGrid, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconPlus, IconServer } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { OverviewShape } from "@/api/schema";
import { useMay } from "@/app/session";
import { Panel } from "@/components/Panel";

/** What to do first in a cluster that has no node, or nothing to do. */
export function FirstSteps({ overview }: { overview: OverviewShape }) {
  const { t } = useTranslation("overview");
  const mayStart = useMay("operator");
  const needsNode = !overview.nodes.online;
  const needsCrawl = overview.tasks_total === 0;
  if (!needsNode && !needsCrawl) return null;
  return (
    <Panel title={t("first.title")}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {needsNode && (
          <Step icon={<IconServer size={18} />} title={t("first.node")} help={t("first.nodeHelp")}>
            <Button component={Link} to="/nodes?add=1" variant="default" size="xs">
              {t("first.nodeAction")}
            </Button>
          </Step>
        )}
        {needsCrawl && (
          <Step
            icon={<IconPlus size={18} />}
            title={t("first.crawl")}
            help={mayStart ? t("first.crawlHelp") : t("first.crawlAsk")}
          >
            {mayStart && (
              <Button component={Link} to="/new" size="xs">
                {t("first.crawlAction")}
              </Button>
            )}
          </Step>
        )}
      </SimpleGrid>
    </Panel>
  );
}

function Step(props: { icon: ReactNode; title: string; help: string; children: ReactNode }) {
  return (
    <Stack gap="xs" align="flex-start">
      <ThemeIcon variant="light" aria-hidden>
        {props.icon}
      </ThemeIcon>
      <Text fw={600}>{props.title}</Text>
      <Text size="sm">{props.help}</Text>
      {props.children}
    </Stack>
  );
}

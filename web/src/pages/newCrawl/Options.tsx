import { Accordion, Badge, Group, Input, SegmentedControl, SimpleGrid, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type FormValues, STRATEGIES } from "./formValues";
import { GROUP_NAMES, type GroupName, setIn } from "./optionGroups";
import { ChoiceOption, LinesOption, NumberOption, SwitchOption, TextOption, useOption } from "./optionInputs";
import { PairsOption } from "./PairsOption";
import { useForm } from "./useCrawlForm";

interface Props {
  open: GroupName[];
  onOpen: (open: GroupName[]) => void;
}

/** How far, how fast and where: what most crawls need is to be seen, the rest unfolds. */
export function Options({ open, onOpen }: Props) {
  const { t } = useTranslation("newCrawl");
  const { values } = useForm();
  return (
    <Stack>
      <ScopeOption />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <NumberOption name="depth" placeholder={t("usual.none")} />
        <NumberOption name="max_pages" placeholder={t("usual.none")} />
        <NumberOption name="priority" placeholder={t("usual.priority")} />
      </SimpleGrid>
      <Accordion
        multiple
        variant="contained"
        order={3}
        value={open}
        onChange={(value) => onOpen(value as GroupName[])}
        keepMounted={false}
      >
        {GROUP_NAMES.map((group) => (
          <Accordion.Item key={group} value={group}>
            <Accordion.Control>
              <Group gap="xs">
                {t(`accordion.${group}`)}
                <SetBadge count={setIn(group, values)} />
              </Group>
            </Accordion.Control>
            <Accordion.Panel>{CONTENTS[group]}</Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  );
}

function SetBadge({ count }: { count: number }) {
  const { t } = useTranslation("newCrawl");
  if (count === 0) return null;
  return (
    <Badge variant="light" size="sm" tt="none">
      {t("accordion.set", { count })}
    </Badge>
  );
}

function ScopeOption() {
  const { t } = useTranslation("newCrawl");
  const { value, set, shown } = useOption("scope");
  return (
    <Input.Wrapper {...shown} labelElement="div">
      <SegmentedControl
        mt={6}
        size="xs"
        aria-label={shown.label}
        value={value}
        onChange={(scope) => set(scope as FormValues["scope"])}
        data={(["host", "domain", "any"] as const).map((scope) => ({
          value: scope,
          label: t(`scopes.${scope}`),
        }))}
      />
    </Input.Wrapper>
  );
}

const CONTENTS: Record<GroupName, ReactNode> = {
  links: <LinkOptions />,
  polite: <PoliteOptions />,
  place: <PlaceOptions />,
  task: <TaskOptions />,
};

function LinkOptions() {
  const { t } = useTranslation("newCrawl");
  const { values } = useForm();
  return (
    <Columns>
      <LinesOption name="include" />
      <LinesOption name="exclude" />
      <LinesOption name="allow_hosts" />
      <LinesOption name="more_urls" />
      <SwitchOption name="sitemaps" />
      <ChoiceOption
        name="dedup"
        choices={[
          { value: "", label: t("dedups.usual") },
          { value: "exact", label: t("dedups.exact") },
          { value: "bloom", label: t("dedups.bloom") },
        ]}
      />
      {values.dedup === "bloom" && (
        <>
          <NumberOption name="dedup_capacity" placeholder="1000000" step={100_000} />
          <NumberOption name="dedup_error_rate" placeholder="0.0001" step={0.0001} />
        </>
      )}
    </Columns>
  );
}

function PoliteOptions() {
  const { t } = useTranslation("newCrawl");
  return (
    <Columns>
      <NumberOption name="delay" placeholder={t("usual.delay")} step={0.5} />
      <NumberOption name="per_host" placeholder={t("usual.delay")} />
      <TextOption name="user_agent" />
      <SwitchOption name="ignore_robots" />
      <PairsOption name="headers" suggestions={["Accept-Language", "Referer", "Cookie"]} />
    </Columns>
  );
}

function PlaceOptions() {
  const { t } = useTranslation("newCrawl");
  const strategies = STRATEGIES.map((strategy) => ({ value: strategy, label: t(`strategies.${strategy}`) }));
  return (
    <Columns>
      <ChoiceOption
        name="schedule_strategy"
        choices={[{ value: "", label: t("strategies.usual") }, ...strategies]}
      />
      <NumberOption name="max_nodes" placeholder={t("usual.timeout")} />
      <TextOption name="target_region" />
      <TextOption name="node_type" />
      <PairsOption
        name="min_resources"
        suggestions={["memory_mb", "cpu_cores", "gpu", "network_bandwidth_mbps"]}
      />
      <PairsOption
        name="capabilities"
        suggestions={["javascript_rendering", "proxy_rotation", "content_types", "technologies"]}
      />
      <PairsOption name="content_features" suggestions={["content_type", "technology", "anti_crawling"]} />
    </Columns>
  );
}

function TaskOptions() {
  const { t } = useTranslation("newCrawl");
  return (
    <Columns>
      <NumberOption name="timeout" placeholder={t("usual.timeout")} step={60} />
      <NumberOption name="max_retries" placeholder={t("usual.timeout")} />
      <TextOption name="project_id" placeholder="default" />
      <LinesOption name="categories" />
      <SwitchOption name="deduplicate" />
    </Columns>
  );
}

function Columns({ children }: { children: ReactNode }) {
  return <SimpleGrid cols={{ base: 1, sm: 2 }}>{children}</SimpleGrid>;
}

import { Badge, Button, Chip, Collapse, Group, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import type { TaskStatus } from "@/api/schema";
import { formatShort } from "@/format";
import { MomentInput } from "@/pages/tasks/MomentInput";
import { NodePicker } from "@/pages/tasks/NodePicker";
import { SettledInput } from "@/pages/tasks/SettledInput";
import { isFiltered, moreConditions, type TaskFilter } from "@/pages/tasks/taskFilter";
import { TASK_STATUSES } from "@/pages/tasks/taskMoves";

interface Props {
  filter: TaskFilter;
  onChange: (change: Partial<TaskFilter>) => void;
  onClear: () => void;
}

export function TaskFilters({ filter, onChange, onClear }: Props) {
  const { t } = useTranslation(["tasks", "common"]);
  const hidden = moreConditions(filter);
  const [open, { toggle }] = useDisclosure(hidden > 0);
  return (
    <Stack gap="sm" role="search" aria-label={t("filters.label")}>
      <Group gap="xs" align="flex-end">
        <SettledInput
          type="search"
          flex="1 1 260px"
          maw={520}
          aria-label={t("filters.search")}
          placeholder={t("filters.searchPlaceholder")}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={filter.search}
          onSettled={(search) => onChange({ search })}
        />
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          rightSection={hidden > 0 ? <Badge size="sm">{hidden}</Badge> : undefined}
          aria-expanded={open}
          onClick={toggle}
        >
          {t("filters.more")}
        </Button>
        {isFiltered(filter) && (
          <Button variant="subtle" onClick={onClear}>
            {t("clearFilters")}
          </Button>
        )}
      </Group>
      <StatusChips value={filter.status} onChange={(status) => onChange({ status })} />
      <Collapse expanded={open}>
        <MoreFilters filter={filter} onChange={onChange} />
      </Collapse>
    </Stack>
  );
}

interface ChipsProps {
  value: TaskStatus[];
  onChange: (value: TaskStatus[]) => void;
}

/** The statuses with how many tasks are in each, which the master keeps count of. */
function StatusChips({ value, onChange }: ChipsProps) {
  const { t, i18n } = useTranslation(["tasks", "common"]);
  const stats = useQuery({
    queryKey: ["tasks", "stats"],
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/tasks/stats", { signal })),
    staleTime: 5_000,
  });
  return (
    <Chip.Group multiple value={value} onChange={(chosen) => onChange(chosen as TaskStatus[])}>
      <Group gap={6} role="group" aria-label={t("filters.status")}>
        {TASK_STATUSES.map((status) => {
          const count = stats.data?.by_status[status] ?? 0;
          return (
            <Chip key={status} value={status} size="xs" variant="outline">
              {t(`common:taskStatus.${status}`)}
              {stats.data !== undefined && (
                <Text span inherit fw={600} ml={6} data-testid={`count-${status}`}>
                  {formatShort(count, i18n.language)}
                </Text>
              )}
            </Chip>
          );
        })}
      </Group>
    </Chip.Group>
  );
}

function MoreFilters({ filter, onChange }: Omit<Props, "onClear">) {
  const { t } = useTranslation(["tasks", "common"]);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
      <SettledInput
        label={t("filters.type")}
        placeholder="web_crawl"
        value={filter.type}
        onSettled={(type) => onChange({ type })}
      />
      <SettledInput
        label={t("filters.project")}
        value={filter.project}
        onSettled={(project) => onChange({ project })}
      />
      <Select
        label={t("filters.priority")}
        placeholder={t("filters.anyPriority")}
        clearable
        data={PRIORITIES}
        value={filter.priority === null ? null : String(filter.priority)}
        onChange={(chosen) => onChange({ priority: chosen === null ? null : Number(chosen) })}
        clearButtonProps={{ "aria-label": t("common:actions.clear") }}
      />
      <NodePicker value={filter.node} onChange={(node) => onChange({ node })} />
      <MomentInput
        label={t("filters.after")}
        value={filter.after}
        onChange={(after) => onChange({ after })}
      />
      <MomentInput
        label={t("filters.before")}
        value={filter.before}
        onChange={(before) => onChange({ before })}
      />
    </SimpleGrid>
  );
}

export const PRIORITIES = Array.from({ length: 10 }, (_, index) => String(10 - index));

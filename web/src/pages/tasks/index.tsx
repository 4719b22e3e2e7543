import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { answerOf, api } from "@/api/client";
import { useMay } from "@/app/session";
import { Failure } from "@/components/Failure";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { useAction } from "@/components/useAction";
import { BulkBar } from "@/pages/tasks/BulkBar";
import { BulkSummary } from "@/pages/tasks/BulkSummary";
import { type BulkOrder, type BulkOutcome, steer } from "@/pages/tasks/steering";
import { TaskFilters } from "@/pages/tasks/TaskFilters";
import { TaskTable } from "@/pages/tasks/TaskTable";
import {
  changedParams,
  filterOf,
  isFiltered,
  PAGE_SIZES,
  queryOf,
  type Sort,
  type TaskFilter,
} from "@/pages/tasks/taskFilter";
import { useUrlPages } from "@/pages/tasks/useUrlPages";

export function Component() {
  const { t } = useTranslation("tasks");
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params);
  const pages = useUrlPages();
  const query = queryOf(filter, pages.cursor);
  const tasks = useQuery({
    queryKey: ["tasks", "list", query],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/tasks", { params: { query: { ...query, results: false } }, signal })),
    placeholderData: keepPreviousData,
  });
  const bulk = useBulk(JSON.stringify({ ...filter, sort: "", limit: 0 }));
  const change = (part: Partial<TaskFilter>) => setParams((before) => changedParams(before, part));
  const clear = () =>
    setParams(changedParams(new URLSearchParams(), { sort: filter.sort, limit: filter.limit }));

  return (
    <Page title={t("title")} description={t("description")} actions={<NewCrawl text={t("new")} />}>
      <TaskFilters filter={filter} onChange={change} onClear={clear} />
      {bulk.outcome !== null && <BulkSummary outcome={bulk.outcome} onClose={bulk.forget} />}
      {bulk.selected.size > 0 && (
        <BulkBar count={bulk.selected.size} busy={bulk.busy} onOrder={bulk.order} onClear={bulk.clear} />
      )}
      {tasks.isError && <Failure error={tasks.error} onRetry={() => void tasks.refetch()} />}
      {(tasks.data !== undefined || !tasks.isError) && (
        <TaskTable
          tasks={tasks.data?.items}
          sort={filter.sort}
          onSort={(sort) => change({ sort: sort as Sort })}
          selected={bulk.selected}
          onSelect={bulk.may ? bulk.select : undefined}
          empty={
            tasks.data?.next_cursor ? (
              t("emptySoFar")
            ) : (
              <Nothing filtered={isFiltered(filter)} onClear={clear} />
            )
          }
        />
      )}
      <Group justify="space-between" align="flex-end">
        <PageSize value={filter.limit} onChange={(limit) => change({ limit })} />
        <Pager pages={pages} nextCursor={tasks.data?.next_cursor} />
      </Group>
    </Page>
  );
}

/** The selection, over all pages of one filter, and orders to it. */
function useBulk(filter: string) {
  const may = useMay("operator");
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  const action = useAction((order: BulkOrder) => steer(order, [...selected]), {
    refresh: [["tasks"], ["task"], ["attention"]],
    onDone: (told) => {
      setOutcome(told);
      select(new Set(told.refused.flatMap(({ ids }) => ids)));
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter, another selection
  useEffect(() => select(new Set()), [filter]);
  return {
    may,
    selected,
    select,
    outcome,
    busy: action.isPending,
    order: (order: BulkOrder) => action.mutate(order),
    clear: () => select(new Set()),
    forget: () => setOutcome(null),
  };
}

function NewCrawl({ text }: { text: string }) {
  if (!useMay("operator")) return null;
  return (
    <Button component={Link} to="/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {text}
    </Button>
  );
}

function Nothing({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const { t } = useTranslation("tasks");
  return (
    <Stack align="center" gap="xs">
      <Text>{filtered ? t("emptyFiltered") : t("empty")}</Text>
      {filtered ? (
        <Button variant="default" size="xs" onClick={onClear}>
          {t("clearFilters")}
        </Button>
      ) : (
        <NewCrawl text={t("emptyStart")} />
      )}
    </Stack>
  );
}

function PageSize({ value, onChange }: { value: number; onChange: (limit: number) => void }) {
  const { t } = useTranslation("tasks");
  return (
    <Group gap="xs">
      <Text size="sm" id="page-size">
        {t("pageSize")}
      </Text>
      <Select
        size="xs"
        w={76}
        aria-labelledby="page-size"
        allowDeselect={false}
        data={PAGE_SIZES.map(String)}
        value={String(value)}
        onChange={(chosen) => chosen !== null && onChange(Number(chosen))}
      />
    </Group>
  );
}

import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useMay } from "@/app/session";
import { Failure } from "@/components/Failure";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { useKeysetPages } from "@/components/useKeysetPages";
import { HostDrawer } from "./HostDrawer";
import { HostTable } from "./HostTable";
import { hostNameIn } from "./hostState";
import { useHosts } from "./useHosts";

const TYPING_PAUSE = 300; // milliseconds

export function Component() {
  const { t } = useTranslation("hosts");
  const [params, setParams] = useSearchParams();
  const search = params.get("search") ?? "";
  const put = useCallback(
    (name: "search" | "host", value: string, replace = false) =>
      setParams(
        (before) => {
          if (value === "") before.delete(name);
          else before.set(name, value);
          return before;
        },
        { replace },
      ),
    [setParams],
  );
  const open = useCallback((host: string) => put("host", host), [put]);

  return (
    <Page title={t("title")} description={t("description")}>
      <SearchBox search={search} onSearch={(text) => put("search", text, true)} />
      <HostList key={search} search={search} onOpen={open} />
      <HostDrawer host={params.get("host")} onClose={() => put("host", "")} />
    </Page>
  );
}

function HostList({ search, onOpen }: { search: string; onOpen: (host: string) => void }) {
  const pages = useKeysetPages();
  const hosts = useHosts(search, pages.cursor);
  return (
    <>
      {hosts.isError && <Failure error={hosts.error} onRetry={() => void hosts.refetch()} />}
      {(hosts.data !== undefined || !hosts.isError) && (
        <HostTable
          hosts={hosts.data?.items}
          rates={hosts.rates}
          onOpen={onOpen}
          empty={<Nothing search={search} more={Boolean(hosts.data?.next_cursor)} onOpen={onOpen} />}
        />
      )}
      <Pager pages={pages} nextCursor={hosts.data?.next_cursor} />
    </>
  );
}

function SearchBox({ search, onSearch }: { search: string; onSearch: (text: string) => void }) {
  const { t } = useTranslation("hosts");
  const [text, setText] = useState(search);
  const tell = useDebouncedCallback((typed: string) => onSearch(typed.trim().toLowerCase()), TYPING_PAUSE);
  useEffect(() => setText(search), [search]);
  return (
    <TextInput
      type="search"
      maw={420}
      label={t("search")}
      placeholder={t("searchPlaceholder")}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        tell(value);
      }}
    />
  );
}

interface NothingProps {
  search: string;
  more: boolean;
  onOpen: (host: string) => void;
}

/** Why the table is empty; a host may have limits before a crawl meets it. */
function Nothing({ search, more, onOpen }: NothingProps) {
  const { t } = useTranslation("hosts");
  const mayLimit = useMay("operator");
  if (search === "") return t("empty");
  const name = hostNameIn(search);
  return (
    <Stack align="center" gap="xs">
      <Text>{t(more ? "emptyMore" : "emptySearch", { search })}</Text>
      {name !== null && !more && mayLimit && (
        <Button size="xs" variant="default" onClick={() => onOpen(name)}>
          {t("limitUnmet", { host: name })}
        </Button>
      )}
    </Stack>
  );
}

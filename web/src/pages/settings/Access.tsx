import { Alert, Button, Stack } from "@mantine/core";
import { IconLock, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import type { KeyShape } from "@/api/schema";
import { useMay, useSession } from "@/app/session";
import { Failure } from "@/components/Failure";
import { Panel } from "@/components/Panel";
import { KeyTable } from "./KeyTable";
import { NewKey } from "./NewKey";

/** Keys and join tokens, for administrators. */
export function Access() {
  const { t } = useTranslation(["settings", "common"]);
  const { role } = useSession();
  if (useMay("admin")) return <Keys />;
  return (
    <Alert color="gray" icon={<IconLock size={18} />}>
      {t("adminOnly", { role: t(`common:roles.${role}`) })}
    </Alert>
  );
}

function Keys() {
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/keys", { signal })),
    refetchInterval: 30_000, // when they were used changes
  });
  if (keys.data === undefined && keys.isError) {
    return <Failure error={keys.error} onRetry={() => void keys.refetch()} />;
  }
  return (
    <Stack>
      <KeySection kind="keys" keys={keys.data?.items.filter(({ role }) => role !== "node")} />
      <KeySection kind="tokens" keys={keys.data?.items.filter(({ role }) => role === "node")} />
    </Stack>
  );
}

function KeySection({ kind, keys }: { kind: "keys" | "tokens"; keys: KeyShape[] | undefined }) {
  const { t } = useTranslation("settings");
  const [making, setMaking] = useState(false);
  return (
    <Panel
      title={t(`${kind}.title`)}
      description={t(`${kind}.help`)}
      aside={
        <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setMaking(true)}>
          {t(`${kind}.add`)}
        </Button>
      }
    >
      <KeyTable kind={kind} keys={keys} />
      <NewKey kind={kind} opened={making} onClose={() => setMaking(false)} />
    </Panel>
  );
}

import { Alert, Drawer, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconBan } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { HostStatusShape } from "@/api/schema";
import { useMay } from "@/app/session";
import { Failure } from "@/components/Failure";
import { formatSeconds } from "@/format";
import { HostFacts } from "./HostFacts";
import { isLimited } from "./hostState";
import { LimitsForm } from "./LimitsForm";
import { useHost } from "./useHosts";

/** One host in full, and its limits. */
export function HostDrawer({ host, onClose }: { host: string | null; onClose: () => void }) {
  const { t } = useTranslation(["hosts", "common"]);
  return (
    <Drawer
      opened={host !== null}
      onClose={onClose}
      position="right"
      title={
        <Text fw={600} style={{ overflowWrap: "anywhere" }}>
          {host}
        </Text>
      }
      closeButtonProps={{ "aria-label": t("common:actions.close") }}
    >
      {host !== null && <Content key={host} host={host} />}
    </Drawer>
  );
}

function Content({ host }: { host: string }) {
  const { t } = useTranslation("hosts");
  const found = useHost(host);
  const mayLimit = useMay("operator");
  if (found.isPending) return <Skeleton height={240} />;
  if (found.data === undefined) {
    return <Failure error={found.error} onRetry={() => void found.refetch()} />;
  }
  const status = found.data;
  return (
    <Stack>
      {status === null && <Alert color="blue">{t("drawer.unmet")}</Alert>}
      {status?.blocked && (
        <Alert color="red" icon={<IconBan size={18} />}>
          {t("drawer.blocked")}
        </Alert>
      )}
      <Title order={2} size="h4">
        {t("limits.title")}
      </Title>
      <Text size="sm" c="dimmed">
        {t("limits.help")}
      </Text>
      {mayLimit ? <LimitsForm host={host} status={status} /> : <LimitsInWords status={status} />}
      {status !== null && (
        <>
          <Title order={2} size="h4">
            {t("drawer.now")}
          </Title>
          <HostFacts host={status} />
        </>
      )}
    </Stack>
  );
}

function LimitsInWords({ status }: { status: HostStatusShape | null }) {
  const { t, i18n } = useTranslation("hosts");
  const limits = status?.limits;
  return (
    <Stack gap={4}>
      {limits === undefined || !isLimited(limits) ? <Text size="sm">{t("limits.none")}</Text> : null}
      {limits?.delay != null && (
        <Text size="sm">{t("limits.isDelay", { time: formatSeconds(limits.delay, i18n.language) })}</Text>
      )}
      {limits?.slots != null && <Text size="sm">{t("limits.isSlots", { count: limits.slots })}</Text>}
      <Text size="sm" c="dimmed">
        {t("limits.noRight")}
      </Text>
    </Stack>
  );
}

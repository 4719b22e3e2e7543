import { Alert, Button, Group, Modal, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { IconInfoCircle, IconKey } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import { useMay } from "@/app/session";
import { CopyBlock } from "@/components/CopyBlock";
import { useAction } from "@/components/useAction";
import { JoinedNodes } from "./JoinedNodes";
import { isDeviceId, isLoopback, joinCommand } from "./joinCommand";

/** How to add a node: the exact command, for administrators with a new join token. */
export function AddNode({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation(["nodes", "common"]);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t("add.title")}
      size="lg"
      closeButtonProps={{ "aria-label": t("common:actions.close") }}
    >
      <Guide />
    </Modal>
  );
}

/** Lives as long as the window is open: a token that was shown is gone with it. */
function Guide() {
  const { t } = useTranslation("nodes");
  const [token, setToken] = useState<string | null>(null);
  const [deviceId, setDeviceId] = useState("");
  const [slots, setSlots] = useState<number | null>(null);
  const { origin, hostname } = window.location;
  return (
    <Stack gap="sm">
      <Text size="sm">{t("add.intro")}</Text>
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <TextInput
          label={t("add.id")}
          description={t("add.idHelp")}
          placeholder="worker-001"
          value={deviceId}
          onChange={(event) => setDeviceId(event.currentTarget.value.trim())}
          error={deviceId !== "" && !isDeviceId(deviceId) && t("add.idWrong")}
        />
        <NumberInput
          label={t("add.slots")}
          description={t("add.slotsHelp")}
          placeholder="32"
          min={1}
          max={10_000}
          allowDecimal={false}
          value={slots ?? ""}
          onChange={(value) => setSlots(typeof value === "number" ? value : null)}
        />
      </Group>
      <CopyBlock label={t("add.command")} text={joinCommand({ origin, token, deviceId, slots })} />
      <TokenMaker token={token} onToken={setToken} />
      {isLoopback(hostname) && (
        <Text size="xs" c="dimmed">
          {t("add.loopback", { host: hostname })}
        </Text>
      )}
      <JoinedNodes />
    </Stack>
  );
}

function TokenMaker({ token, onToken }: { token: string | null; onToken: (token: string) => void }) {
  const { t } = useTranslation("nodes");
  const mayMake = useMay("admin");
  const make = useAction(
    () => {
      const name = `join-${new Date().toISOString().slice(0, 19)}`;
      return answerOf(api.POST("/api/v1/keys", { body: { name, role: "node", expires_at: null } }));
    },
    { refresh: [["keys"]], onDone: ({ key }) => key !== undefined && onToken(key) },
  );
  if (!mayMake) return <Text size="sm">{t("add.askAdmin")}</Text>;
  if (token !== null)
    return (
      <Alert color="yellow" icon={<IconInfoCircle size={18} />} role="status">
        {t("add.tokenOnce")}
      </Alert>
    );
  return (
    <Group gap="sm">
      <Button
        size="xs"
        leftSection={<IconKey size={14} aria-hidden />}
        loading={make.isPending}
        onClick={() => make.mutate(undefined)}
      >
        {t("add.token")}
      </Button>
      <Text size="xs" c="dimmed" flex="1 1 240px">
        {t("add.tokenHelp")}
      </Text>
    </Group>
  );
}

import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { KeyShape } from "@/api/schema";
import { CopyBlock } from "@/components/CopyBlock";

/** The secret of a new key, which nobody can show again. */
export function Secret({ made, onStored }: { made: KeyShape; onStored: () => void }) {
  const { t } = useTranslation("settings");
  const secret = made.key ?? "";
  return (
    <Stack>
      <Alert color="orange" icon={<IconAlertTriangle size={18} />} role="alert">
        {t("newKey.once")}
      </Alert>
      <CopyBlock text={secret} label={t("newKey.secret", { name: made.name })} />
      {made.role === "node" && (
        <>
          <Text size="sm">{t("newKey.command")}</Text>
          <CopyBlock text={nodeCommand(secret)} label={t("newKey.commandLabel")} />
        </>
      )}
      <Button onClick={onStored}>{t("newKey.stored")}</Button>
    </Stack>
  );
}

function nodeCommand(token: string): string {
  return `crawlmesh distribute --mode worker --master-url ${window.location.origin} --join-token ${token}`;
}

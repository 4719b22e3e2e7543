import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CopyBlock } from "@/components/CopyBlock";
import { commandLine, curlCall } from "./shell";

/** The same task for a terminal or a script. */
export function Elsewhere({ task }: { task: object | null }) {
  const { t } = useTranslation("newCrawl");
  if (task === null) {
    return (
      <Text size="sm" c="dimmed">
        {t("elsewhere.incomplete")}
      </Text>
    );
  }
  const { origin } = window.location;
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t("elsewhere.help")}
      </Text>
      <Text size="sm" fw={600}>
        {t("elsewhere.command")}
      </Text>
      <CopyBlock text={commandLine(task, origin)} label={t("elsewhere.command")} />
      <Text size="sm" fw={600}>
        {t("elsewhere.curl")}
      </Text>
      <CopyBlock text={curlCall(task, origin)} label={t("elsewhere.curl")} />
    </Stack>
  );
}

import { ActionIcon, Box, Code, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** A command or a text to take along. */
export function CopyBlock({ text, label }: { text: string; label: string }) {
  const { t } = useTranslation();
  return (
    <Box pos="relative">
      <Code
        block
        tabIndex={0}
        aria-label={label}
        pr={44}
        style={{ whiteSpace: "pre-wrap", wordBreak: "break-word" }}
      >
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? t("actions.copied") : t("actions.copy")}>
            <ActionIcon
              variant="default"
              pos="absolute"
              top={6}
              right={6}
              onClick={copy}
              aria-label={`${t("actions.copy")}: ${label}`}
            >
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Box>
  );
}

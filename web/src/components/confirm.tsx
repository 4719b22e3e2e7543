import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import i18next from "i18next";

interface Question {
  title: string;
  text: string;
  confirm: string;
  danger?: boolean;
  onConfirm: () => void;
}

/** Ask before something that cannot be undone. */
export function askFirst({ title, text, confirm, danger, onConfirm }: Question): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm, cancel: i18next.t("actions.cancel") },
    confirmProps: danger ? { color: "red" } : {},
    closeButtonProps: { "aria-label": i18next.t("actions.close") },
    onConfirm,
  });
}

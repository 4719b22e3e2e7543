import type { MantineColor } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import i18next from "i18next";

interface News {
  message: string;
  title?: string;
  color: MantineColor;
}

const TO_READ = 10_000; // milliseconds for what somebody has to read

/** Tell how something went, at the edge of the page. What did not go well stays longer. */
export function notify({ message, title, color }: News): void {
  notifications.show({
    message,
    title,
    color,
    ...(color === "green" ? {} : { autoClose: TO_READ }),
    closeButtonProps: { "aria-label": i18next.t("actions.close") },
  });
}

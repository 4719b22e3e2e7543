import { Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useNow } from "@/components/useNow";
import { formatMoment, formatRelative } from "@/format";

/** How long ago, and the exact moment when pointed at. */
export function Moment({ at }: { at: string | null | undefined }) {
  const { t, i18n } = useTranslation();
  const now = useNow(5_000);
  if (!at)
    return (
      <Text span inherit c="dimmed">
        {t("time.never")}
      </Text>
    );
  return (
    <Tooltip label={formatMoment(at, i18n.language)} withArrow>
      <time dateTime={at}>{formatRelative(at, i18n.language, now)}</time>
    </Tooltip>
  );
}

import { Button, Group, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { KeysetPages } from "@/components/useKeysetPages";

/** Back and forth in a list that is paged by cursor. Not there where one page is all. */
export function Pager({ pages, nextCursor }: { pages: KeysetPages; nextCursor: string | null | undefined }) {
  const { t } = useTranslation();
  if (pages.number === 1 && !nextCursor) return null;
  return (
    <Group justify="flex-end" gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconChevronLeft size={14} />}
        disabled={pages.number === 1}
        onClick={pages.previous}
      >
        {t("actions.previous")}
      </Button>
      <Text size="sm">{t("table.page", { page: pages.number })}</Text>
      <Button
        size="xs"
        variant="default"
        rightSection={<IconChevronRight size={14} />}
        disabled={!nextCursor}
        onClick={() => nextCursor && pages.next(nextCursor)}
      >
        {t("actions.next")}
      </Button>
    </Group>
  );
}

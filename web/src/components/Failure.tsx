import { Alert, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ApiError, messageOf } from "@/api/errors";

/** What went wrong, in the words of the API, and how to try again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useTranslation();
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t("errors.title")} role="alert">
      <Text size="sm">{messageOf(error)}</Text>
      {requestId !== undefined && (
        <Text size="xs" c="dimmed">
          {t("errors.requestId", { id: requestId })}
        </Text>
      )}
      {onRetry !== undefined && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={onRetry}>
            {t("actions.retry")}
          </Button>
        </Group>
      )}
    </Alert>
  );
}

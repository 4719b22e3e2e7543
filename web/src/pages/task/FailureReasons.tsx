import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/format";
import { useSentences } from "@/pages/task/sentences";

interface Props {
  counts: Record<string, number>;
  chosen: string; // nothing: all
  onChoose: (reason: string) => void;
}

/** Why URLs were given up, and how many for each reason; a click shows only those. */
export function FailureReasons({ counts, chosen, onChoose }: Props) {
  const { t, i18n } = useTranslation("task");
  const { ofReason } = useSentences();
  const rows = Object.entries(counts).sort(([, one], [, other]) => other - one);
  if (rows.length === 0) return null;
  const describe = chosen === "" ? null : ofReason(chosen);
  return (
    <Paper withBorder p="sm">
      <Stack gap={6}>
        <Group gap={6} role="group" aria-label={t("failures.reasons")}>
          <Choice pressed={chosen === ""} onClick={() => onChoose("")} text={t("failures.all")} />
          {rows.map(([reason, count]) => (
            <Choice
              key={reason}
              pressed={chosen === reason}
              onClick={() => onChoose(chosen === reason ? "" : reason)}
              text={`${reason} · ${formatNumber(count, i18n.language)}`}
              title={ofReason(reason) ?? undefined}
            />
          ))}
        </Group>
        {describe !== null && (
          <Text size="sm" c="dimmed">
            {describe}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

interface ChoiceProps {
  pressed: boolean;
  text: string;
  title?: string;
  onClick: () => void;
}

function Choice({ pressed, text, title, onClick }: ChoiceProps) {
  return (
    <Button
      size="compact-sm"
      variant={pressed ? "filled" : "default"}
      aria-pressed={pressed}
      title={title}
      onClick={onClick}
    >
      {text}
    </Button>
  );
}

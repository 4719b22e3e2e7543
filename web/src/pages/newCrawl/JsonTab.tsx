import { Alert, Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import { notify } from "@/components/notify";
import { Elsewhere } from "./Elsewhere";
import { type JsonReading, readTask } from "./jsonTask";
import { Section } from "./Section";
import { StartBar } from "./StartBar";
import { requestOf, valuesOf } from "./taskRequest";
import { useForm } from "./useCrawlForm";
import { useStart } from "./useStart";

export function formJson(values: Parameters<typeof requestOf>[0]): string {
  return JSON.stringify(requestOf(values), null, 2);
}

/** The crawl as JSON: what the form says, or what somebody pastes. */
export function JsonTab({ onForm }: { onForm: () => void }) {
  const { t } = useTranslation("newCrawl");
  const { draft, values, change } = useForm();
  const start = useStart();
  const [refused, setRefused] = useState<ApiError | null>(null);
  const reading = readTask(draft.json);
  const ofForm = formJson(values);
  const isOfForm = draft.json === ofForm;
  const write = (json: string) => {
    setRefused(null);
    change({ json });
  };
  const takeOver = () => {
    if (reading.task === undefined) return;
    const { values: taken, left } = valuesOf(reading.task);
    change({
      values: taken,
      ...(left.length === 0 ? { json: formJson(taken), carried: formJson(taken) } : {}),
    });
    notify(
      left.length === 0
        ? { message: t("json.toFormDone"), color: "green" }
        : { message: t("json.toFormLeft", { names: left.join(", ") }), color: "yellow" },
    );
    onForm();
  };
  const submit = () => {
    if (reading.task === undefined) return;
    start.mutate(reading.task, { onError: (error) => setRefused(error instanceof ApiError ? error : null) });
  };

  return (
    <Stack gap="md">
      <Section title={t("json.title")}>
        <Textarea
          label={t("json.label")}
          description={t("json.help")}
          error={useFault(reading)}
          value={draft.json}
          onChange={(event) => write(event.currentTarget.value)}
          autosize
          minRows={12}
          maxRows={32}
          spellCheck={false}
          autoCapitalize="off"
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } }}
        />
        {refused !== null && (
          <Alert color="red" role="alert" title={refused.field && t("json.field", { field: refused.field })}>
            {refused.message}
          </Alert>
        )}
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={reading.task === undefined}
            onClick={() => write(JSON.stringify(reading.task, null, 2))}
          >
            {t("json.format")}
          </Button>
          <Button size="xs" variant="default" disabled={reading.task === undefined} onClick={takeOver}>
            {t("json.toForm")}
          </Button>
          {!isOfForm && (
            <Button size="xs" variant="default" onClick={() => change({ json: ofForm, carried: ofForm })}>
              {t("json.takeForm")}
            </Button>
          )}
          <Text size="xs" c="dimmed">
            {isOfForm ? t("json.carried") : t("json.differs")}
          </Text>
        </Group>
      </Section>
      <Section title={t("sections.elsewhere")}>
        <Elsewhere task={reading.task ?? null} />
      </Section>
      <StartBar
        wrong={0}
        isStarting={start.isPending}
        isPossible={reading.task !== undefined}
        onStart={submit}
      />
    </Stack>
  );
}

function useFault(reading: JsonReading): string | undefined {
  const { t } = useTranslation("newCrawl");
  if (reading.isOther) return t("json.notObject");
  if (reading.place === undefined) return undefined;
  const { fault, line, column } = reading.place;
  return t("json.place", { line, column, fault: t(`json.faults.${fault}`) });
}

import { Stack } from "@mantine/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { AddressForm } from "./AddressForm";
import { toldProblems } from "./checks";
import { Elsewhere } from "./Elsewhere";
import { FieldList } from "./FieldList";
import classes from "./FormTab.module.css";
import { Options } from "./Options";
import { Outline } from "./Outline";
import { type GroupName, groupsWith } from "./optionGroups";
import { SwitchOption } from "./optionInputs";
import { ResultView } from "./ResultView";
import { Section } from "./Section";
import { StartBar } from "./StartBar";
import { requestOf } from "./taskRequest";
import { useForm } from "./useCrawlForm";
import { usePreview } from "./usePreview";
import { useStart } from "./useStart";

/** The crawl, value by value. */
export function FormTab() {
  const { t } = useTranslation("newCrawl");
  const form = useForm();
  const { values, draft } = form;
  const preview = usePreview(draft.looked, values.fields, values.metadata);
  const start = useStart();
  const [open, setOpen] = useState<GroupName[]>([]);
  const [asked, setAsked] = useState(0); // how often somebody wanted to start what was not good
  const content = useRef<HTMLDivElement>(null);
  const { page } = preview;
  const seen = useMemo(
    () => toldProblems(values.fields, preview.isUpdating ? [] : Object.values(page?.field_problems ?? {})),
    [values.fields, page, preview.isUpdating],
  );
  const outline = page?.outline ?? [];

  useEffect(() => {
    if (asked > 0) content.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [asked]);

  const showWrong = (names: string[]) => {
    setOpen((now) => [...new Set([...now, ...groupsWith(names)])]);
    setAsked((now) => now + 1);
  };
  const submit = () => {
    const wrong = form.check();
    if (wrong.length > 0) return showWrong(wrong);
    start.mutate(requestOf(values), { onError: (error) => showWrong(Object.keys(form.refuse(error))) });
  };

  return (
    <Stack gap="md" ref={content}>
      <Section title={t("sections.from")}>
        <AddressForm preview={preview} />
      </Section>
      <Section title={t("sections.take")}>
        <div className={outline.length > 0 ? `${classes.take} ${classes.beside}` : classes.take}>
          {outline.length > 0 && <Outline key={draft.looked} nodes={outline} />}
          <Stack gap="md">
            <FieldList seen={seen} />
            <SwitchOption name="metadata" />
          </Stack>
          <ResultView data={page?.data ?? null} isUpdating={draft.looked !== null && preview.isUpdating} />
        </div>
      </Section>
      <Section title={t("sections.how")}>
        <Options open={open} onOpen={setOpen} />
      </Section>
      <Section title={t("sections.elsewhere")}>
        <Elsewhere task={values.url.trim() === "" ? null : requestOf(values)} />
      </Section>
      <StartBar wrong={form.wrong.length} isStarting={start.isPending} onStart={submit} />
    </Stack>
  );
}

/** Inputs of the form: each knows its label, its help and what is wrong with it by its name. */
import { NativeSelect, NumberInput, Switch, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Amount, AmountName, FormValues } from "./formValues";
import { RANGES } from "./formValues";
import { useForm } from "./useCrawlForm";

export type OptionName = Exclude<keyof FormValues, "fields">;
type TextName = "project_id" | "target_region" | "node_type" | "user_agent";
type LinesName = "more_urls" | "allow_hosts" | "include" | "exclude" | "categories";
type SwitchName = "metadata" | "sitemaps" | "ignore_robots" | "deduplicate";
type ChoiceName = "dedup" | "schedule_strategy";

/** What every input of a value has. */
export function useOption<Name extends OptionName>(name: Name) {
  const { t } = useTranslation("newCrawl");
  const { values, set, problemOf, touch } = useForm();
  return {
    value: values[name],
    set: (value: FormValues[Name]) => set(name, value),
    shown: {
      label: t(`options.${name}.label`),
      description: t(`options.${name}.help`),
      error: problemOf(name),
      onBlur: () => touch(name),
    },
  };
}

export function TextOption({ name, placeholder }: { name: TextName; placeholder?: string }) {
  const { value, set, shown } = useOption(name);
  return (
    <TextInput
      {...shown}
      value={value}
      placeholder={placeholder}
      maxLength={name === "user_agent" ? 1000 : 255}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

export function LinesOption({ name }: { name: LinesName }) {
  const { value, set, shown } = useOption(name);
  return (
    <Textarea
      {...shown}
      value={value}
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

export function NumberOption({
  name,
  placeholder,
  step,
}: {
  name: AmountName;
  placeholder?: string;
  step?: number;
}) {
  const { value, set, shown } = useOption(name);
  const { least, most, whole } = RANGES[name];
  return (
    <NumberInput
      {...shown}
      value={value}
      placeholder={placeholder}
      min={least}
      max={most}
      step={step ?? 1}
      allowDecimal={!whole}
      clampBehavior="none"
      onChange={(amount: Amount) => set(amount)}
    />
  );
}

export function SwitchOption({ name }: { name: SwitchName }) {
  const { value, set, shown } = useOption(name);
  return <Switch {...shown} checked={value} onChange={(event) => set(event.currentTarget.checked)} />;
}

export function ChoiceOption({
  name,
  choices,
}: {
  name: ChoiceName;
  choices: { value: string; label: string }[];
}) {
  const { value, set, shown } = useOption(name);
  return (
    <NativeSelect
      {...shown}
      value={value}
      data={choices}
      onChange={(event) => set(event.currentTarget.value as FormValues[ChoiceName] & FormValues["dedup"])}
    />
  );
}

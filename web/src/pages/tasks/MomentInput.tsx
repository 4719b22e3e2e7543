import { TextInput } from "@mantine/core";

interface Props {
  label: string;
  value: string; // ISO 8601, or nothing
  onChange: (moment: string) => void;
}

/** A moment in the time zone of whoever looks, picked with what the browser has for it. */
export function MomentInput({ label, value, onChange }: Props) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={localText(value)}
      onChange={({ currentTarget }) => onChange(isoText(currentTarget.value))}
    />
  );
}

/** `2026-11-15T19:08` in local time, as the input has it. */
export function localText(moment: string): string {
  const date = new Date(moment);
  if (moment === "" || Number.isNaN(date.getTime())) return "";
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

function isoText(local: string): string {
  const date = new Date(local);
  return local === "" || Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

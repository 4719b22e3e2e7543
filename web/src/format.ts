/** Numbers, sizes, rates and times as people read them, in the language of the page. */

const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

export function formatNumber(value: number | null | undefined, language: string, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
}

/** Short, for tight places: 12.4K, 3.1M. */
export function formatShort(value: number | null | undefined, language: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Math.abs(value) < 10) return formatNumber(value, language, 2);
  return new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

export function formatBytes(value: number | null | undefined, language: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  let amount = value;
  let unit = 0;
  while (Math.abs(amount) >= 1000 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${formatNumber(amount, language, amount < 10 && unit > 0 ? 1 : 0)} ${UNITS[unit]}`;
}

export function formatPercent(value: number | null | undefined, language: string, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: digits }).format(value);
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** "3 minutes ago", "in 2 hours". */
export function formatRelative(moment: string | number | Date, language: string, now = Date.now()): string {
  const seconds = (new Date(moment).getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size || unit === "second")
      return format.format(Math.round(seconds / size), unit);
  }
  return "";
}

export function formatMoment(moment: string | number | Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }).format(
    new Date(moment),
  );
}

/** "2.5 s", "500 ms": a short span in seconds, as exact as it was given. */
export function formatSeconds(seconds: number, language: string): string {
  if (seconds < 1 || seconds >= 60) return formatDuration(seconds, language);
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: "second",
    unitDisplay: "short",
    maximumFractionDigits: 3,
  }).format(seconds);
}

/** "1 h 5 min", "12 s": a span in seconds. */
export function formatDuration(seconds: number | null | undefined, language: string): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  const unit = (value: number, name: string) =>
    new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "short" }).format(value);
  const whole = Math.round(seconds);
  if (seconds > 0 && seconds < 1) return unit(Math.round(seconds * 1000), "millisecond");
  if (whole < 60) return unit(whole, "second");
  if (whole < 3_600) return `${unit(Math.floor(whole / 60), "minute")} ${unit(whole % 60, "second")}`;
  if (whole < 86_400) {
    return `${unit(Math.floor(whole / 3_600), "hour")} ${unit(Math.floor((whole % 3_600) / 60), "minute")}`;
  }
  return `${unit(Math.floor(whole / 86_400), "day")} ${unit(Math.floor((whole % 86_400) / 3_600), "hour")}`;
}

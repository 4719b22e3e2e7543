import { SegmentedControl } from "@mantine/core";
import { useTranslation } from "react-i18next";

export type Span = "15m" | "6h" | "7d";
export const SPANS: readonly Span[] = ["15m", "6h", "7d"];

export function SpanPicker({ value, onChange }: { value: Span; onChange: (span: Span) => void }) {
  const { t } = useTranslation();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t("spans.label")}
      value={value}
      onChange={(chosen) => onChange(chosen as Span)}
      data={SPANS.map((span) => ({ value: span, label: t(`spans.${span}`) }))}
    />
  );
}

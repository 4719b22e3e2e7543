import { SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { LANGUAGES, type Language, switchLanguage } from "@/i18n";

export function LanguagePicker() {
  const { t, i18n } = useTranslation();
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label={t("language.switch")}
      value={i18n.language}
      onChange={(language) => void switchLanguage(language as Language)}
      data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
    />
  );
}

export function SchemePicker() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label={t("theme.switch")}
      value={colorScheme}
      onChange={(scheme) => setColorScheme(scheme as "light" | "dark" | "auto")}
      data={(["light", "dark", "auto"] as const).map((value) => ({ value, label: t(`theme.${value}`) }))}
    />
  );
}

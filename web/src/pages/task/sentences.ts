/** Rules and reasons in words. Those that this page does not know keep their names. */
import { useTranslation } from "react-i18next";

export function useSentences() {
  const { t, i18n } = useTranslation("task");
  const known = (key: string) => i18n.exists(`task:${key}`);
  return {
    /** Why a rule keeps a URL out. */
    ofRule: (rule: string): string | null =>
      known(`rules.${rule}`) ? t(`rules.${rule}` as "rules.depth") : null,
    /** Why a URL was given up. */
    ofReason: (reason: string): string | null => {
      const status = /^http_(\d+)$/.exec(reason)?.[1];
      if (status !== undefined) return t("reasons.http", { status });
      if (reason.startsWith("fault_")) return t("reasons.fault");
      if (known(`reasons.${reason}`)) return t(`reasons.${reason}` as "reasons.dns");
      return known(`rules.${reason}`) ? t(`rules.${reason}` as "rules.depth") : null;
    },
  };
}

import { useTranslation } from "react-i18next";
import type { Reason } from "./readings";

/** A reason as text in the language of the page. */
export function ReasonText({ reason }: { reason: Reason }) {
  const { t } = useTranslation("nodes");
  return "known" in reason ? t(`reasons.${reason.known}`) : reason.text;
}

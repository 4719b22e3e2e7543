/** Two languages. English comes with the page; Chinese is loaded when it is wanted. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import en from "@/i18n/en";

export const LANGUAGES = { en: "English", "zh-CN": "简体中文" } as const;
export type Language = keyof typeof LANGUAGES;

const STORED_AS = "crawlmesh-language";

export function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORED_AS);
  if (stored === "en" || stored === "zh-CN") return stored;
  return navigator.languages.some((tag) => tag.toLowerCase().startsWith("zh")) &&
    !navigator.language.toLowerCase().startsWith("en")
    ? "zh-CN"
    : "en";
}

export async function switchLanguage(language: Language): Promise<void> {
  if (language === "zh-CN" && !i18next.hasResourceBundle("zh-CN", "common")) {
    const { default: zh } = await import("@/i18n/zh");
    for (const [namespace, texts] of Object.entries(zh)) i18next.addResourceBundle("zh-CN", namespace, texts);
  }
  localStorage.setItem(STORED_AS, language);
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}

export async function startTranslations(language: Language = preferredLanguage()): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: "en",
    fallbackLng: "en",
    resources: { en },
    ns: Object.keys(en),
    defaultNS: "common",
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  await switchLanguage(language);
}

import "@testing-library/jest-dom/vitest";
import "@/i18n/types";
import { notifications } from "@mantine/notifications";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeAll } from "vitest";
import { startTranslations } from "@/i18n";

// What Mantine asks of a browser and this one does not have.
window.matchMedia ??= ((query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => {},
  removeEventListener: () => {},
})) as unknown as typeof window.matchMedia;
window.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.scrollIntoView ??= () => {};
if (!("fonts" in document)) Object.defineProperty(document, "fonts", { value: new EventTarget() });

configure({ asyncUtilTimeout: 10_000 }); // milliseconds; machines may be busy

beforeAll(() => startTranslations("en"));
afterEach(() => {
  cleanup();
  notifications.clean();
  document.head.replaceChildren();
  document.body.replaceChildren();
});

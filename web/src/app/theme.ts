import { type CSSVariablesResolver, createTheme } from "@mantine/core";

/** System fonts: nothing is loaded from anywhere else, and Chinese looks as it does elsewhere on the machine. */
const fontFamily =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

export const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: 9,
  fontFamily,
  headings: { fontFamily },
  defaultRadius: "sm",
  cursorType: "pointer",
});

/** Text that everybody can read: Mantine's secondary text and its light badges are a little too faint for WCAG AA. */
export const readableColors: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...darkerWhenPointedAt(Object.keys(colors)),
    ...secondaryText("gray-7", "red-9"),
    ...lightVariants(Object.keys(colors), (name) => `color-mix(in srgb, var(${name}-9), black 35%)`),
  },
  dark: {
    ...darkerWhenPointedAt(Object.keys(colors)),
    ...secondaryText("dark-1", "red-4"),
    ...lightVariants(Object.keys(colors), (name) => `var(${name}-2)`),
  },
});

function secondaryText(shade: string, error: string): Record<string, string> {
  return {
    "--mantine-color-dimmed": `var(--mantine-color-${shade})`,
    "--mantine-color-placeholder": `var(--mantine-color-${shade})`,
    "--mantine-color-error": `var(--mantine-color-${error})`,
  };
}

function lightVariants(names: string[], color: (name: string) => string): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [`--mantine-color-${name}-light-color`, color(`--mantine-color-${name}`)]),
  );
}

/** Filled buttons and links get darker under the mouse, not lighter: their text is white. */
function darkerWhenPointedAt(names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [
      `--mantine-color-${name}-filled-hover`,
      `color-mix(in srgb, var(--mantine-color-${name}-filled), black 15%)`,
    ]),
  );
}

import { createTheme } from "@mantine/core";

/** System fonts: nothing is loaded from anywhere else, and Chinese looks as it does elsewhere on the machine. */
const fontFamily =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

export const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: { light: 9, dark: 8 },
  fontFamily,
  headings: { fontFamily },
  defaultRadius: "sm",
  cursorType: "pointer",
});

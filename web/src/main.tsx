import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@/i18n/types";
import { MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeQueryClient } from "@/api/queryClient";
import { App } from "@/app/App";
import { readableColors, theme } from "@/app/theme";
import { startTranslations } from "@/i18n";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
Object.assign(window, { __webpack_nonce__: nonce }); // what the style element of open dialogs looks for
const client = makeQueryClient();

await startTranslations();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={readableColors}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <Notifications position="top-right" />
        <ModalsProvider>
          <App />
        </ModalsProvider>
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);

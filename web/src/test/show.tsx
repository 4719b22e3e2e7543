/** Shows a component as the app does, with a cache, a session and a router of its own. */
import { MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";
import { makeQueryClient } from "@/api/queryClient";
import { type Role, SessionProvider } from "@/app/session";

interface Options {
  path?: string;
  role?: Role;
}

export function show(content: ReactNode, { path = "/", role = "admin" }: Options = {}) {
  const client = makeQueryClient();
  const session = { name: "test", role, key_id: "key-test", expires_at: "2099-01-01T00:00:00Z" };
  const shown = render(
    <QueryClientProvider client={client}>
      <MantineProvider env="test">
        <Notifications />
        <ModalsProvider>
          <SessionProvider session={session}>
            <MemoryRouter initialEntries={[path]}>{content}</MemoryRouter>
          </SessionProvider>
        </ModalsProvider>
      </MantineProvider>
    </QueryClientProvider>,
  );
  return { ...shown, client };
}

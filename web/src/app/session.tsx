/** Who is signed in, and what they may do. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import { answerOf, api } from "@/api/client";
import { SESSION_KEY } from "@/api/queryClient";
import type { SessionShape } from "@/api/schema";

export type Role = SessionShape["role"];

const RANK: Record<string, number> = { node: 0, viewer: 1, operator: 2, admin: 3 };

const SessionContext = createContext<SessionShape | null>(null);

/** The session; `null`: nobody is signed in. */
export function useSessionQuery() {
  return useQuery<SessionShape | null>({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/session", { signal })),
    staleTime: 60_000,
    retryDelay: 1_000,
  });
}

export function SessionProvider({ session, children }: { session: SessionShape; children: ReactNode }) {
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

export function useSession(): SessionShape {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("useSession is for pages behind the sign-in");
  return session;
}

/** Whether the key of this session may do what needs a role. */
export function useMay(role: "operator" | "admin"): boolean {
  return (RANK[useSession().role] ?? 0) >= (RANK[role] ?? 0);
}

/** What needs a role: not shown to those who do not have it. */
export function For({ role, children }: { role: "operator" | "admin"; children: ReactNode }) {
  return useMay(role) ? children : null;
}

export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await answerOf(api.DELETE("/api/v1/session"));
    client.setQueryData(SESSION_KEY, null);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] }); // the next one sees their own
  };
}

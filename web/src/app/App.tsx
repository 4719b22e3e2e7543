import { Center, Loader } from "@mantine/core";
import { createBrowserRouter, RouterProvider } from "react-router";
import { CrashPage, NotFound } from "@/app/ErrorPages";
import { Shell } from "@/app/Shell";
import { SignIn } from "@/app/SignIn";
import { SessionProvider, useSessionQuery } from "@/app/session";
import { Failure } from "@/components/Failure";
import { LiveProvider } from "@/live/LiveProvider";

const router = createBrowserRouter([
  {
    element: <Shell />,
    errorElement: <CrashPage />,
    HydrateFallback: Waiting,
    children: [
      {
        errorElement: <CrashPage />,
        children: [
          { index: true, lazy: () => import("@/pages/overview") },
          { path: "new", lazy: () => import("@/pages/newCrawl") },
          { path: "tasks", lazy: () => import("@/pages/tasks") },
          { path: "tasks/:taskId", lazy: () => import("@/pages/task") },
          { path: "nodes", lazy: () => import("@/pages/nodes") },
          { path: "nodes/:nodeId", lazy: () => import("@/pages/node") },
          { path: "hosts", lazy: () => import("@/pages/hosts") },
          { path: "events", lazy: () => import("@/pages/events") },
          { path: "settings", lazy: () => import("@/pages/settings") },
          { path: "*", Component: NotFound },
        ],
      },
    ],
  },
]);

export function App() {
  const session = useSessionQuery();
  if (session.isPending) return <Waiting />;
  if (session.data === null) return <SignIn />;
  if (session.data === undefined) {
    return (
      <Center mih="100vh" p="md">
        <Failure error={session.error} onRetry={() => void session.refetch()} />
      </Center>
    );
  }
  return (
    <SessionProvider session={session.data}>
      <LiveProvider>
        <RouterProvider router={router} />
      </LiveProvider>
    </SessionProvider>
  );
}

function Waiting() {
  return (
    <Center mih="50vh">
      <Loader role="status" aria-label="Crawlmesh" />
    </Center>
  );
}

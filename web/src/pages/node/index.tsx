import { Anchor, Group, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useParams } from "react-router";
import { answerOf, api } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { NodeShape } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { Page } from "@/components/Page";
import { ActionButtons } from "@/pages/nodes/ActionButtons";
import { useNodeActions } from "@/pages/nodes/useNodeActions";
import { NodeCharts } from "./NodeCharts";
import { NodeEvents } from "./NodeEvents";
import { NodeExecutions } from "./NodeExecutions";
import { NodeFacts } from "./NodeFacts";
import { NodeNow } from "./NodeNow";
import { NodeStats } from "./NodeStats";

/** One node: how it is, how it was, what it does. */
export function Component() {
  const { nodeId = "" } = useParams();
  return <NodePage key={nodeId} nodeId={nodeId} />;
}

function NodePage({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation("nodes");
  const query = useQuery({
    queryKey: ["node", nodeId],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/nodes/{node_id}", { params: { path: { node_id: nodeId } }, signal })),
    refetchInterval: 10_000, // readings change with heartbeats
  });
  const missing = query.error instanceof ApiError && query.error.status === 404;
  const back = (
    <Anchor component={Link} to="/nodes" size="sm">
      {t("page.back")}
    </Anchor>
  );
  if (query.data === undefined || missing)
    return (
      <Page title={missing ? t("page.notFound") : nodeId} description={back}>
        {query.isError ? (
          <Failure error={query.error} onRetry={missing ? undefined : () => void query.refetch()} />
        ) : (
          <Skeleton height={200} />
        )}
      </Page>
    );
  const node = query.data;
  return (
    <Page
      title={node.name}
      description={
        <Group gap="xs">
          {back}
          <span>·</span>
          <span>{node.id}</span>
        </Group>
      }
      actions={<Actions node={node} />}
    >
      <NodeNow node={node} />
      <NodeCharts nodeId={nodeId} />
      <NodeExecutions nodeId={nodeId} />
      <NodeStats nodeId={nodeId} />
      <NodeFacts node={node} />
      <NodeEvents nodeId={nodeId} />
    </Page>
  );
}

function Actions({ node }: { node: NodeShape }) {
  const navigate = useNavigate();
  const { act, isPending } = useNodeActions((action) => {
    if (action === "remove") void navigate("/nodes");
  });
  return <ActionButtons nodes={[node]} onAct={act} busy={isPending} />;
}

import { Group, Stack, Text } from "@mantine/core";
import type { NodeShape } from "@/api/schema";
import { HealthBadge, NodeStatusBadge } from "@/components/StatusBadge";
import { ReasonText } from "./ReasonText";
import { healthReasonOf, type Reason, statusReasonOf } from "./readings";

/** The status of a node, and why. */
export function NodeStatus({ node }: { node: NodeShape }) {
  return (
    <Stack gap={2} align="flex-start" miw={110}>
      <NodeStatusBadge status={node.status} />
      <Why reason={statusReasonOf(node)} />
    </Stack>
  );
}

/** The health of a node, and why. */
export function NodeHealth({ node }: { node: NodeShape }) {
  return (
    <Stack gap={2} align="flex-start" miw={110}>
      <HealthBadge status={node.health.status} />
      <Why reason={healthReasonOf(node)} />
    </Stack>
  );
}

/** Status and health side by side, and under them why. */
export function NodeState({ node }: { node: NodeShape }) {
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <NodeStatusBadge status={node.status} />
        <HealthBadge status={node.health.status} />
      </Group>
      <Why reason={statusReasonOf(node)} />
      <Why reason={healthReasonOf(node)} />
    </Stack>
  );
}

function Why({ reason }: { reason: Reason | null }) {
  if (reason === null) return null;
  return (
    <Text size="xs" c="dimmed">
      <ReasonText reason={reason} />
    </Text>
  );
}

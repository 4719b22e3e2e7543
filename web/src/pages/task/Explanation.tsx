import { Anchor, List, Paper, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { PlacementShape, TaskShape } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { Moment } from "@/components/Moment";
import { useExplanation } from "@/pages/task/useTask";
import { hasEnded } from "@/pages/tasks/taskMoves";

/** Why the task waits, or why it went to that node, in the words of the scheduler. */
export function Explanation({ task }: { task: TaskShape }) {
  const { t } = useTranslation("task");
  const explained = useExplanation(task);
  if (explained.isError) return <Failure error={explained.error} onRetry={() => void explained.refetch()} />;
  if (explained.data === undefined || hasEnded(task.status)) return null;
  const { summary, reasons, placements, nodes, fitting, free } = explained.data;
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb="xs">
        {t("overview.explain")}
      </Title>
      <Text size="sm">{summary}</Text>
      {reasons.length > 1 && (
        <List size="sm" mt={4}>
          {reasons.map((reason) => (
            <List.Item key={reason}>{reason}</List.Item>
          ))}
        </List>
      )}
      {nodes > 0 && (
        <Text size="sm" c="dimmed">
          {t("overview.fitting", { nodes, fitting, free })}
        </Text>
      )}
      {placements.length > 0 && (
        <Stack gap={4} mt="xs">
          <Title order={3} size="h6">
            {t("overview.placements")}
          </Title>
          {placements.map((placement) => (
            <Placement key={placement.execution_id} placement={placement} />
          ))}
        </Stack>
      )}
    </Paper>
  );
}

function Placement({ placement }: { placement: PlacementShape }) {
  return (
    <Text size="sm" component="div">
      <Anchor component={Link} to={`/nodes/${placement.node_id}`} inherit underline="always">
        {placement.node_id}
      </Anchor>{" "}
      · <Moment at={placement.since} /> · {placement.strategy}: {placement.choice}
    </Text>
  );
}

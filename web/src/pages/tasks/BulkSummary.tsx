import { Alert, Anchor, List, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { BulkOutcome, Refusal } from "@/pages/tasks/steering";

const SHOWN = 5; // ids of one reason

/** What came of an order to many tasks: how many did it, which did not, and why. */
export function BulkSummary({ outcome, onClose }: { outcome: BulkOutcome; onClose: () => void }) {
  const { t } = useTranslation(["tasks", "common"]);
  const left = outcome.refused.reduce((sum, { ids }) => sum + ids.length, 0);
  const done = t(`done.${outcome.kind}`, { count: outcome.done.length });
  return (
    <Alert
      color={left > 0 ? "yellow" : "green"}
      icon={left > 0 ? <IconAlertTriangle size={18} /> : <IconCheck size={18} />}
      title={left > 0 ? t("refused.title", { count: left }) : done}
      withCloseButton
      closeButtonLabel={t("common:actions.close")}
      onClose={onClose}
      role="status"
    >
      {left > 0 && (
        <>
          {outcome.done.length > 0 && <Text size="sm">{done}</Text>}
          <List size="sm">
            {outcome.refused.map((refusal) => (
              <List.Item key={refusal.reason}>
                {refusal.reason} <Ids refusal={refusal} />
              </List.Item>
            ))}
          </List>
          <Text size="sm">{t("refused.keep")}</Text>
        </>
      )}
    </Alert>
  );
}

function Ids({ refusal: { ids } }: { refusal: Refusal }) {
  const { t } = useTranslation("tasks");
  return (
    <>
      {ids.slice(0, SHOWN).map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <Anchor component={Link} to={`/tasks/${id}`} inherit ff="monospace" underline="always">
            {id}
          </Anchor>
        </span>
      ))}
      {ids.length > SHOWN && ` ${t("refused.more", { count: ids.length - SHOWN })}`}
    </>
  );
}

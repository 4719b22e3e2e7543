import { Button, type MantineColor, Tooltip } from "@mantine/core";
import { type Icon, IconDoorExit, IconPlayerPlay, IconTool, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { NodeShape, NodeStatus } from "@/api/schema";
import { useMay } from "@/app/session";
import type { NodeAction } from "./useNodeActions";

interface Look {
  action: NodeAction;
  icon: Icon;
  from: readonly NodeStatus[] | null; // statuses that it makes sense in; null: any
  color?: MantineColor;
}

const LOOKS: readonly Look[] = [
  { action: "drain", icon: IconDoorExit, from: ["pending", "online", "maintenance"] },
  { action: "maintenance", icon: IconTool, from: ["pending", "online", "draining"] },
  { action: "resume", icon: IconPlayerPlay, from: ["draining", "maintenance"] },
  { action: "remove", icon: IconTrash, from: null, color: "red" },
];

interface Props {
  nodes: NodeShape[];
  onAct: (action: NodeAction, nodes: NodeShape[]) => void;
  busy: boolean;
}

/** What the person who is signed in may do with these nodes; each acts on those that it makes sense for. */
export function ActionButtons({ nodes, onAct, busy }: Props) {
  const { t } = useTranslation("nodes");
  const mayRemove = useMay("admin");
  const maySteer = useMay("operator");
  return LOOKS.filter(({ action }) => (action === "remove" ? mayRemove : maySteer)).map(
    ({ action, icon: Icon, from, color }) => {
      const fitting = nodes.filter(({ status }) => from === null || from.includes(status));
      return (
        <Tooltip key={action} label={t(`actions.${action}Help`)} multiline maw={260}>
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon size={14} color={color && `var(--mantine-color-${color}-6)`} aria-hidden />}
            disabled={busy || fitting.length === 0}
            onClick={() => onAct(action, fitting)}
          >
            {t(`actions.${action}`)}
          </Button>
        </Tooltip>
      );
    },
  );
}

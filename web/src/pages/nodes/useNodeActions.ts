import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import { messageOf } from "@/api/errors";
import type { NodeShape } from "@/api/schema";
import { askFirst } from "@/components/confirm";
import { notify } from "@/components/notify";
import { useAction } from "@/components/useAction";

export type NodeAction = "drain" | "maintenance" | "resume" | "remove";

interface Order {
  action: NodeAction;
  nodes: NodeShape[];
}

interface Outcome {
  action: NodeAction;
  done: number;
  failures: string[];
}

/** Steer nodes: each stands for itself, and what was not possible is told. Removing asks first. */
export function useNodeActions(onDone?: (action: NodeAction) => void) {
  const { t } = useTranslation("nodes");
  const client = useQueryClient();
  const { mutate, isPending } = useAction(steer, {
    done: ({ action, done }) => (done > 0 ? t(`actions.${action}Done`, { count: done }) : null),
    refresh: [["nodes"], ["overview"], ["attention"]],
    onDone: ({ action, failures }) => {
      // Of a node that was removed there is nothing to ask for.
      if (action !== "remove") void client.invalidateQueries({ queryKey: ["node"] });
      if (failures.length > 0) {
        notify({
          title: t("actions.failed", { count: failures.length }),
          message: failures.join(" "),
          color: "red",
        });
      }
      onDone?.(action);
    },
  });
  const act = (action: NodeAction, nodes: NodeShape[]) => {
    if (action !== "remove") return mutate({ action, nodes });
    askFirst({
      title: t("actions.removeTitle", { count: nodes.length }),
      text: t("actions.removeText", { names: nodes.map((node) => node.name).join(", ") }),
      confirm: t("actions.remove"),
      danger: true,
      onConfirm: () => mutate({ action, nodes }),
    });
  };
  return { act, isPending };
}

async function steer({ action, nodes }: Order): Promise<Outcome> {
  const outcomes = await Promise.allSettled(nodes.map(({ id }) => steerOne(action, id)));
  const refused = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason);
  if (nodes.length === 1 && refused.length === 1) throw refused[0];
  return { action, done: nodes.length - refused.length, failures: refused.map(messageOf) };
}

async function steerOne(action: NodeAction, node_id: string): Promise<void> {
  const params = { path: { node_id } };
  if (action === "remove") await answerOf(api.DELETE("/api/v1/nodes/{node_id}", { params }));
  else if (action === "drain") await answerOf(api.POST("/api/v1/nodes/{node_id}:drain", { params }));
  else if (action === "resume") await answerOf(api.POST("/api/v1/nodes/{node_id}:resume", { params }));
  else await answerOf(api.POST("/api/v1/nodes/{node_id}:maintenance", { params }));
}

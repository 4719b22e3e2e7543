/** What happened, in a sentence; null where only the data tells. */
import type { TFunction } from "i18next";
import type { EventShape } from "@/api/schema";
import { formatNumber, formatPercent, formatSeconds } from "@/format";

type Translate = TFunction<["events", "common"]>;
type Data = Record<string, unknown>;

export function sentenceOf(event: EventShape, t: Translate, language: string): string | null {
  const data = event.data as Data;
  switch (event.type) {
    case "node.registered":
      return t(data.again ? "sentences.node.registered_again" : "sentences.node.registered", {
        name: textOf(data.name, event.node_id),
      });
    case "node.unregistered":
      return t("sentences.node.unregistered", { name: textOf(data.name, event.node_id) });
    case "node.heartbeat":
      return heartbeat(data, t, language);
    case "node.status_changed":
      return t("sentences.node.status_changed", {
        from: nameOf("nodeStatus", data.old_status, t),
        to: nameOf("nodeStatus", data.status, t),
      });
    case "node.health_changed":
      return health(data, t);
    case "task.assigned":
      return t("sentences.task.assigned", { strategy: textOf(data.strategy) });
    case "task.created":
      return t("sentences.task.created", { kind: textOf(data.task_type), priority: textOf(data.priority) });
    case "task.failed": {
      const reason = (data.result as Data | undefined)?.error;
      return reason
        ? t("sentences.task.failed_reason", { reason: textOf(reason) })
        : t("sentences.task.failed");
    }
    case "task.status_changed":
      return t("sentences.task.status_changed", {
        from: nameOf("taskStatus", data.old_status, t),
        to: nameOf("taskStatus", data.status, t),
      });
    case "task.timeout":
      return t("sentences.task.timeout", { retry: textOf(data.retry_count) });
    case "task.filter_nearly_full":
      return t("sentences.task.filter_nearly_full", {
        known: formatNumber(numberOf(data.count), language),
        capacity: formatNumber(numberOf(data.capacity), language),
      });
    case "host.limits_changed":
      return t("sentences.host.limits_changed", {
        host: textOf(data.host),
        limits: limits(data, t, language),
      });
    case "leader.changed":
      return t("sentences.leader.changed", { leader: textOf(data.leader) });
    case "node.timeout":
    case "scheduler.node_unavailable":
    case "task.completed":
    case "task.reassign":
      return t(`sentences.${event.type}`);
    default:
      return null;
  }
}

function heartbeat(data: Data, t: Translate, language: string): string {
  const beat = (data.heartbeat ?? {}) as Data;
  return t("sentences.node.heartbeat", {
    load: formatPercent(numberOf(beat.load), language),
    count: numberOf(beat.active_tasks) ?? 0,
  });
}

function health(data: Data, t: Translate): string {
  const words = { from: nameOf("health", data.old_status, t), to: nameOf("health", data.new_status, t) };
  const reason = (data.details as Data | undefined)?.reason;
  return reason
    ? t("sentences.node.health_reason", { ...words, reason: textOf(reason) })
    : t("sentences.node.health_changed", words);
}

function limits(data: Data, t: Translate, language: string): string {
  const parts: string[] = [];
  const delay = numberOf(data.delay);
  const slots = numberOf(data.slots);
  if (data.blocked) parts.push(t("sentences.host.blocked"));
  if (delay !== null) parts.push(t("sentences.host.delay", { time: formatSeconds(delay, language) }));
  if (slots !== null) parts.push(t("sentences.host.slots", { count: slots }));
  return parts.length > 0
    ? new Intl.ListFormat(language, { type: "conjunction" }).format(parts)
    : t("sentences.host.none");
}

/** A status in words; one that this page does not know yet, as the API spells it. */
function nameOf(kind: "taskStatus" | "nodeStatus" | "health", status: unknown, t: Translate): string {
  const word = textOf(status);
  return t(`common:${kind}.${word}` as "common:taskStatus.pending", { defaultValue: word });
}

function textOf(value: unknown, otherwise = "–"): string {
  return value === null || value === undefined ? otherwise : String(value);
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

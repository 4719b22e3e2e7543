import { Button, Group, NumberInput, Stack, Switch } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { HostLimitsRequest, HostStatusShape } from "@/api/schema";
import { useAction } from "@/components/useAction";
import { formatNumber, formatSeconds } from "@/format";
import { isLimited } from "./hostState";

const LONGEST_DELAY = 86_400;
const MOST_SLOTS = 10_000;
const USUAL_SLOTS = 4;
const STALE = [["hosts"], ["attention"]] as const;

type Values = { delay: number | string; slots: number | string; blocked: boolean };

/** `status` is null for a host that no crawl has met. */
export function LimitsForm({ host, status }: { host: string; status: HostStatusShape | null }) {
  const { t, i18n } = useTranslation("hosts");
  const form = useForm<Values>({
    initialValues: valuesOf(status),
    validate: {
      delay: (value) => (isBetween(value, 0, LONGEST_DELAY) ? null : t("limits.delayRange")),
      slots: (value) =>
        isBetween(value, 1, MOST_SLOTS) && Number.isInteger(Number(value)) ? null : t("limits.slotsRange"),
    },
  });
  const path = { host };
  const save = useAction(
    (body: HostLimitsRequest) => answerOf(api.PUT("/api/v1/hosts/{host}/limits", { params: { path }, body })),
    {
      done: () => t("limits.saved", { host }),
      refresh: STALE,
      onDone: (saved) => form.resetDirty(valuesOf(saved)),
    },
  );
  const remove = useAction(() => answerOf(api.DELETE("/api/v1/hosts/{host}/limits", { params: { path } })), {
    done: () => t("limits.removed", { host }),
    refresh: STALE,
    onDone: () => {
      form.setValues(valuesOf(null));
      form.resetDirty(valuesOf(null));
    },
  });
  const submit = (values: Values) =>
    save.mutate(requestOf(values), {
      onError: (error) => {
        if (error instanceof ApiError && error.field !== undefined)
          form.setFieldError(error.field, error.message);
      },
    });
  const ownDelay = formatSeconds(status?.state.delay ?? 0, i18n.language);
  const ownSlots = formatNumber(status?.state.slots ?? USUAL_SLOTS, i18n.language);

  return (
    <form onSubmit={form.onSubmit(submit)}>
      <Stack>
        <NumberInput
          label={t("limits.delay")}
          description={t("limits.delayHelp", { own: ownDelay })}
          min={0}
          max={LONGEST_DELAY}
          step={0.5}
          decimalScale={3}
          clampBehavior="none"
          suffix={` ${t("limits.seconds")}`}
          {...form.getInputProps("delay")}
        />
        <NumberInput
          label={t("limits.slots")}
          description={t("limits.slotsHelp", { own: ownSlots })}
          min={1}
          max={MOST_SLOTS}
          allowDecimal={false}
          clampBehavior="none"
          {...form.getInputProps("slots")}
        />
        <Switch
          color="red"
          label={t("limits.blocked")}
          description={t("limits.blockedHelp")}
          {...form.getInputProps("blocked", { type: "checkbox" })}
        />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            {t("limits.save")}
          </Button>
          {status !== null && isLimited(status.limits) && (
            <Button variant="default" loading={remove.isPending} onClick={() => remove.mutate(undefined)}>
              {t("limits.remove")}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function valuesOf(status: HostStatusShape | null): Values {
  const limits = status?.limits;
  return { delay: limits?.delay ?? "", slots: limits?.slots ?? "", blocked: limits?.blocked ?? false };
}

export function requestOf({ delay, slots, blocked }: Values): HostLimitsRequest {
  return { delay: delay === "" ? null : Number(delay), slots: slots === "" ? null : Number(slots), blocked };
}

/** Nothing is also good: it does not limit. */
function isBetween(value: number | string, least: number, most: number): boolean {
  return value === "" || (Number(value) >= least && Number(value) <= most);
}

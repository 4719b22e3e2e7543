import { Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { KeyShape, Role } from "@/api/schema";
import { useAction } from "@/components/useAction";
import { expiryOf, isDayToCome, LIFETIMES, type Lifetime } from "./expiry";
import { Secret } from "./Secret";

interface Props {
  kind: "keys" | "tokens";
  opened: boolean;
  onClose: () => void;
}

/** Makes a key or a join token, then shows its secret, once. */
export function NewKey({ kind, opened, onClose }: Props) {
  const { t } = useTranslation(["settings", "common"]);
  const [made, setMade] = useState<KeyShape | null>(null);
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made === null ? t(`${kind}.add`) : t("newKey.made", { name: made.name })}
      closeOnClickOutside={made === null}
      closeOnEscape={made === null}
      withCloseButton={made === null}
      closeButtonProps={{ "aria-label": t("common:actions.close") }}
    >
      {made === null ? (
        <Form kind={kind} onMade={setMade} onCancel={close} />
      ) : (
        <Secret made={made} onStored={close} />
      )}
    </Modal>
  );
}

interface Values {
  name: string;
  role: Exclude<Role, "node">;
  lifetime: Lifetime;
  day: string;
}

interface FormProps {
  kind: "keys" | "tokens";
  onMade: (made: KeyShape) => void;
  onCancel: () => void;
}

function Form({ kind, onMade, onCancel }: FormProps) {
  const { t } = useTranslation(["settings", "common"]);
  const form = useForm<Values>({
    initialValues: { name: "", role: "viewer", lifetime: "never", day: "" },
    validate: {
      name: (name) => (name.trim() === "" ? t("newKey.nameMissing") : null),
      day: (day, { lifetime }) => (lifetime === "date" && !isDayToCome(day) ? t("newKey.dayMissing") : null),
    },
  });
  const make = useAction(
    ({ name, role, lifetime, day }: Values) => {
      const body = {
        name: name.trim(),
        role: kind === "tokens" ? ("node" as const) : role,
        expires_at: expiryOf(lifetime, day),
      };
      return answerOf(api.POST("/api/v1/keys", { body }));
    },
    { refresh: [["keys"]], onDone: onMade },
  );
  const submit = (values: Values) =>
    make.mutate(values, {
      onError: (error) => {
        if (!(error instanceof ApiError) || error.field === undefined) return;
        form.setFieldError(error.field === "expires_at" ? "day" : error.field, error.message);
      },
    });

  return (
    <form noValidate onSubmit={form.onSubmit(submit)}>
      <Stack>
        <TextInput
          data-autofocus
          required
          label={t("newKey.name")}
          description={t("newKey.nameHelp")}
          placeholder={t(kind === "tokens" ? "newKey.tokenPlaceholder" : "newKey.namePlaceholder")}
          maxLength={255}
          {...form.getInputProps("name")}
        />
        {kind === "keys" && (
          <Select
            label={t("newKey.role")}
            allowDeselect={false}
            data={(["viewer", "operator", "admin"] as const).map((value) => ({
              value,
              label: t(`newKey.roles.${value}`),
            }))}
            {...form.getInputProps("role")}
          />
        )}
        <Select
          label={t("newKey.expires")}
          allowDeselect={false}
          data={LIFETIMES.map((value) => ({ value, label: t(`newKey.choices.${value}`) }))}
          {...form.getInputProps("lifetime")}
        />
        {form.values.lifetime === "date" && (
          <TextInput type="date" required label={t("newKey.day")} {...form.getInputProps("day")} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t("common:actions.cancel")}
          </Button>
          <Button type="submit" loading={make.isPending}>
            {t("newKey.make")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

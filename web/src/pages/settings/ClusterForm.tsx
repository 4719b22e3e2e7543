import { Button, Group, Modal, Select, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import { ApiError } from "@/api/errors";
import type { ClusterShape, ClusterStatus } from "@/api/schema";
import { useAction } from "@/components/useAction";

const STATUSES: ClusterStatus[] = ["active", "inactive", "maintenance"];

interface Props {
  edited: ClusterShape | "new" | null; // null: closed
  onClose: () => void;
}

/** Makes a cluster, or changes one. */
export function ClusterForm({ edited, onClose }: Props) {
  const { t } = useTranslation(["settings", "common"]);
  const cluster = edited === "new" || edited === null ? null : edited;
  const title = cluster === null ? t("clusters.newTitle") : t("clusters.editTitle", { name: cluster.name });
  return (
    <Modal
      opened={edited !== null}
      onClose={onClose}
      title={title}
      closeButtonProps={{ "aria-label": t("common:actions.close") }}
    >
      <Form cluster={cluster} onClose={onClose} />
    </Modal>
  );
}

function Form({ cluster, onClose }: { cluster: ClusterShape | null; onClose: () => void }) {
  const { t } = useTranslation(["settings", "common"]);
  const form = useForm({
    initialValues: {
      name: cluster?.name ?? "",
      description: cluster?.description ?? "",
      status: cluster?.status ?? ("active" as ClusterStatus),
    },
    validate: { name: (name) => (name.trim() === "" ? t("clusters.nameMissing") : null) },
  });
  const save = useAction(
    (values: typeof form.values) => {
      const told = { ...values, name: values.name.trim() };
      if (cluster === null) {
        const body = { ...told, project_id: "default", configuration: {} };
        return answerOf(api.POST("/api/v1/clusters", { body }));
      }
      const params = { path: { cluster_id: cluster.id } };
      return answerOf(api.PATCH("/api/v1/clusters/{cluster_id}", { params, body: told }));
    },
    {
      done: ({ name }) => t("clusters.saved", { name }),
      refresh: [["clusters"], ["nodes"]],
      onDone: onClose,
    },
  );
  const submit = (values: typeof form.values) =>
    save.mutate(values, {
      onError: (error) => {
        if (error instanceof ApiError && error.field !== undefined)
          form.setFieldError(error.field, error.message);
      },
    });
  return (
    <form noValidate onSubmit={form.onSubmit(submit)}>
      <Stack>
        <TextInput
          data-autofocus
          required
          label={t("clusters.name")}
          maxLength={255}
          {...form.getInputProps("name")}
        />
        <Textarea label={t("clusters.description")} rows={3} {...form.getInputProps("description")} />
        <Select
          label={t("clusters.status")}
          description={t("clusters.statusHelp")}
          allowDeselect={false}
          data={STATUSES.map((value) => ({ value, label: t(`clusters.statuses.${value}`) }))}
          {...form.getInputProps("status")}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common:actions.cancel")}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t("common:actions.save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconEye, IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import type { PagePreview } from "@/api/schema";
import { Failure } from "@/components/Failure";
import { formatBytes, formatDuration } from "@/format";
import { urlProblem } from "./checks";
import { useOption } from "./optionInputs";
import { withScheme } from "./taskRequest";
import { useForm, useProblemText } from "./useCrawlForm";
import type { usePreview } from "./usePreview";

/** The address, and what stands there. */
export function AddressForm({ preview }: { preview: ReturnType<typeof usePreview> }) {
  const { t } = useTranslation("newCrawl");
  const { draft, values, change, touch } = useForm();
  const { shown, set } = useOption("url");
  const inWords = useProblemText();
  const { page, error, isLooking } = preview;
  const url = withScheme(values.url);
  const isAgain = draft.looked !== null && url === draft.looked;
  const refused = error instanceof ApiError && error.field === "url" && isAgain ? error.message : undefined;
  const look = () => {
    touch("url");
    if (url === "" || urlProblem(url) !== null) return;
    if (isAgain) preview.refresh();
    else change({ looked: url });
  };
  const wrong = values.url.trim() !== "" ? urlProblem(values.url) : null;
  return (
    <Stack gap="sm">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          look();
        }}
      >
        <Group align="flex-start" gap="xs">
          <TextInput
            {...shown}
            flex="1 1 16rem"
            type="url"
            inputMode="url"
            autoComplete="off"
            required
            value={values.url}
            error={shown.error ?? refused}
            onChange={(event) => set(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant={isAgain ? "default" : "light"}
            mt={{ base: 0, xs: 44 }}
            loading={isLooking}
            disabled={wrong !== null}
            title={wrong === null ? undefined : inWords(wrong)}
            leftSection={isAgain ? <IconRefresh size={16} /> : <IconEye size={16} />}
          >
            {isAgain ? t("look.again") : t("look.button")}
          </Button>
        </Group>
      </form>
      {draft.looked === null && (
        <Text size="sm" c="dimmed">
          {t("look.intro")}
        </Text>
      )}
      {error !== null && refused === undefined && <Failure error={error} onRetry={preview.refresh} />}
      {page !== undefined && <PageFacts page={page} isChanged={!isAgain} />}
    </Stack>
  );
}

function PageFacts({ page, isChanged }: { page: PagePreview; isChanged: boolean }) {
  const { t, i18n } = useTranslation("newCrawl");
  const { language } = i18n;
  return (
    <Stack gap={4}>
      {isChanged && (
        <Text size="sm" c="dimmed">
          {t("look.changed", { url: page.url })}
        </Text>
      )}
      {page.problem !== null && <Alert color="yellow">{page.problem}</Alert>}
      {page.status !== null && (
        <Group gap="md">
          <Anchor href={page.final_url} target="_blank" rel="noreferrer" size="sm" fw={600}>
            {page.title || t("look.untitled")}
          </Anchor>
          <Text size="sm" c="dimmed">
            {[
              t("look.status", { status: page.status }),
              page.content_type,
              formatBytes(page.bytes, language),
              t("look.links", { count: page.links }),
              t("look.seconds", { time: formatDuration(page.elapsed, language) }),
            ]
              .filter(Boolean)
              .join(" · ")}
          </Text>
        </Group>
      )}
      {page.final_url !== page.url && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {t("look.redirected", { url: page.final_url })}
        </Text>
      )}
      {page.truncated && (
        <Text size="sm" c="dimmed">
          {t("look.truncated")}
        </Text>
      )}
      {page.kind === "json" && <Alert color="blue">{t("look.json")}</Alert>}
      {page.status !== null && page.kind !== "json" && page.outline.length === 0 && page.problem === null && (
        <Alert color="blue">{t("look.noOutline")}</Alert>
      )}
    </Stack>
  );
}

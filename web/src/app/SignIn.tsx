import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import { messageOf } from "@/api/errors";
import { SESSION_KEY } from "@/api/queryClient";
import { LanguagePicker, SchemePicker } from "@/app/Preferences";

export function SignIn() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const form = useForm({
    initialValues: { key: "" },
    validate: { key: (key) => (key.trim() === "" ? t("session.keyMissing") : null) },
  });
  const signIn = useMutation({
    mutationFn: (key: string) => answerOf(api.POST("/api/v1/session", { body: { key } })),
    onSuccess: (session) => client.setQueryData(SESSION_KEY, session),
  });
  useEffect(() => {
    document.title = `${t("session.signIn")} · Crawlmesh`;
  }, [t]);

  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" radius="md" w="100%" maw={420} shadow="sm">
        <form onSubmit={form.onSubmit(({ key }) => signIn.mutate(key.trim()))}>
          <Stack>
            <Title order={1} size="h2">
              {t("product")}
            </Title>
            <Text size="sm">{t("session.intro")}</Text>
            {signIn.isError && (
              <Alert color="red" role="alert">
                {messageOf(signIn.error)}
              </Alert>
            )}
            <PasswordInput
              label={t("session.key")}
              description={t("session.keyHelp")}
              placeholder="cm_…"
              autoComplete="current-password"
              autoFocus
              {...form.getInputProps("key")}
            />
            <Button type="submit" loading={signIn.isPending}>
              {t("session.signIn")}
            </Button>
            <LanguagePicker />
            <SchemePicker />
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}

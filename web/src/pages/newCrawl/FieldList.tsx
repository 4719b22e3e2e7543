import {
  Alert,
  Button,
  Code,
  Group,
  Popover,
  Stack,
  Table,
  Text,
  Title,
  UnstyledButton,
} from "@mantine/core";
import { IconHelpCircle, IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Problems } from "./checks";
import { FieldCard } from "./FieldCard";
import { addField, newField } from "./fields";
import { useForm, useProblemText } from "./useCrawlForm";

const EXAMPLES = [
  ["h2.title", "text"],
  ["a.more::attr(href)", "attribute"],
  ["div.body::html", "html"],
  ["xpath://h2/@id", "xpath"],
  ["re:SKU-(\\d+)", "re"],
  ["jmespath:items[*].name", "jmespath"],
] as const;

/** All fields, with what is wrong with each: told by the form, or by who looked at the page. */
export function FieldList({ seen }: { seen: Problems }) {
  const { t } = useTranslation("newCrawl");
  const form = useForm();
  const inWords = useProblemText();
  const problemOf = (name: string) => {
    const told = seen[name];
    return form.problemOf(name) ?? (told === undefined ? undefined : inWords(told));
  };
  const general = problemOf("fields");
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Title order={3} size="h5">
          {t("fields.title")}
        </Title>
        <SelectorHelp />
      </Group>
      {form.values.fields.length === 0 && (
        <Text size="sm" c="dimmed">
          {t("fields.none")}
        </Text>
      )}
      {general !== undefined && <Alert color="red">{general}</Alert>}
      {form.values.fields.map((field) => (
        <FieldCard key={field.id} field={field} problemOf={problemOf} />
      ))}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} />}
        style={{ alignSelf: "flex-start" }}
        onClick={() => form.setFields((fields) => addField(fields, newField(), null))}
      >
        {t("fields.add")}
      </Button>
    </Stack>
  );
}

function SelectorHelp() {
  const { t } = useTranslation("newCrawl");
  return (
    <Popover width={340} position="bottom-end" withArrow shadow="md">
      <Popover.Target>
        <UnstyledButton fz="xs" c="var(--mantine-color-anchor)">
          <IconHelpCircle size={14} aria-hidden style={{ verticalAlign: "-2px" }} />{" "}
          {t("fields.selectorHints")}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="xs" mb="xs">
          {t("fields.selectorHelp")}
        </Text>
        <Table fz="xs" verticalSpacing={3} horizontalSpacing={4}>
          <Table.Tbody>
            {EXAMPLES.map(([example, meaning]) => (
              <Table.Tr key={example}>
                <Table.Td>
                  <Code>{example}</Code>
                </Table.Td>
                <Table.Td>{t(`hints.${meaning}`)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Popover.Dropdown>
    </Popover>
  );
}

import { ActionIcon, Autocomplete, Button, Group, Input, Stack, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Pair } from "./formValues";
import { useOption } from "./optionInputs";

interface Props {
  name: "headers" | "capabilities" | "min_resources" | "content_features";
  suggestions: string[];
}

/** Names with values, as many as one likes. */
export function PairsOption({ name, suggestions }: Props) {
  const { t } = useTranslation("newCrawl");
  const { value: pairs, set, shown } = useOption(name);
  const { label } = shown;
  const change = (at: number, changes: Partial<Pair>) =>
    set(pairs.map((pair, index) => (index === at ? { ...pair, ...changes } : pair)));
  return (
    <Input.Wrapper {...shown} component="div" labelElement="div" role="group" aria-label={label}>
      <Stack gap={6} mt={6}>
        {pairs.map((pair, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
          <Group key={index} gap={6} wrap="nowrap">
            <Autocomplete
              flex={1}
              size="xs"
              aria-label={t("pairs.name", { label, number: index + 1 })}
              placeholder={t("pairs.namePlaceholder")}
              data={suggestions}
              value={pair.name}
              onChange={(typed) => change(index, { name: typed })}
            />
            <TextInput
              flex={1}
              size="xs"
              aria-label={t("pairs.value", { label, number: index + 1 })}
              placeholder={t("pairs.valuePlaceholder")}
              value={pair.value}
              onChange={(event) => change(index, { value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t("pairs.remove", { label, number: index + 1 })}
              onClick={() => set(pairs.filter((_, at) => at !== index))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: "flex-start" }}
          aria-label={t("pairs.addTo", { label })}
          onClick={() => set([...pairs, { name: "", value: "" }])}
        >
          {t("pairs.add")}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}

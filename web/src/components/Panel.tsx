import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

interface Props {
  title: string;
  order?: 2 | 3;
  description?: ReactNode;
  aside?: ReactNode; // at the right of the title: a control, a value
  children: ReactNode;
}

/** A part of a page under a heading of its own. */
export function Panel({ title, order = 2, description, aside, children }: Props) {
  const id = useId();
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id} miw={0}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Stack gap={0} miw={0}>
            <Title order={order} size={order === 2 ? "h4" : "h5"} id={id}>
              {title}
            </Title>
            {description !== undefined && (
              <Text size="xs" c="dimmed" component="div">
                {description}
              </Text>
            )}
          </Stack>
          {aside}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}

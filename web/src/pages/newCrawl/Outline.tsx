import { Stack, Title, VisuallyHidden } from "@mantine/core";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { OutlineNode } from "@/api/schema";
import { addField, containersOf, freeName } from "./fields";
import { OutlineTree } from "./OutlineTree";
import { containerFor, fieldFor, type Pick, pickedFrom, picksOf } from "./outlineFields";
import type { OutlineRow } from "./outlineRows";
import { PickPanel } from "./PickPanel";
import { useForm } from "./useCrawlForm";

/** The structure of the page, to pick fields from. */
export function Outline({ nodes }: { nodes: OutlineNode[] }) {
  const { t } = useTranslation("newCrawl");
  const { values, setFields } = useForm();
  const { fields } = values;
  const [row, setRow] = useState<OutlineRow | null>(null);
  const [into, setInto] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const picked = useMemo(() => pickedFrom(fields), [fields]);
  const latest = useRef(fields);
  useEffect(() => {
    latest.current = fields;
  }, [fields]);

  const choose = useCallback((chosen: OutlineRow) => {
    setRow(chosen);
    setInto(containerFor(chosen.around, latest.current)?.id ?? null);
  }, []);
  const pick = useCallback(
    (chosen: OutlineRow, wanted: Pick, target: string | null) => {
      const container = containersOf(latest.current).find(({ id }) => id === target);
      const field = fieldFor(
        chosen.node,
        wanted,
        container && (container.origin ?? container.selector.trim()),
      );
      setFields((now) => addField(now, field, container?.id ?? null));
      setSaid(t("pick.added", { name: freeName(field.name, container?.fields ?? latest.current) }));
    },
    [setFields, t],
  );
  const take = useCallback(
    (chosen: OutlineRow) => {
      choose(chosen);
      const likeliest = picksOf(chosen.node)[0];
      const target = containerFor(chosen.around, latest.current)?.id ?? null;
      if (likeliest !== undefined) pick(chosen, likeliest, target);
    },
    [choose, pick],
  );
  const target = containersOf(fields).some(({ id }) => id === into) ? into : null;

  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t("outline.title")}
      </Title>
      <OutlineTree nodes={nodes} picked={picked} chosen={row?.key ?? null} onChoose={choose} onTake={take} />
      <PickPanel
        row={row}
        fields={fields}
        into={target}
        onInto={setInto}
        onPick={(chosen, wanted) => pick(chosen, wanted, target)}
      />
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </Stack>
  );
}

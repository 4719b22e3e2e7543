import { Badge, Text, TextInput, Tooltip, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconChevronRight, IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, memo, useId, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { OutlineNode } from "@/api/schema";
import classes from "./OutlineTree.module.css";
import { matching, type OutlineRow, openAtFirst, rowsOf, stepFrom } from "./outlineRows";

interface Props {
  nodes: OutlineNode[];
  picked: ReadonlySet<string>; // selectors that fields were made of
  chosen: string | null; // key of a row
  onChoose: (row: OutlineRow) => void;
  onTake: (row: OutlineRow) => void; // what is most likely meant
}

/** The elements of a page as a tree, for the mouse and for the keyboard. */
export const OutlineTree = memo(function OutlineTree({ nodes, picked, chosen, onChoose, onTake }: Props) {
  const { t } = useTranslation("newCrawl");
  const [open, setOpen] = useState(() => openAtFirst(nodes));
  const [wanted, setWanted] = useState("");
  const tree = useRef<HTMLDivElement>(null);
  const help = useId();
  const shown = useMemo(() => (wanted.trim() === "" ? undefined : matching(nodes, wanted)), [nodes, wanted]);
  const rows = useMemo(() => rowsOf(nodes, open, shown), [nodes, open, shown]);
  const active = rows.some((row) => row.key === chosen) ? chosen : (rows[0]?.key ?? null);

  const toggle = (key: string, isOpen: boolean) =>
    setOpen((now) => (isOpen ? new Set([...now, key]) : new Set([...now].filter((each) => each !== key))));
  const goTo = (key: string | undefined) => {
    const row = rows.find((each) => each.key === key);
    if (row === undefined) return;
    onChoose(row);
    const element = tree.current?.querySelector<HTMLElement>(`[data-key="${row.key}"]`);
    element?.focus();
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const press = (event: KeyboardEvent) => {
    const row = rows.find((each) => each.key === active);
    if (event.key === "Enter" && row !== undefined) {
      event.preventDefault();
      return onTake(row);
    }
    if (event.key === " " && row !== undefined) {
      event.preventDefault();
      return onChoose(row);
    }
    const step = stepFrom(rows, active, event.key);
    if (step === null) return;
    event.preventDefault();
    if (step.open !== undefined) toggle(step.open, true);
    else if (step.close !== undefined) toggle(step.close, false);
    else goTo(step.to);
  };

  return (
    <div>
      <TextInput
        size="xs"
        mb={6}
        value={wanted}
        onChange={(event) => setWanted(event.currentTarget.value)}
        placeholder={t("outline.find")}
        aria-label={t("outline.find")}
        leftSection={<IconSearch size={14} aria-hidden />}
      />
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t("outline.none")}
        </Text>
      ) : (
        <div
          ref={tree}
          className={classes.tree}
          role="tree"
          aria-label={t("outline.label")}
          aria-describedby={help}
          onKeyDown={press}
        >
          {rows.map((row) => (
            <Row
              key={row.key}
              row={row}
              isActive={row.key === active}
              isChosen={row.key === chosen}
              isPicked={picked.has(row.node.selector)}
              onChoose={onChoose}
              onTake={onTake}
              onToggle={toggle}
            />
          ))}
        </div>
      )}
      <Text id={help} size="xs" c="dimmed" mt={4}>
        {t("outline.help")}
      </Text>
    </div>
  );
});

interface RowProps {
  row: OutlineRow;
  isActive: boolean;
  isChosen: boolean;
  isPicked: boolean;
  onChoose: (row: OutlineRow) => void;
  onTake: (row: OutlineRow) => void;
  onToggle: (key: string, isOpen: boolean) => void;
}

function Row({ row, isActive, isChosen, isPicked, onChoose, onTake, onToggle }: RowProps) {
  const { t } = useTranslation("newCrawl");
  const { node } = row;
  const hasChildren = node.children.length > 0;
  const address = node.attributes.href ?? node.attributes.src ?? node.attributes.content;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree listens to the keys for all of its rows
    <div
      role="treeitem"
      data-key={row.key}
      className={classes.row}
      style={{ paddingInlineStart: row.around.length * 14 }}
      tabIndex={isActive ? 0 : -1}
      aria-level={row.around.length + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={hasChildren ? row.isOpen : undefined}
      aria-selected={isChosen}
      onClick={() => onChoose(row)}
      onDoubleClick={() => onTake(row)}
    >
      <span
        className={`${classes.chevron} ${row.isOpen ? classes.open : ""}`}
        aria-hidden
        onClick={(event) => {
          event.stopPropagation();
          if (hasChildren) onToggle(row.key, !row.isOpen);
        }}
      >
        {hasChildren && <IconChevronRight size={14} />}
      </span>
      <span className={classes.name}>{nameOf(node)}</span>
      {node.count > 1 && (
        <Tooltip label={t("outline.count", { count: node.count })}>
          <Badge size="sm" variant="light" tt="none" style={{ flex: "none" }}>
            ×{node.count}
          </Badge>
        </Tooltip>
      )}
      {isPicked && (
        <>
          <IconCheck size={14} aria-hidden color="var(--mantine-color-green-text)" style={{ flex: "none" }} />
          <VisuallyHidden>{t("outline.picked")}</VisuallyHidden>
        </>
      )}
      <span className={classes.text}>{node.text || address}</span>
    </div>
  );
}

/** `h2.title`, `#main`: what tells it from others at a glance. */
function nameOf(node: OutlineNode): string {
  const marks = node.classes.slice(0, 2).map((name) => `.${name}`);
  return `${node.tag}${node.id === null ? "" : `#${node.id}`}${marks.join("")}`;
}

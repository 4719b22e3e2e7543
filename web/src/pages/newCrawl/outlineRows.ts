/** The rows of an outline that are to be seen: what is unfolded, or what somebody looks for. */
import type { OutlineNode } from "@/api/schema";

const ROWS_AT_FIRST = 40;

export interface OutlineRow {
  key: string; // its place: "1.0.3"
  node: OutlineNode;
  around: OutlineNode[]; // outermost first
  isOpen: boolean;
  position: number; // among its siblings, from 1
  siblings: number;
}

export function rowsOf(
  nodes: OutlineNode[],
  open: ReadonlySet<string>,
  shown?: ReadonlySet<string>,
): OutlineRow[] {
  const rows: OutlineRow[] = [];
  const walk = (siblings: OutlineNode[], start: string, around: OutlineNode[]) => {
    siblings.forEach((node, index) => {
      const key = `${start}${index}`;
      if (shown !== undefined && !shown.has(key)) return;
      const isOpen = node.children.length > 0 && (open.has(key) || hasShown(node, key, shown));
      rows.push({ key, node, around, isOpen, position: index + 1, siblings: siblings.length });
      if (isOpen) walk(node.children, `${key}.`, [...around, node]);
    });
  };
  walk(nodes, "", []);
  return rows;
}

function hasShown(node: OutlineNode, key: string, shown: ReadonlySet<string> | undefined): boolean {
  return shown !== undefined && node.children.some((_, index) => shown.has(`${key}.${index}`));
}

/** Level by level from the outside, as much as one looks over at once. The head is not what people come for. */
export function openAtFirst(nodes: OutlineNode[]): Set<string> {
  const open = new Set<string>();
  let level = nodes.map((node, index) => ({ node, key: `${index}` }));
  let rows = level.length;
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { node, key } of level) {
      if (node.tag === "head" || node.children.length === 0) continue;
      if (rows + node.children.length > ROWS_AT_FIRST && open.size > 0) continue;
      rows += node.children.length;
      open.add(key);
      next.push(...node.children.map((child, index) => ({ node: child, key: `${key}.${index}` })));
    }
    level = next;
  }
  return open;
}

/** The places of elements that show or are called this, and of all around them. */
export function matching(nodes: OutlineNode[], text: string): Set<string> {
  const wanted = text.trim().toLowerCase();
  const found = new Set<string>();
  const walk = (siblings: OutlineNode[], start: string): boolean =>
    siblings
      .map((node, index) => {
        const key = `${start}${index}`;
        const within = walk(node.children, `${key}.`);
        const isFound = within || isMatch(node, wanted);
        if (isFound) found.add(key);
        return isFound;
      })
      .some(Boolean);
  walk(nodes, "");
  return found;
}

/** What an element shows is looked for where it is shown, not in everything around it. */
function isMatch(node: OutlineNode, wanted: string): boolean {
  if (node.selector.toLowerCase().includes(wanted)) return true;
  if (Object.values(node.attributes).some((value) => value.toLowerCase().includes(wanted))) return true;
  return node.children.length === 0 && node.text.toLowerCase().includes(wanted);
}

/** The row to go to from `key` with an arrow key; what to fold or unfold instead. */
export function stepFrom(
  rows: OutlineRow[],
  key: string | null,
  pressed: string,
): { to?: string; open?: string; close?: string } | null {
  const at = rows.findIndex((row) => row.key === key);
  const row = rows[at];
  if (pressed === "Home") return { to: rows[0]?.key };
  if (pressed === "End") return { to: rows.at(-1)?.key };
  if (pressed === "ArrowDown") return { to: rows[Math.min(at + 1, rows.length - 1)]?.key };
  if (pressed === "ArrowUp") return { to: rows[Math.max(at - 1, 0)]?.key };
  if (row === undefined) return null;
  if (pressed === "ArrowRight" && row.node.children.length > 0) {
    return row.isOpen ? { to: rows[at + 1]?.key } : { open: row.key };
  }
  if (pressed === "ArrowLeft") {
    if (row.isOpen) return { close: row.key };
    return { to: row.key.includes(".") ? row.key.slice(0, row.key.lastIndexOf(".")) : row.key };
  }
  return null;
}

import { useLocation, useSearchParams } from "react-router";
import type { KeysetPages } from "@/components/useKeysetPages";

/** Pages by cursor that the address keeps, so that Back works and a page can be shared.
 *
 * Who comes by a shared address does not know the pages before it: going back leads to the first one. */
export function useUrlPages(): KeysetPages {
  const [params, setParams] = useSearchParams();
  const state = useLocation().state as { cursors?: string[] } | null;
  const cursor = params.get("cursor") ?? undefined;
  const known = state?.cursors ?? [];
  const cursors = cursor === undefined ? [] : known.at(-1) === cursor ? known : [cursor];
  const number = cursor === undefined ? 1 : Math.max(2, Number(params.get("page")) || 2);

  const show = (next: string[], page: number) => {
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete("cursor");
        after.delete("page");
        const last = next.at(-1);
        if (last !== undefined) {
          after.set("cursor", last);
          after.set("page", String(page));
        }
        return after;
      },
      { state: { cursors: next } },
    );
  };
  return {
    cursor,
    number,
    next: (following) => show([...cursors, following], number + 1),
    previous: () => show(cursors.slice(0, -1), number - 1),
    first: () => show([], 1),
  };
}

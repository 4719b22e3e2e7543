import { useCallback, useState } from "react";

export interface KeysetPages {
  cursor: string | undefined; // of the page that is shown
  number: number; // from 1 on
  next(cursor: string): void;
  previous(): void;
  first(): void;
}

/** Pages by cursor: forward by what the page before says, backward by what was shown. */
export function useKeysetPages(): KeysetPages {
  const [cursors, setCursors] = useState<string[]>([]);
  return {
    cursor: cursors.at(-1),
    number: cursors.length + 1,
    next: useCallback((cursor: string) => setCursors((shown) => [...shown, cursor]), []),
    previous: useCallback(() => setCursors((shown) => shown.slice(0, -1)), []),
    first: useCallback(() => setCursors([]), []),
  };
}

import type { SubjectShape } from "@/api/schema";

/** Where one can look at what needs attention; null for what has no page of its own. */
export function pageOf({ type, id }: SubjectShape): string | null {
  switch (type) {
    case "node":
      return `/nodes/${encodeURIComponent(id)}`;
    case "task":
    case "filter": // that of a crawl
      return `/tasks/${encodeURIComponent(id)}`;
    case "host":
      return `/hosts?search=${encodeURIComponent(id)}`;
    default:
      return null;
  }
}

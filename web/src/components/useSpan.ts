import { useCallback } from "react";
import { useSearchParams } from "react-router";
import { SPANS, type Span } from "@/components/SpanPicker";

/** How far back the charts of a page look, kept in its address. */
export function useSpan(): [Span, (span: Span) => void] {
  const [params, setParams] = useSearchParams();
  const told = params.get("span");
  const span = SPANS.find((each) => each === told) ?? "15m";
  const choose = useCallback(
    (chosen: Span) =>
      setParams(
        (before) => {
          if (chosen === "15m") before.delete("span");
          else before.set("span", chosen);
          return before;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParams],
  );
  return [span, choose];
}

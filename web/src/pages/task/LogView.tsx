import { type RefObject, useLayoutEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { LogLineShape } from "@/api/schema";
import { formatMoment } from "@/format";
import classes from "@/pages/task/LogView.module.css";

const LINE = 20; // pixels: all lines are as high, so that only those in sight are drawn
const SPARE = 20; // lines above and below what is in sight
const HIGHEST = 560; // pixels
const NEAR_END = 2 * LINE;

interface Props {
  label: string;
  lines: LogLineShape[];
  follow: boolean;
  onFollow: (follow: boolean) => void;
  view: RefObject<HTMLDivElement | null>;
}

/** Lines of a log, however many: only those in sight are in the page. */
export function LogView({ label, lines, follow, onFollow, view }: Props) {
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / LINE) - SPARE);
  const last = Math.min(lines.length, Math.ceil((top + HIGHEST) / LINE) + SPARE);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are what is followed
  useLayoutEffect(() => {
    if (follow && view.current !== null) view.current.scrollTop = view.current.scrollHeight;
  }, [follow, lines, view]);

  return (
    <div
      ref={view}
      className={classes.view}
      style={{ height: Math.min(HIGHEST, lines.length * LINE + LINE) }}
      role="log"
      aria-label={label}
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it can be reached by keyboard
      tabIndex={0}
      onWheel={(event) => event.deltaY < 0 && onFollow(false)}
      onScroll={({ currentTarget }) => {
        setTop(currentTarget.scrollTop);
        const rest = currentTarget.scrollHeight - currentTarget.scrollTop - currentTarget.clientHeight;
        if (follow && rest > NEAR_END && currentTarget.scrollTop < top) onFollow(false);
      }}
    >
      <div style={{ height: lines.length * LINE, position: "relative", minWidth: "max-content" }}>
        <div style={{ position: "absolute", top: first * LINE, left: 0, minWidth: "100%" }}>
          {lines.slice(first, last).map((line) => (
            <Line key={line.id} line={line} />
          ))}
        </div>
      </div>
    </div>
  );
}

function Line({ line }: { line: LogLineShape }) {
  const { i18n } = useTranslation();
  const level = line.level.toUpperCase();
  return (
    <div className={classes.line}>
      <time className={classes.at} dateTime={line.at} title={formatMoment(line.at, i18n.language)}>
        {new Date(line.at).toLocaleTimeString("en-GB")}
      </time>
      <span className={`${classes.level} ${classes[level] ?? ""}`}>{level}</span>
      <span className={classes.at}>{line.node_id}</span>
      <span>{line.message.replaceAll("\n", " ⏎ ")}</span>
    </div>
  );
}

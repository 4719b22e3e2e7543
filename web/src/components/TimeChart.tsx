/** A live chart over time. uPlot draws; this keeps its size, colours and data current. */
import { Box, useComputedColorScheme, useMantineTheme } from "@mantine/core";
import { useMergedRef, useResizeObserver } from "@mantine/hooks";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import classes from "@/components/TimeChart.module.css";

interface LineLook {
  label: string;
  color: string; // of the theme, as in "blue"
}

export interface ChartLine extends LineLook {
  values: (number | null)[];
}

interface Props {
  label: string;
  times: number[]; // Unix seconds
  lines: ChartLine[];
  format: (value: number | null) => string;
  height?: number;
  from?: number; // Unix seconds
  to?: number;
}

export function TimeChart({ label, times, lines, format, height = 160, from, to }: Props) {
  const { i18n } = useTranslation();
  const theme = useMantineTheme();
  const scheme = useComputedColorScheme("light");
  const [observe, { width }] = useResizeObserver<HTMLDivElement>();
  const place = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(observe, place);
  const chart = useRef<uPlot | null>(null);
  const formatNow = useRef(format);
  formatNow.current = format;

  const looks = JSON.stringify(lines.map(({ label, color }) => ({ label, color })));
  const options = useMemo(
    () =>
      chartOptions(
        JSON.parse(looks) as LineLook[],
        theme.colors,
        scheme === "dark",
        (value) => formatNow.current(value),
        i18n.language,
      ),
    [looks, scheme, theme, i18n.language],
  );
  const data = useMemo(
    () => [times, ...lines.map((line) => line.values)] as uPlot.AlignedData,
    [times, lines],
  );
  const newest = useRef(data);
  newest.current = data;

  // The chart is made anew only where its looks change.
  useEffect(() => {
    if (place.current === null || width === 0) return;
    const made = new uPlot({ ...options, width, height }, newest.current, place.current);
    chart.current = made;
    return () => {
      made.destroy();
      chart.current = null;
    };
  }, [options, width, height]);

  useEffect(() => {
    const drawn = chart.current;
    if (drawn === null) return;
    const first = from ?? times[0];
    const last = to ?? times.at(-1);
    drawn.batch(() => {
      drawn.setData(data);
      if (first !== undefined && last !== undefined && last > first)
        drawn.setScale("x", { min: first, max: last });
    });
  }, [data, from, to, times]);

  return (
    <Box className={classes.chart}>
      <div ref={ref} role="img" aria-label={described(label, lines, format)} style={{ minHeight: height }} />
    </Box>
  );
}

/** What a chart shows, for those who do not see it: the newest value of each line. */
export function described(
  label: string,
  lines: ChartLine[],
  format: (value: number | null) => string,
): string {
  const parts = lines.map((line) => `${line.label} ${format(newestOf(line.values))}`);
  return `${label}: ${parts.join(", ")}`;
}

export function newestOf(values: (number | null)[]): number | null {
  return values.findLast((value) => value !== null) ?? null;
}

function chartOptions(
  lines: LineLook[],
  colors: Record<string, readonly string[]>,
  dark: boolean,
  format: (value: number | null) => string,
  language: string,
): Omit<uPlot.Options, "width" | "height"> {
  const ink = dark ? "#c9c9c9" : "#495057";
  const grid = { stroke: dark ? "#373a40" : "#e9ecef", width: 1 };
  return {
    cursor: { points: { size: 6 }, y: false },
    legend: { live: true },
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
    axes: [
      {
        stroke: ink,
        grid,
        ticks: grid,
        size: 32,
        values: (_, moments) => moments.map((each) => clock(each, moments, language)),
      },
      {
        stroke: ink,
        grid,
        ticks: grid,
        size: (_, values) => roomFor(values ?? []),
        values: (_, values) => values.map((value) => format(value)),
      },
    ],
    series: [
      { value: (_, moment) => (moment == null ? "" : new Date(moment * 1000).toLocaleString(language)) },
      ...lines.map((line) => ({
        label: line.label,
        stroke: colors[line.color]?.[dark ? 4 : 7] ?? line.color,
        fill: lines.length === 1 ? `${colors[line.color]?.[5] ?? line.color}22` : undefined,
        width: 1.75,
        points: {
          show: true,
          size: 4,
          filter: (chart: uPlot, line: number) => lonelyOf(chart.data[line] as (number | null)[]),
        },
        // The newest value as long as nobody points at another one.
        value: (chart: uPlot, value: number | null, line: number, at: number | null) =>
          format(at == null ? newestOf(chart.data[line] as (number | null)[]) : value),
      })),
    ],
  };
}

/** Where values have gaps on both sides: no line leads to them, so that they need a dot. */
export function lonelyOf(values: (number | null)[]): number[] {
  const known = (index: number) => values[index] !== null && values[index] !== undefined;
  return [...values.keys()].filter((index) => known(index) && !known(index - 1) && !known(index + 1));
}

/** Pixels that an axis needs for its longest text. */
function roomFor(values: string[]): number {
  const widths = values.map((text) => [...text].reduce((sum, sign) => sum + (sign > "\u2e80" ? 12 : 8), 0));
  return Math.max(40, 18 + Math.max(0, ...widths));
}

/** The time of day; over more than a day, the date. */
function clock(moment: number, all: number[], language: string): string {
  const span = (all.at(-1) ?? moment) - (all[0] ?? moment);
  const style: Intl.DateTimeFormatOptions =
    span > 86_400 ? { month: "numeric", day: "numeric" } : { hour: "2-digit", minute: "2-digit" };
  return new Intl.DateTimeFormat(language, style).format(new Date(moment * 1000));
}

/** A uPlot that draws nothing and remembers its data. For `vi.mock("uplot", () => import("@/test/fakeCharts"))`. */
import { onTestFinished, vi } from "vitest";

type Data = (number | null)[][];

interface Options {
  series: { label?: string }[];
}

export default class FakeChart {
  static all: FakeChart[] = [];

  /** Gives elements a width for one test, since charts are made only where there is room. */
  static install(): void {
    FakeChart.all = [];
    vi.stubGlobal("ResizeObserver", RoomyObserver);
    onTestFinished(() => void vi.unstubAllGlobals());
  }

  /** The chart on the page that has this line. */
  static withLine(label: string): FakeChart {
    const found = FakeChart.all.find((chart) => chart.labels.includes(label));
    if (found === undefined) throw new Error(`no chart has a line ${label}`);
    return found;
  }

  range: { min: number; max: number } | null = null;

  constructor(
    readonly options: Options,
    public data: Data,
  ) {
    FakeChart.all.push(this);
  }

  get labels(): string[] {
    return this.options.series.flatMap(({ label }) => label ?? []);
  }

  /** The values of a line. */
  values(label: string): (number | null)[] {
    return this.data[this.options.series.findIndex((line) => line.label === label)] ?? [];
  }

  batch(work: () => void): void {
    work();
  }

  setData(data: Data): void {
    this.data = data;
  }

  setScale(_: string, range: { min: number; max: number }): void {
    this.range = range;
  }

  destroy(): void {
    FakeChart.all = FakeChart.all.filter((chart) => chart !== this);
  }
}

class RoomyObserver {
  constructor(private readonly told: ResizeObserverCallback) {}

  observe(target: Element): void {
    const contentRect = { x: 0, y: 0, width: 600, height: 160, top: 0, left: 0, bottom: 160, right: 600 };
    this.told([{ target, contentRect } as unknown as ResizeObserverEntry], this as unknown as ResizeObserver);
  }

  unobserve(): void {}

  disconnect(): void {}
}

/** One chart of uPlot, and the same numbers as a table. Charts of a run share one axis of time. */

import type {JSX} from "preact";
import {useEffect, useRef, useState} from "preact/hooks";
import uPlot from "uplot";
import {brief, duration} from "../core/format";
import {color} from "../core/theme";
import type {Gap} from "../core/feedline";
import {Columns} from "../ui/parts";

export interface Line {
  name: string;
  values: (number | null)[];
  color: string; // a name of the style sheet
  dash?: number[];
}

export interface ChartData {
  title: string;
  unit: string;
  t: number[];
  lines: Line[];
  /** Seconds of the run when nobody answered. */
  gaps?: Gap[];
}

interface Props {
  data: ChartData;
  sync?: string;
  onRange?: (range: [number, number] | null) => void;
  range?: [number, number] | null;
}

const HEIGHT = 150;

export function Chart({data, sync = "run", onRange, range = null}: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const gaps = useRef<Gap[]>([]);
  const ranged = useRef(onRange);
  const [isTable, setTable] = useState(false);
  const [round, again] = useState(0);
  gaps.current = data.gaps ?? [];
  ranged.current = onRange;
  const shape = JSON.stringify([data.lines.map((line) => [line.name, line.color]), isTable, round]);

  useEffect(() => {
    const element = box.current;
    if (!element || isTable) return;
    const made = new uPlot(options(data, element.clientWidth, sync, gaps, ranged), columns(data), element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({width: element.clientWidth, height: HEIGHT}));
    observer.observe(element);
    const recolor = (): void => again((before) => before + 1);
    addEventListener("tsvc-theme", recolor);
    return () => {
      observer.disconnect();
      removeEventListener("tsvc-theme", recolor);
      made.destroy();
      plot.current = null;
    };
    // A new plot for new lines; new numbers go into the old one, below.
  }, [shape]);

  useEffect(() => {
    plot.current?.setData(columns(data), range === null);
    if (range) plot.current?.setScale("x", {min: range[0], max: range[1]});
  }, [data, range]);

  const last = data.lines.map((line) => `${line.name} ${brief(line.values.findLast((one) => one !== null))}`);
  return (
    <figure class="chart">
      <figcaption>
        <b>{data.title}</b> <small>{data.unit}</small>
        <span class="legend">
          {data.lines.map((line) => (
            <span key={line.name}>
              <i class={line.dash ? "dashed" : ""} style={{borderColor: `var(--${line.color})`}} /> {line.name}
            </span>
          ))}
        </span>
        <button type="button" class="link" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? "chart" : "table"}
        </button>
      </figcaption>
      {isTable ? (
        <Table data={data} />
      ) : (
        <div ref={box} role="img" aria-label={`${data.title}, ${data.unit}: ${last.join(", ")}`} />
      )}
    </figure>
  );
}

function columns(data: ChartData): uPlot.AlignedData {
  return [data.t, ...data.lines.map((line) => line.values)];
}

function options(
  data: ChartData,
  width: number,
  sync: string,
  gaps: {current: Gap[]},
  ranged: {current: ((range: [number, number] | null) => void) | undefined},
): uPlot.Options {
  const [ink, grid] = [color("faint"), color("grid")];
  const axis = {stroke: ink, grid: {stroke: grid, width: 1}, ticks: {stroke: grid, width: 1}, font: "11px system-ui"};
  return {
    width: Math.max(width, 100),
    height: HEIGHT,
    legend: {show: false},
    cursor: {sync: {key: sync}, drag: {x: true, y: false, setScale: false}},
    scales: {x: {time: false}, y: {range: (_plot, low, high) => [Math.min(0, low ?? 0), (high ?? 0) > 0 ? (high ?? 0) * 1.08 : 1]}},
    axes: [
      {...axis, size: 24, values: (_plot, marks) => marks.map((mark) => duration(mark))},
      {...axis, size: 54, values: (_plot, marks) => marks.map((mark) => brief(mark))},
    ],
    series: [
      {},
      ...data.lines.map((line) => ({
        label: line.name,
        stroke: color(line.color),
        width: 1.5,
        spanGaps: false,
        points: {show: false},
        ...(line.dash ? {dash: line.dash} : {}),
      })),
    ],
    hooks: {
      drawClear: [(plot: uPlot) => shade(plot, gaps.current)],
      setSelect: [
        (plot: uPlot) => {
          const [left, size] = [plot.select.left, plot.select.width];
          if (size < 3) return;
          ranged.current?.([plot.posToVal(left, "x"), plot.posToVal(left + size, "x")]);
          plot.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        },
      ],
    },
  };
}

/** Shades the times when nobody answered. */
function shade(plot: uPlot, gaps: readonly Gap[]): void {
  const {ctx, bbox} = plot;
  ctx.save();
  ctx.fillStyle = color("gap");
  for (const gap of gaps) {
    const left = Math.max(plot.valToPos(gap.from, "x", true), bbox.left);
    const end = gap.to === null ? bbox.left + bbox.width : plot.valToPos(gap.to, "x", true);
    const right = Math.min(end, bbox.left + bbox.width);
    if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
  ctx.restore();
}

const MOST_ROWS = 60;

function Table({data}: {data: ChartData}): JSX.Element {
  const first = Math.max(0, data.t.length - MOST_ROWS);
  const rows = data.t.slice(first).map((t, index) => ({t, at: first + index}));
  const names = data.lines.map((line) => line.name);
  return (
    <div class="scroll chart-table" tabIndex={0} role="region" aria-label={`${data.title} as a table`}>
      <table>
        <caption>{first ? `the last ${MOST_ROWS} of ${data.t.length} points` : `${data.t.length} points`}</caption>
        <Columns names={["at", ...names]} numbers={["at", ...names]} />
        <tbody>
          {rows.map(({t, at}) => (
            <tr key={at}>
              <td class="number">{duration(t)}</td>
              {data.lines.map((line) => (
                <td class="number" key={line.name}>{brief(line.values[at])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

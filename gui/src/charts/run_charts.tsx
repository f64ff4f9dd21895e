/** The charts of a run, on one axis of time. */

import type {JSX} from "preact";
import {useMemo, useState} from "preact/hooks";
import type {Gap} from "../core/feedline";
import {duration} from "../core/format";
import {Chart, type ChartData} from "./chart";
import {type Buckets, perSecond, type Samples, sum, withGaps} from "./series";

interface Props {
  buckets: Buckets;
  samples: Samples;
  gaps: Gap[]; // wall times
  begun: number | null;
}

export function RunCharts({buckets, samples, gaps, begun}: Props): JSX.Element {
  const [range, setRange] = useState<[number, number] | null>(null);
  const last = buckets.t.at(-1) ?? 0;
  const charts = useMemo(
    () => chartsOf(buckets, samples, begun === null ? [] : gaps.map((gap) => inRun(gap, begun))),
    // Columns are filled in place: what tells a change are their lengths and last points.
    [buckets, samples, gaps, begun, buckets.t.length, samples.t.length, last],
  );
  const {columns} = buckets;
  return (
    <div class="charts">
      <p class="sums">
        In these charts: {sum(columns.started)} started, {sum(columns.finished)} finished, {sum(columns.failed)} failed,{" "}
        {sum(columns.aborted)} aborted.{" "}
        {range ? (
          <button type="button" class="link" onClick={() => setRange(null)}>
            {duration(range[0])} to {duration(range[1])}: show all
          </button>
        ) : (
          "Drag over a chart to look closer."
        )}
      </p>
      {charts.map((data) => (
        <Chart key={data.title} data={data} range={range} onRange={setRange} />
      ))}
    </div>
  );
}

function inRun(gap: Gap, begun: number): Gap {
  return {from: gap.from - begun, to: gap.to === null ? null : gap.to - begun};
}

function chartsOf(buckets: Buckets, samples: Samples, gaps: Gap[]): ChartData[] {
  const {t, spread} = withGaps(buckets);
  const {columns} = buckets;
  const joined = joinedTimes(t, samples.t);
  const bucketed = (values: (number | null)[]): (number | null)[] => joined.first(spread(values));
  const sampled = (values: (number | null)[]): (number | null)[] => joined.second(values);
  const looked: ChartData[] = samples.t.length
    ? [
        {
          title: "Lateness of starts so far",
          unit: "ms",
          t: samples.t,
          gaps,
          lines: [
            {name: "p50", values: samples.columns.late_p50, color: "line-1"},
            {name: "p99", values: samples.columns.late_p99, color: "line-2"},
          ],
        },
        {
          title: "Response and service so far",
          unit: "ms",
          t: samples.t,
          gaps,
          lines: [
            {name: "response p50", values: samples.columns.response_p50, color: "line-1"},
            {name: "response p99", values: samples.columns.response_p99, color: "line-2"},
            {name: "service p50", values: samples.columns.service_p50, color: "line-1", dash: [4, 3]},
            {name: "service p99", values: samples.columns.service_p99, color: "line-2", dash: [4, 3]},
          ],
        },
      ]
    : [];
  return [
    {
      title: "Rate",
      unit: "per second",
      t: joined.t,
      gaps,
      lines: [
        {name: "started", values: bucketed(perSecond(buckets, "started")), color: "line-1"},
        {name: "finished", values: bucketed(perSecond(buckets, "finished")), color: "line-3"},
        {name: "asked", values: sampled(samples.columns.asked), color: "line-2", dash: [4, 3]},
      ],
    },
    {title: "In progress", unit: "instances", t, gaps, lines: [{name: "in progress", values: spread(columns.in_progress), color: "line-1"}]},
    {
      title: "Duration of those that ended",
      unit: "ms",
      t,
      gaps,
      lines: [
        {name: "p99", values: spread(columns.p99_ms), color: "line-1"},
        {name: "longest", values: spread(columns.max_ms), color: "line-2"},
      ],
    },
    ...looked,
    {
      title: "Failed and aborted",
      unit: "per second",
      t,
      gaps,
      lines: [
        {name: "failed", values: spread(perSecond(buckets, "failed")), color: "bad"},
        {name: "aborted", values: spread(perSecond(buckets, "aborted")), color: "abort", dash: [4, 3]},
      ],
    },
  ];
}

interface Joined {
  t: number[];
  first: (values: (number | null)[]) => (number | null)[];
  second: (values: (number | null)[]) => (number | null)[];
}

/** Joins two axes of time. A line is drawn through the other one's moments: by its latest value. */
function joinedTimes(one: readonly number[], other: readonly number[]): Joined {
  const t = [...new Set([...one, ...other])].sort((a, b) => a - b);
  const carried = (times: readonly number[]) => (values: (number | null)[]) => {
    let at = -1;
    return t.map((moment) => {
      while (at + 1 < times.length && (times[at + 1] ?? 0) <= moment) at += 1;
      const isAfter = at === times.length - 1 && moment > (times[at] ?? 0);
      return at < 0 || isAfter ? null : (values[at] ?? null);
    });
  };
  return {t, first: carried(one), second: carried(other)};
}

/**
 * A run over time, as columns of at most MOST points however long it is: what the worker keeps and
 * charts draw. Points that are made one add up, so that sums stay those of the run.
 */

import {listAt, numberAt, objectAt, type JsonObject} from "../core/json";

export const MOST = 2000;
const RECENT = 200; // points at the end that are never joined: the daemon sends them again

export const BUCKET_COLUMNS = ["started", "finished", "failed", "aborted", "in_progress", "max_ms", "p99_ms"] as const;
export const SAMPLE_COLUMNS = [
  "asked",
  "late_p50",
  "late_p99",
  "response_p50",
  "response_p99",
  "service_p50",
  "service_p99",
] as const;

/** Columns of equal length; `t` and `width` in seconds, from the start of the run. */
export interface Buckets {
  t: number[];
  width: number[];
  columns: Record<(typeof BUCKET_COLUMNS)[number], number[]>;
}

/** What was seen at a moment `t`; null where nothing is known, or where nobody looked. */
export interface Samples {
  t: number[];
  columns: Record<(typeof SAMPLE_COLUMNS)[number], (number | null)[]>;
}

export function noBuckets(): Buckets {
  return {t: [], width: [], columns: columnsOf(BUCKET_COLUMNS)};
}

export function noSamples(): Samples {
  return {t: [], columns: columnsOf(SAMPLE_COLUMNS)};
}

function columnsOf<Name extends string>(names: readonly Name[]): Record<Name, never[]> {
  return Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, never[]>;
}

/** Puts buckets of QueryTest in place of those that began with the first of them, or later. */
export function fold(into: Buckets, run: JsonObject, isFull: boolean): void {
  const given = listAt(run, "buckets");
  const width = numberAt(run, "bucket_s") ?? 1;
  const first = isFull ? -Infinity : given.length ? (numberAt(given[0], "t") ?? 0) : Infinity;
  let keep = into.t.length;
  while (keep > 0 && (into.t[keep - 1] ?? 0) >= first) keep -= 1;
  cut(into, keep);
  for (const one of given) {
    into.t.push(numberAt(one, "t") ?? 0);
    into.width.push(width);
    into.columns.started.push(numberAt(one, "num_calls_started") ?? 0);
    into.columns.finished.push(numberAt(one, "num_calls_finished") ?? 0);
    for (const name of ["failed", "aborted", "in_progress", "max_ms", "p99_ms"] as const) {
      into.columns[name].push(numberAt(one, name) ?? 0);
    }
  }
  while (into.t.length > MOST) join(into);
}

function cut(into: Buckets, length: number): void {
  into.t.length = into.width.length = length;
  for (const name of BUCKET_COLUMNS) into.columns[name].length = length;
}

/** Makes one of each two of the older points. */
function join(into: Buckets): void {
  const end = Math.max(2, into.t.length - RECENT) & ~1;
  let to = 0;
  for (let at = 0; at < into.t.length; at += 1, to += 1) {
    const next = at + 1 < end ? at + 1 : at;
    into.t[to] = into.t[at] ?? 0;
    into.width[to] = next > at ? (into.t[next] ?? 0) + (into.width[next] ?? 0) - (into.t[at] ?? 0) : (into.width[at] ?? 1);
    for (const name of BUCKET_COLUMNS) {
      const column = into.columns[name];
      const [one, other] = [column[at] ?? 0, column[next] ?? 0];
      if (next === at) column[to] = one;
      else if (name === "in_progress") column[to] = other;
      else if (name === "max_ms" || name === "p99_ms") column[to] = Math.max(one, other);
      else column[to] = one + other;
    }
    at = next;
  }
  cut(into, to);
}

/** Adds what a look showed at `t`; `isAfterGap`: nobody looked before, so no line leads there. */
export function sample(into: Samples, t: number, run: JsonObject, isAfterGap: boolean): void {
  if (isAfterGap && into.t.length) push(into, t - 0.001, {});
  const lateness = objectAt(objectAt(run, "rate"), "lateness_ms");
  const latency = objectAt(run, "latency");
  const response = objectAt(latency, "response");
  const service = objectAt(latency, "service");
  const has = (numberAt(response, "count") ?? 0) > 0;
  push(into, t, {
    asked: numberAt(objectAt(run, "plan"), "current_cps"),
    late_p50: numberAt(lateness, "p50"),
    late_p99: numberAt(lateness, "p99"),
    response_p50: has ? numberAt(response, "p50_ms") : null,
    response_p99: has ? numberAt(response, "p99_ms") : null,
    service_p50: has ? numberAt(service, "p50_ms") : null,
    service_p99: has ? numberAt(service, "p99_ms") : null,
  });
  if (into.t.length > MOST) halve(into);
}

function push(into: Samples, t: number, values: Partial<Record<(typeof SAMPLE_COLUMNS)[number], number | null>>): void {
  into.t.push(t);
  for (const name of SAMPLE_COLUMNS) into.columns[name].push(values[name] ?? null);
}

/** Leaves out every second of the older samples, but none that marks a gap. */
function halve(into: Samples): void {
  const end = into.t.length - RECENT;
  const kept: number[] = [];
  for (let at = 0; at < into.t.length; at += 1) {
    const isGap = SAMPLE_COLUMNS.every((name) => into.columns[name][at] === null);
    if (at >= end || at % 2 === 0 || isGap) kept.push(at);
  }
  const some = kept.length < into.t.length ? kept : kept.slice(1);
  into.t = some.map((at) => into.t[at] ?? 0);
  for (const name of SAMPLE_COLUMNS) into.columns[name] = some.map((at) => into.columns[name][at] ?? null);
}

export function sum(column: readonly number[]): number {
  return column.reduce((total, one) => total + one, 0);
}

/** Returns a column per second; null between two points that do not touch, so that a gap is one. */
export function perSecond(buckets: Buckets, name: (typeof BUCKET_COLUMNS)[number]): (number | null)[] {
  return buckets.columns[name].map((value, at) => value / Math.max(buckets.width[at] ?? 1, 1e-9));
}

/** Returns t with a place more in each gap, and what puts null there in a column. */
export function withGaps(buckets: Buckets): {t: number[]; spread: (column: readonly (number | null)[]) => (number | null)[]} {
  const places: number[] = [];
  const t: number[] = [];
  buckets.t.forEach((at, index) => {
    const before = index ? (buckets.t[index - 1] ?? 0) + (buckets.width[index - 1] ?? 0) : at;
    if (at > before + 1e-6) {
      places.push(index);
      t.push(before);
    }
    t.push(at);
  });
  const spread = (column: readonly (number | null)[]): (number | null)[] => {
    const found: (number | null)[] = [];
    let next = 0;
    column.forEach((value, index) => {
      if (places[next] === index) {
        found.push(null);
        next += 1;
      }
      found.push(value);
    });
    return found;
  };
  return {t, spread};
}

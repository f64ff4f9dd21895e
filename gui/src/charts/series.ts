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
  if (into.t.length > MOST) join(into);
}

function cut(into: Buckets, length: number): void {
  into.t.length = into.width.length = length;
  for (const name of BUCKET_COLUMNS) into.columns[name].length = length;
}

/**
 * Returns how long the stretches are that old points become one in: the same for all of them,
 * so that the beginning of a long run is no coarser than what followed it.
 */
function stretchOf(t: readonly number[], old: number): number {
  const span = (t[old - 1] ?? 0) - (t[0] ?? 0);
  return 2 ** Math.ceil(Math.log2(Math.max(span, 1) / (MOST / 2)));
}

/** Makes one of the older points that are of one stretch of time. */
function join(into: Buckets): void {
  const old = into.t.length - RECENT;
  const stretch = stretchOf(into.t, old);
  let to = -1;
  for (let at = 0; at < into.t.length; at += 1) {
    const [t, width] = [into.t[at] ?? 0, into.width[at] ?? 1];
    const begun = into.t[to] ?? 0;
    if (to >= 0 && at < old && Math.floor(begun / stretch) === Math.floor(t / stretch)) {
      into.width[to] = t + width - begun;
      for (const name of BUCKET_COLUMNS) {
        const column = into.columns[name];
        const [one, other] = [column[to] ?? 0, column[at] ?? 0];
        if (name === "in_progress") column[to] = other;
        else if (name === "max_ms" || name === "p99_ms") column[to] = Math.max(one, other);
        else column[to] = one + other;
      }
      continue;
    }
    to += 1;
    into.t[to] = t;
    into.width[to] = width;
    for (const name of BUCKET_COLUMNS) into.columns[name][to] = into.columns[name][at] ?? 0;
  }
  cut(into, to + 1);
}

/**
 * Adds what a look showed at `t`; `isAfterGap`: nobody looked before, so no line leads there.
 * Times only grow: what was seen no later than the last is known.
 */
export function sample(into: Samples, t: number, run: JsonObject, isAfterGap: boolean): void {
  const last = into.t.at(-1);
  if (last !== undefined && t <= last) return;
  if (isAfterGap && last !== undefined) push(into, (last + t) / 2, {});
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
  if (into.t.length > MOST) thin(into);
}

function push(into: Samples, t: number, values: Partial<Record<(typeof SAMPLE_COLUMNS)[number], number | null>>): void {
  into.t.push(t);
  for (const name of SAMPLE_COLUMNS) into.columns[name].push(values[name] ?? null);
}

/** Leaves of the older samples one in each stretch of time, and what marks a gap. */
function thin(into: Samples): void {
  const old = into.t.length - RECENT;
  const stretch = stretchOf(into.t, old);
  const kept: number[] = [];
  let before = -Infinity;
  for (let at = 0; at < into.t.length; at += 1) {
    const place = Math.floor((into.t[at] ?? 0) / stretch);
    const isGap = SAMPLE_COLUMNS.every((name) => into.columns[name][at] === null);
    if (at < old && !isGap && place === before) continue;
    if (!isGap) before = place;
    kept.push(at);
  }
  const some = kept.slice(-MOST);
  into.t = some.map((at) => into.t[at] ?? 0);
  for (const name of SAMPLE_COLUMNS) into.columns[name] = some.map((at) => into.columns[name][at] ?? null);
}

export function sum(column: readonly number[]): number {
  return column.reduce((total, one) => total + one, 0);
}

/** Returns a column per second. */
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

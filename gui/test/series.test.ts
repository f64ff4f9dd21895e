import assert from "node:assert/strict";
import {test} from "node:test";
import {BUCKET_COLUMNS, type Buckets, fold, MOST, noBuckets, noSamples, perSecond, sample, sum, withGaps} from "../src/charts/series";
import type {JsonObject} from "../src/core/json";
import {Chance} from "./support";

const SUMS = ["started", "finished", "failed", "aborted"] as const;

function bucket(chance: Chance, t: number): JsonObject {
  return {
    t,
    num_calls_started: chance.whole(5000),
    num_calls_finished: chance.whole(5000),
    failed: chance.whole(9),
    aborted: chance.whole(3),
    in_progress: chance.whole(100),
    max_ms: chance.whole(9000) / 8,
    p99_ms: chance.whole(8000) / 8,
  };
}

function buckets(chance: Chance, count: number, width = 1, from = 0): JsonObject[] {
  return Array.from({length: count}, (_, index) => bucket(chance, from + index * width));
}

function of(given: readonly JsonObject[], name: string): number[] {
  return given.map((one) => Number(one[name]));
}

function total(given: readonly JsonObject[], name: string): number {
  return sum(of(given, name));
}

/** Fails unless the points say of the whole what the buckets say, and stand in order. */
function saysTheSame(found: Buckets, given: readonly JsonObject[], width: number): void {
  assert.ok(found.t.length <= MOST, `${found.t.length} points`);
  assert.equal(sum(found.columns.started), total(given, "num_calls_started"));
  assert.equal(sum(found.columns.finished), total(given, "num_calls_finished"));
  assert.equal(sum(found.columns.failed), total(given, "failed"));
  assert.equal(sum(found.columns.aborted), total(given, "aborted"));
  assert.equal(Math.max(...found.columns.max_ms), Math.max(...of(given, "max_ms")));
  assert.equal(Math.max(...found.columns.p99_ms), Math.max(...of(given, "p99_ms")));
  assert.equal(found.columns.in_progress.at(-1), given.at(-1)?.["in_progress"]);
  for (const name of BUCKET_COLUMNS) assert.equal(found.columns[name].length, found.t.length);
  assert.equal(found.width.length, found.t.length);
  found.t.forEach((t, at) => {
    if (at) assert.equal(t, (found.t[at - 1] ?? 0) + (found.width[at - 1] ?? 0));
  });
  assert.equal((found.t.at(-1) ?? 0) + (found.width.at(-1) ?? 0), Number(given.at(-1)?.["t"]) + width);
}

test("few buckets come out as they came in", () => {
  const given = buckets(new Chance(21), 50, 2);
  const found = noBuckets();
  fold(found, {bucket_s: 2, buckets: given}, true);
  assert.deepEqual(found.t, of(given, "t"));
  assert.deepEqual(found.columns.started, of(given, "num_calls_started"));
  assert.deepEqual(found.columns.in_progress, of(given, "in_progress"));
  assert.deepEqual(perSecond(found, "failed"), of(given, "failed").map((one) => one / 2));
  saysTheSame(found, given, 2);
});

test("a second after the other for 100,000 s: sums never change, 2000 points at most", () => {
  const chance = new Chance(22);
  const given: JsonObject[] = [];
  const found = noBuckets();
  const sums = {started: 0, finished: 0, failed: 0, aborted: 0};
  for (let t = 0; t < 100_000; t += 1) {
    // The last bucket was not complete: it is sent again, and sometimes more of them.
    const again = t ? 1 + (chance.is(0.01) ? chance.whole(Math.min(t, 150)) : 0) : 0;
    for (const one of given.slice(t - again)) {
      for (const name of SUMS) sums[name] -= Number(one[name === "started" || name === "finished" ? `num_calls_${name}` : name]);
    }
    given.splice(t - again, again, ...buckets(chance, again, 1, t - again));
    given.push(bucket(chance, t));
    const sent = given.slice(t - again);
    for (const one of sent) {
      for (const name of SUMS) sums[name] += Number(one[name === "started" || name === "finished" ? `num_calls_${name}` : name]);
    }
    fold(found, {bucket_s: 1, buckets: sent}, false);
    if (t % 500 && t < 99_999) continue;
    for (const name of SUMS) assert.equal(sum(found.columns[name]), sums[name], `${name} at ${t}`);
    assert.ok(found.t.length <= MOST);
  }
  saysTheSame(found, given, 1);
});

test("100,000 buckets at once", () => {
  const given = buckets(new Chance(23), 100_000, 4);
  const found = noBuckets();
  fold(found, {bucket_s: 4, buckets: given}, true);
  saysTheSame(found, given, 4);
  fold(found, {bucket_s: 4, buckets: given.slice(0, 10)}, true);
  saysTheSame(found, given.slice(0, 10), 4);
});

test("the beginning of a long run is no coarser than its middle", () => {
  const given = buckets(new Chance(24), 30_000);
  const found = noBuckets();
  given.forEach((one) => fold(found, {bucket_s: 1, buckets: [one]}, false));
  const widest = Math.max(...found.width);
  assert.ok(widest <= 64, `points of ${widest} s`);
  assert.ok((found.width[0] ?? 0) === widest && found.width.at(-150) === 1);
});

test("buckets that have become twice as long are sent whole", () => {
  const chance = new Chance(25);
  const found = noBuckets();
  fold(found, {bucket_s: 1, buckets: buckets(chance, 600)}, true);
  const longer = buckets(chance, 301, 2);
  fold(found, {bucket_s: 2, buckets: longer}, true);
  saysTheSame(found, longer, 2);
  assert.deepEqual(found.t, of(longer, "t"));
});

test("without buckets: a full event says that there are none, another says nothing", () => {
  const given = buckets(new Chance(26), 5);
  const found = noBuckets();
  fold(found, {buckets: given}, true);
  fold(found, {}, false);
  saysTheSame(found, given, 1);
  fold(found, {buckets: []}, true);
  assert.deepEqual(found, noBuckets());
});

test("a gap has a place of its own, with nothing in it", () => {
  const chance = new Chance(27);
  const found = noBuckets();
  fold(found, {bucket_s: 1, buckets: [...buckets(chance, 3), ...buckets(chance, 2, 1, 10), bucket(chance, 20)]}, true);
  const {t, spread} = withGaps(found);
  assert.deepEqual(t, [0, 1, 2, 3, 10, 11, 12, 20]);
  assert.deepEqual(spread([1, 2, 3, 4, 5, 6]), [1, 2, 3, null, 4, 5, null, 6]);
  const whole = noBuckets();
  fold(whole, {bucket_s: 0.1, buckets: buckets(chance, 50, 0.1)}, true);
  assert.deepEqual(withGaps(whole).t, whole.t);
  assert.deepEqual(withGaps(noBuckets()).t, []);
});

function look(asked: number | null, count = 1): JsonObject {
  return {
    plan: asked === null ? {} : {current_cps: asked},
    rate: {lateness_ms: {p50: 1, p99: 2}},
    latency: {response: {count, p50_ms: 3, p99_ms: 4}, service: {count, p50_ms: 5, p99_ms: 6}},
  };
}

test("samples: what was seen, and null where nothing is known", () => {
  const found = noSamples();
  sample(found, 1, look(10), false);
  sample(found, 2, look(null, 0), false);
  assert.deepEqual(found.t, [1, 2]);
  assert.deepEqual(found.columns.asked, [10, null]);
  assert.deepEqual(found.columns.late_p99, [2, 2]);
  assert.deepEqual(found.columns.response_p50, [3, null]);
  assert.deepEqual(found.columns.service_p99, [6, null]);
});

test("samples after a gap: nothing stands in between", () => {
  const found = noSamples();
  sample(found, 1, look(10), true);
  assert.deepEqual(found.t, [1]);
  sample(found, 9, look(20), true);
  assert.equal(found.t.length, 3);
  assert.deepEqual(found.columns.asked, [10, null, 20]);
  sample(found, 9.0004, look(30), true);
  assert.deepEqual([...found.t].sort((one, other) => one - other), found.t);
});

test("samples of what was seen before are not taken", () => {
  const found = noSamples();
  for (const t of [5, 5, 4, 6, 3]) sample(found, t, look(t), false);
  assert.deepEqual(found.columns.asked, [5, 6]);
});

test("samples of a long run: 2000 at most, each as it was seen, gaps kept, no part forgotten", () => {
  const chance = new Chance(28);
  const found = noSamples();
  let gaps = 0;
  let t = 0;
  for (let at = 0; at < 30_000; at += 1) {
    const isAfterGap = at > 0 && chance.is(0.002);
    t += isAfterGap ? 40 : 1;
    gaps += isAfterGap ? 1 : 0;
    sample(found, t, look(t), isAfterGap);
    assert.ok(found.t.length <= MOST);
  }
  assert.equal(found.columns.asked.filter((one) => one === null).length, gaps);
  found.t.forEach((one, at) => {
    assert.ok(found.columns.asked[at] === null || found.columns.asked[at] === one);
    if (!at) return;
    const distance = one - (found.t[at - 1] ?? 0);
    assert.ok(distance > 0 && distance < 2 * 128, `${distance} s`);
  });
});

import assert from "node:assert/strict";
import {test} from "node:test";
import {down, isFinal, keyOf, nothing, take, topicOf, type TopicState} from "../src/core/feedline";
import type {JsonObject} from "../src/core/json";
import {Chance} from "./support";

const BEGUN = 1_700_000_000;

function bucketAt(t: number): JsonObject {
  return {t, num_calls_started: 10 + t, num_calls_finished: 9, failed: 0, aborted: 0, in_progress: t, max_ms: 2, p99_ms: 1};
}

function run(t: number, first: number, more: JsonObject = {}): JsonObject {
  const buckets = Array.from({length: t - first + 1}, (_, index) => bucketAt(first + index));
  return {time_start: [BEGUN, 0], bucket_s: 1, buckets, completed: 0, rate: {lateness_ms: {p50: t, p99: t}}, plan: {current_cps: 5}, ...more};
}

function event(t: number, more: JsonObject): JsonObject {
  return {at: BEGUN + t, up: true, ...more};
}

function state(): TopicState {
  return nothing({daemon: "d", run: "r"});
}

/** Fails unless all that a state shows was said by an event. */
function isSaid(found: TopicState): void {
  found.buckets.t.forEach((t, at) => {
    assert.equal(found.buckets.columns.started[at], 10 + t);
    assert.equal(found.buckets.columns.in_progress[at], t);
    if (at) assert.ok(t > (found.buckets.t[at - 1] ?? 0));
  });
  found.samples.t.forEach((t, at) => {
    const late = found.samples.columns.late_p50[at];
    assert.ok(late === null || late === t, `${late} at ${t}`);
    if (at) assert.ok(t > (found.samples.t[at - 1] ?? 0));
  });
  for (const gap of found.gaps) assert.ok(gap.to === null || gap.to >= gap.from);
}

test("keys and topics", () => {
  for (const topic of [{daemon: "a b"}, {daemon: 'q"', run: "r 1"}, {daemon: "", run: ""}]) assert.deepEqual(topicOf(keyOf(topic)), topic);
});

test("full, then what is new: nothing lost, nothing made up", () => {
  const found = state();
  take(found, event(5, {full: true, run: run(5, 0)}));
  for (let t = 6; t < 60; t += 1) take(found, event(t, {full: false, run: run(t, t - 1)}));
  assert.deepEqual(found.buckets.t, Array.from({length: 60}, (_, index) => index));
  assert.equal(found.samples.t.length, 55);
  assert.equal("buckets" in (found.run ?? {}), false);
  assert.deepEqual(found.gaps, []);
  isSaid(found);
});

test("events of any kind in any order: all that is shown was said", () => {
  const chance = new Chance(31);
  for (let round = 0; round < 300; round += 1) {
    const found = state();
    for (let step = 0; step < 40; step += 1) {
      const t = chance.whole(50);
      const kind = chance.whole(8);
      if (kind === 0) take(found, {at: BEGUN + t, up: false, since: chance.one([null, BEGUN + chance.whole(t + 1)]), problem: "away"});
      else if (kind === 1) down(found, BEGUN + t, "no server");
      else if (kind === 2) take(found, event(t, {lost: true, problem: "unknown run"}));
      else if (kind === 3) take(found, event(t, {service: {version: "1"}, tests: [{run_id: "r"}, 3]}));
      else take(found, event(t, {full: chance.is(), run: run(t, chance.whole(t + 1))}));
      isSaid(found);
    }
  }
});

test("nobody answers: what was known stays, the gap is told and ends with the next answer", () => {
  const found = state();
  take(found, event(3, {full: true, run: run(3, 0)}));
  const before = structuredClone(found);
  take(found, {at: BEGUN + 5, up: false, since: BEGUN + 3, problem: "refused"});
  take(found, {at: BEGUN + 6, up: false, since: BEGUN + 3, problem: "refused"});
  assert.deepEqual([found.isUp, found.since, found.problem], [false, BEGUN + 3, "refused"]);
  assert.deepEqual(found.gaps, [{from: BEGUN + 3, to: null}]);
  assert.deepEqual([found.run, found.buckets, found.samples, found.at], [before.run, before.buckets, before.samples, before.at]);
  take(found, event(7, {full: true, run: run(7, 0)}));
  assert.deepEqual(found.gaps, [{from: BEGUN + 3, to: BEGUN + 7}]);
  assert.deepEqual([found.isUp, found.problem], [true, ""]);
  assert.deepEqual(found.samples.columns.asked, [5, null, 5]);
});

test("a daemon that never answered is away since somebody looked, not since 1970", () => {
  const found = state();
  take(found, {at: BEGUN + 5, up: false, since: null, problem: "refused"});
  assert.equal(found.since, BEGUN + 5);
  assert.deepEqual(found.gaps, [{from: BEGUN + 5, to: null}]);
});

test("a time in which nobody looked is a gap", () => {
  const found = state();
  take(found, event(1, {full: true, run: run(1, 0)}));
  take(found, event(4, {full: false, run: run(4, 1)}));
  assert.deepEqual(found.gaps, []);
  take(found, event(600, {full: true, run: run(600, 0)}));
  assert.deepEqual(found.gaps, [{from: BEGUN + 4, to: BEGUN + 600}]);
  assert.deepEqual(found.samples.columns.asked, [5, 5, null, 5]);
});

test("gaps are kept in a bounded number, the newest", () => {
  const found = state();
  for (let step = 0; step < 500; step += 1) take(found, event(step * 10, {tests: []}));
  assert.equal(found.gaps.length, 200);
  assert.equal(found.gaps.at(-1)?.to, BEGUN + 4990);
});

test("lost, over, and another run under the same name", () => {
  const found = state();
  take(found, event(1, {full: true, run: run(1, 0)}));
  assert.equal(isFinal(found), false);
  take(found, event(2, {lost: true, problem: "no run"}));
  assert.deepEqual([found.isLost, isFinal(found), found.problem, found.isUp], [true, true, "no run", true]);
  assert.deepEqual(found.buckets.t, [0, 1]);
  take(found, event(50, {full: true, run: {...run(5, 0), time_start: [BEGUN + 45, 0], name: "another"}}));
  assert.deepEqual([found.isLost, found.isOver], [false, false]);
  assert.deepEqual(found.buckets.t, [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(found.samples.t, [5]);
  take(found, event(51, {full: false, over: true, run: {...run(6, 5), time_start: [BEGUN + 45, 0], completed: 1, rate: {}}}));
  assert.deepEqual([found.isOver, isFinal(found)], [true, true]);
  assert.equal(found.samples.t.length, 1);
});

test("members that an event does not tell stay, but no plan of before", () => {
  const found = state();
  take(found, event(1, {full: true, run: {...run(1, 0), name: "n", plan: {current_cps: 5}}}));
  const {plan, ...rest} = run(2, 1);
  assert.ok(plan);
  take(found, event(2, {full: false, run: rest}));
  assert.equal(found.run?.["name"], "n");
  assert.equal("plan" in (found.run ?? {}), false);
  assert.equal(found.samples.columns.asked.at(-1), null);
});

test("a run that does not say when it began has no samples", () => {
  const found = state();
  const {time_start: begun, ...rest} = run(1, 0);
  assert.ok(begun);
  take(found, event(1, {full: true, run: rest}));
  assert.deepEqual(found.samples.t, []);
});

test("a daemon's runs and what it says of itself", () => {
  const found = nothing({daemon: "d"});
  take(found, event(1, {service: {version: "1"}, tests: [{run_id: "a"}, "b"]}));
  take(found, event(2, {tests: []}));
  assert.deepEqual([found.service, found.tests], [{version: "1"}, []]);
  take(found, {});
  assert.deepEqual([found.at, found.tests], [BEGUN + 2, []]);
});

test("rates of runs: starts between two looks, and nothing that was not seen twice", () => {
  const state = nothing({daemon: "d"});
  const one = (run_id: string, started: number, more: JsonObject = {}): JsonObject => ({run_id, counts: {started}, time_start: [7, 0], ...more});
  const look = (at: number, ...tests: JsonObject[]): Record<string, number> => {
    take(state, {up: true, at, tests});
    return state.rates;
  };
  assert.deepEqual(look(100, one("a", 10)), {});
  assert.deepEqual(look(102, one("a", 60), one("b", 5)), {a: 25});
  assert.deepEqual(look(103, one("a", 60), one("b", 8)), {a: 0, b: 3});
  assert.deepEqual(look(104, one("a", 70, {completed: 1}), one("b", 2, {time_start: [103, 5]})), {});
  assert.deepEqual(look(110, one("b", 90, {time_start: [103, 5]})), {}, "after a gap");
  take(state, {up: false, since: 111, problem: "gone"});
  assert.deepEqual(state.rates, {});
  assert.deepEqual(look(112, one("b", 99, {time_start: [103, 5]})), {}, "after it was away");
  assert.deepEqual(look(113, one("b", 100, {time_start: [103, 5]})), {b: 1});
});

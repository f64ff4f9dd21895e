/** What is known of a topic: made from the events of the server, without any input or output. */

import {type Buckets, fold, noBuckets, noSamples, sample, type Samples} from "../charts/series";
import {isObject, type JsonObject, listAt, numberAt, objectAt, textAt} from "./json";

export interface Topic {
  daemon: string;
  run?: string;
}

export interface Gap {
  from: number;
  to: number | null;
}

/** Of a daemon, or of one run of it. Times are seconds since 1970, by the GUI's server. */
export interface TopicState {
  topic: Topic;
  at: number;
  isUp: boolean;
  since: number; // of the last answer, while nobody answers
  problem: string;
  gaps: Gap[]; // when nobody answered
  service: JsonObject | null;
  tests: JsonObject[];
  rates: Record<string, number>; // starts a second of runs in progress, between the last two looks
  run: JsonObject | null;
  isOver: boolean;
  isLost: boolean;
  buckets: Buckets;
  samples: Samples;
}

const MOST_GAPS = 200;
const LONG_S = 3.5; // without a look: a gap

export function keyOf(topic: Topic): string {
  return JSON.stringify([topic.daemon, topic.run ?? null]);
}

export function topicOf(key: string): Topic {
  const [daemon, run] = JSON.parse(key) as [string, string | null];
  return run === null ? {daemon} : {daemon, run};
}

export function nothing(topic: Topic): TopicState {
  return {
    topic,
    at: 0,
    isUp: true,
    since: 0,
    problem: "",
    gaps: [],
    service: null,
    tests: [],
    rates: {},
    run: null,
    isOver: false,
    isLost: false,
    buckets: noBuckets(),
    samples: noSamples(),
  };
}

/** Takes one event of the server into a state. */
export function take(state: TopicState, event: JsonObject): void {
  const at = numberAt(event, "at") ?? state.at;
  if (event["up"] === false) {
    // A daemon that never answered is away since somebody looked.
    down(state, numberAt(event, "since") ?? (state.at || at), textAt(event, "problem"));
    return;
  }
  const last = state.gaps.at(-1);
  if (last && last.to === null) last.to = Math.max(at, last.from);
  const isAfterGap = state.at > 0 && at - state.at > LONG_S;
  const passed = state.at > 0 && !isAfterGap ? at - state.at : 0;
  if (isAfterGap && !(last && last.to === at)) gap(state, {from: state.at, to: at});
  state.at = at;
  state.problem = textAt(event, "problem");
  if (isObject(event["service"])) state.service = event["service"];
  if ("tests" in event) {
    const tests = listAt(event, "tests").filter(isObject);
    state.rates = ratesOf(state.isUp ? state.tests : [], tests, passed);
    state.tests = tests;
  }
  state.isUp = true;
  const isLost = event["lost"] === true;
  // Of a lost run the archive has what it was told last: what was seen later is not taken back.
  if (isObject(event["run"]) && !(isLost && state.run)) takeRun(state, event["run"], event["full"] !== false, isAfterGap);
  if (isLost) state.isLost = true;
  if (event["over"] === true) state.isOver = true;
}

/** Returns how many starts a second runs have made since the look before; of those seen twice. */
function ratesOf(before: readonly JsonObject[], now: readonly JsonObject[], seconds: number): Record<string, number> {
  const known = new Map(before.map((one) => [textAt(one, "run_id"), one]));
  const found: Record<string, number> = {};
  for (const one of seconds > 0 ? now : []) {
    const run = textAt(one, "run_id");
    const old = known.get(run);
    if (!old || one["completed"] === 1 || startOf(old) !== startOf(one)) continue;
    const [from, to] = [old, one].map((each) => numberAt(objectAt(each, "counts"), "started"));
    if (typeof from === "number" && typeof to === "number") found[run] = (to - from) / seconds;
  }
  return found;
}

function takeRun(state: TopicState, run: JsonObject, isFull: boolean, isAfterGap: boolean): void {
  const [old, begun] = [startOf(state.run), startOf(run)];
  if (old !== null && begun !== null && old !== begun) {
    state.run = null; // another run under the same name
    state.samples = noSamples();
  }
  state.isLost = state.isOver = false;
  fold(state.buckets, run, isFull);
  const rest = {...run};
  delete rest["buckets"];
  const before = {...(state.run ?? {})};
  delete before["plan"]; // a run that is over has none
  state.run = {...before, ...rest};
  const start = startOf(state.run);
  if (start !== null && run["completed"] !== 1 && Object.keys(objectAt(run, "rate")).length) {
    sample(state.samples, state.at - start, run, isAfterGap || state.gaps.at(-1)?.to === state.at);
  }
}

/** Returns when a run began, in seconds since 1970; null if that is not told. */
function startOf(run: JsonObject | null): number | null {
  const [seconds, micros] = listAt(run, "time_start");
  return seconds === undefined || seconds === null ? null : Number(seconds) + Number(micros ?? 0) / 1e6;
}

/** Nobody answers since then; what was known stays, and is not made longer. */
export function down(state: TopicState, since: number, problem: string): void {
  if (state.isUp) gap(state, {from: since, to: null});
  state.isUp = false;
  state.rates = {};
  state.since = since;
  state.problem = problem;
}

function gap(state: TopicState, one: Gap): void {
  state.gaps.push(one);
  if (state.gaps.length > MOST_GAPS) state.gaps.shift();
}

/** Whether no more can come of a topic. */
export function isFinal(state: TopicState): boolean {
  return state.isOver || state.isLost;
}

/** A trace as rows of a ladder: what stands where, which are seen, what a message says. */

import {isObject, type Json, type JsonObject, listAt, numberAt, objectAt, type Step, steps, textAt} from "../core/json";

export interface Span {
  path: string;
  start: number;
  length: number;
}

export interface Detail {
  name: string;
  facts: string[];
}

export interface Message {
  index: number; // of its record: links have some that no ladder shows
  t: number;
  protocol: string;
  dialogue: string; // of TCAP; else the peer
  isSent: boolean;
  from: string;
  to: string;
  label: string;
  details: Detail[];
  isFailure: boolean;
  hex: string;
  spans: Span[];
  takers: string[]; // for each component how the type of an operation ends that receives it
  isWhole: boolean; // else a summary: what a ladder draws of it
  raw: JsonObject;
}

export interface CheckLine {
  index: number;
  t: number;
  op: number;
  step: number;
  type: string;
  level: string;
  text: string;
  hasValues: boolean;
  expected: Json | undefined;
  got: Json | undefined;
}

export interface Trace {
  instanceId: string;
  state: string;
  reason: string;
  duration: number | null;
  lifelines: string[];
  messages: Message[]; // in the order of their records
  checks: CheckLine[];
}

export const ROW = 22; // pixels of an arrow …
export const LINE = 17; // … and of each line below it

/** Returns what GetTrace's form json says, as what is drawn. */
export function traceOf(content: JsonObject): Trace {
  const messages = listAt(content, "messages").filter(isObject).map(messageOf);
  const lifelines = objectAt(content, "lifelines");
  const named = [...listAt(lifelines, "roles"), ...listAt(lifelines, "peers")].map(String);
  const used = messages.flatMap((one) => [one.from, one.to]);
  return {
    instanceId: textAt(content, "instance_id"),
    state: textAt(content, "state"),
    reason: textAt(content, "reason"),
    duration: numberAt(content, "duration"),
    lifelines: [...new Set([...named, ...used])],
    messages,
    checks: listAt(content, "check_log").filter(isObject).map(checkOf),
  };
}

export function messageOf(raw: JsonObject, position: number): Message {
  const arrow = objectAt(raw, "arrow");
  const details = listAt(arrow, "details").map((one) => {
    return {name: textAt(one, "name"), facts: listAt(one, "facts").map(String)};
  });
  const isSent = textAt(raw, "direction") === "sent";
  const summed = raw["operations"];
  return {
    index: numberAt(raw, "index") ?? position,
    t: numberAt(raw, "t") ?? 0,
    protocol: textAt(raw, "protocol"),
    dialogue: textAt(raw, "dialogue") || textAt(raw, "peer"),
    isSent,
    from: textAt(arrow, "from") || (isSent ? "TSVC" : "peer"),
    to: textAt(arrow, "to") || (isSent ? "peer" : "TSVC"),
    label: textAt(arrow, "label") || textAt(raw, "title") || textAt(raw, "primitive"),
    details,
    isFailure: arrow["is_failure"] === true,
    hex: textAt(raw, "hex"),
    spans: listAt(raw, "spans").filter(isObject) as unknown as Span[],
    takers: Array.isArray(summed) ? summed.map(String) : listAt(raw, "components").map(takerOf),
    isWhole: "spans" in raw,
    raw,
  };
}

/** Returns how the type of an operation ends that receives a component. */
function takerOf(component: Json): string {
  const kind = textAt(component, "component");
  const end = kind.includes("result") ? "Result" : kind.includes("error") ? "Error" : "";
  return textAt(component, "operation") + end;
}

function checkOf(raw: JsonObject, index: number): CheckLine {
  return {
    index,
    t: numberAt(raw, "t") ?? 0,
    op: numberAt(raw, "op") ?? 0,
    step: numberAt(raw, "step") ?? 0,
    type: textAt(raw, "type"),
    level: textAt(raw, "level"),
    text: textAt(raw, "text"),
    hasValues: "expected" in raw || "got" in raw,
    expected: raw["expected"],
    got: raw["got"],
  };
}

export interface Filter {
  protocol: string;
  dialogue: string;
  text: string;
  failed: boolean;
  from: number | null; // seconds; a range that was selected
  to: number | null;
}

export const EVERYTHING: Filter = {protocol: "", dialogue: "", text: "", failed: false, from: null, to: null};

/** Whether a filter may keep anything back. */
export function isFilter(filter: Filter): boolean {
  return Boolean(filter.protocol || filter.dialogue || filter.text.trim() || filter.failed) || filter.from !== null || filter.to !== null;
}

/** Returns the messages that a filter lets through; `about` are those that failed checks are about. */
export function filtered(messages: readonly Message[], filter: Filter, about: ReadonlySet<number>): Message[] {
  const wanted = filter.text.trim().toLowerCase();
  return messages.filter((one) => {
    if (filter.protocol && one.protocol !== filter.protocol) return false;
    if (filter.dialogue && one.dialogue !== filter.dialogue) return false;
    if (filter.from !== null && one.t < filter.from) return false;
    if (filter.to !== null && one.t > filter.to) return false;
    if (filter.failed && !one.isFailure && !about.has(one.index)) return false;
    return !wanted || haystack(one).includes(wanted);
  });
}

function haystack(one: Message): string {
  const details = one.details.map((detail) => [detail.name, ...detail.facts].join(" "));
  return [one.label, one.from, one.to, one.dialogue, ...details, one.hex].join(" ").toLowerCase();
}

/** Returns where each row begins, in pixels, and after them the height of all. */
export function tops(heights: readonly number[]): number[] {
  const found = [0];
  let at = 0;
  for (const one of heights) found.push((at += one));
  return found;
}

export function heightOf(message: Message): number {
  return ROW + message.details.length * LINE + 6;
}

/** Returns the rows [first, last) that a view of this height shows, and a few around them. */
export function visible(found: readonly number[], scroll: number, height: number, spare = 10): [number, number] {
  const rows = found.length - 1;
  const first = below(found, scroll);
  const last = below(found, scroll + height) + 1;
  return [Math.max(0, first - spare), Math.min(rows, last + spare)];
}

/** Returns the last index whose top is not below y. */
export function below(found: readonly number[], y: number): number {
  let [low, high] = [0, Math.max(0, found.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((found[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the octets of a value: of itself, of what its parts are read from, or of what it is in. */
export function spanOf(message: Message, path: string): Span | null {
  const known = new Map(message.spans.map((span) => [span.path, span]));
  for (let at = path; at; at = at.replace(/(^|\.)[^.[\]]+$|\[\d+\]$/, "")) {
    // `number_digits` is read from the octets of `number`.
    for (let form = at; form; form = /^(.*[^.[\]_])_[^_.[\]]+$/.exec(form)?.[1] ?? "") {
      const found = known.get(form);
      if (found) return found;
    }
  }
  return path.startsWith("content.") ? (known.get("content.content") ?? null) : null;
}

/** Returns the innermost value whose octets hold the one at this index. */
export function valueOf(message: Message, octet: number): Span | null {
  let best: Span | null = null;
  for (const span of message.spans) {
    if (octet < span.start || octet >= span.start + span.length) continue;
    if (!best || span.length <= best.length) best = span;
  }
  return best;
}

export type Node = {path: string; name: string; value: Json | undefined; children: Node[]};

const NOT_SHOWN = new Set(["spans", "arrow", "hex", "t", "direction", "protocol", "index"]);

/** Returns a decoded message as a tree, without what is shown elsewhere. */
export function treeOf(message: Message): Node[] {
  return Object.entries(message.raw)
    .filter(([name, value]) => !NOT_SHOWN.has(name) && value !== null)
    .map(([name, value]) => nodeOf(name, name, value));
}

function nodeOf(path: string, name: string, value: Json): Node {
  if (Array.isArray(value)) {
    const children = value.map((one, index) => nodeOf(`${path}[${index}]`, `[${index}]`, one));
    return {path, name, value: undefined, children};
  }
  if (isObject(value)) {
    const children = Object.entries(value).map(([key, one]) => nodeOf(`${path}.${key}`, key, one));
    return {path, name, value: undefined, children};
  }
  return {path, name, value, children: []};
}

/** Returns all paths that lead to a path, itself included. */
export function ways(path: string): string[] {
  const found: string[] = [];
  let at = "";
  for (const step of steps(path) as Step[]) {
    at = typeof step === "number" ? `${at}[${step}]` : at ? `${at}.${step}` : step;
    found.push(at);
  }
  return found;
}

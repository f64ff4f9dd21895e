/** A trace as rows of a ladder: what stands where, which are seen, which message a check is about. */

import {isObject, type Json, type JsonObject, listAt, numberAt, objectAt, type Step, steps, textAt, valueAt} from "../core/json";

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
  index: number;
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
  messages: Message[];
  checks: CheckLine[];
  raw: JsonObject;
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
    raw: content,
  };
}

function messageOf(raw: JsonObject, index: number): Message {
  const arrow = objectAt(raw, "arrow");
  const details = listAt(arrow, "details").map((one) => {
    return {name: textAt(one, "name"), facts: listAt(one, "facts").map(String)};
  });
  const isSent = textAt(raw, "direction") === "sent";
  return {
    index,
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
    raw,
  };
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
export function tops(messages: readonly Message[]): number[] {
  const found = [0];
  for (const one of messages) found.push((found.at(-1) ?? 0) + heightOf(one));
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

/** What a check is about: a message, and the path of a value in it, if the text names one. */
export interface About {
  message: number;
  path: string;
}

/**
 * Returns the message that a check looked at: the latest received by then that has the operation
 * of the check, in which the path that the text begins with stands.
 */
export function aboutWhat(trace: Trace, check: CheckLine): About | null {
  const operation = check.type.split(".").at(-1) ?? "";
  const path = check.text.split(" ", 1)[0]?.replace(/[:,]$/, "") ?? "";
  const by = trace.messages.filter((one) => one.t <= check.t + 0.0005 && !one.isSent);
  for (const one of [...by].reverse()) {
    for (const root of rootsOf(one, operation)) {
      for (const form of formsOf(path)) {
        const whole = root ? `${root}.${form}` : form;
        if (form && stands(one, whole)) return {message: one.index, path: whole};
      }
    }
    if (rootsOf(one, operation).some((root) => root.startsWith("components["))) {
      const root = rootsOf(one, operation)[0] ?? "";
      return {message: one.index, path: root};
    }
  }
  const last = by.at(-1);
  return last ? {message: last.index, path: ""} : null;
}

function rootsOf(message: Message, operation: string): string[] {
  const found: string[] = [];
  listAt(message.raw, "components").forEach((one, index) => {
    const name = textAt(one, "operation");
    if (name && operation.startsWith(name)) found.unshift(`components[${index}].arguments`);
  });
  if ("content" in message.raw) found.push("content", "");
  else found.push("");
  return found;
}

/** A definition may write `rest.content_json.a`, `inap.…` or a part such as `…_digits`. */
function formsOf(path: string): string[] {
  const found = [path];
  const inner = /^[a-z_0-9]+\.(.+)$/.exec(path)?.[1];
  if (inner) found.push(inner);
  const parts = path.replace(/\[[^\]]*[^\d\]][^\]]*\]/g, "");
  if (parts !== path) found.push(parts);
  return found;
}

function stands(message: Message, path: string): boolean {
  const plain = path.replace(PARTS, "");
  return (
    valueAt(message.raw, steps(path)) !== undefined ||
    message.spans.some((span) => span.path === path || span.path === plain)
  );
}

// Spellings of a value by its parts; their octets are those of the value.
const PARTS = /_(hex|name|digits|noa|inn|npi|ni|pri|si|nqi|text)$/;

/** Returns the octets of a value: of itself, of what its parts are read from, or of what it is in. */
export function spanOf(message: Message, path: string): Span | null {
  const known = new Map(message.spans.map((span) => [span.path, span]));
  let at = path;
  for (;;) {
    const found = known.get(at) ?? known.get(at.replace(PARTS, ""));
    if (found) return found;
    const up = at.replace(/(\.[^.[\]]+|\[\d+\])$/, "");
    if (up === at || !up) return null;
    at = up;
  }
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

const NOT_SHOWN = new Set(["spans", "arrow", "hex", "t", "direction", "protocol"]);

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

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
  taken: ReadonlyMap<number, Taken>; // by step: which component the operation received there
  raw: JsonObject;
}

interface Taken {
  message: number;
  component: number;
}

export const ROW = 22; // pixels of an arrow …
export const LINE = 17; // … and of each line below it

/** Returns what GetTrace's form json says, as what is drawn. */
export function traceOf(content: JsonObject): Trace {
  const messages = listAt(content, "messages").filter(isObject).map(messageOf);
  const lifelines = objectAt(content, "lifelines");
  const named = [...listAt(lifelines, "roles"), ...listAt(lifelines, "peers")].map(String);
  const used = messages.flatMap((one) => [one.from, one.to]);
  const checks = listAt(content, "check_log").filter(isObject).map(checkOf);
  return {
    instanceId: textAt(content, "instance_id"),
    state: textAt(content, "state"),
    reason: textAt(content, "reason"),
    duration: numberAt(content, "duration"),
    lifelines: [...new Set([...named, ...used])],
    messages,
    checks,
    taken: takenBy(messages, checks),
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

const CLOCK_S = 0.000002; // times are told in microseconds

/** Operations receive components in the order in which they came: each one what none took before. */
function takenBy(messages: readonly Message[], checks: readonly CheckLine[]): Map<number, Taken> {
  const waiting = new Map<string, (Taken & {t: number})[]>();
  for (const one of messages) {
    if (one.isSent) continue;
    listAt(one.raw, "components").forEach((component, index) => {
      const name = textAt(component, "operation") + endOf(textAt(component, "component"));
      const queue = waiting.get(name) ?? [];
      queue.push({message: one.index, component: index, t: one.t});
      waiting.set(name, queue);
    });
  }
  const found = new Map<number, Taken>();
  for (const check of checks) {
    if (found.has(check.step)) continue;
    const [, way = "", operation = ""] = check.type.split(".");
    const queue = way.includes("_from_") ? waiting.get(operation) : undefined;
    const first = queue?.[0];
    if (!first || first.t > check.t + CLOCK_S) continue;
    queue?.shift();
    found.set(check.step, first);
  }
  return found;
}

/** Returns how the type of an operation ends that receives such a component. */
function endOf(component: string): string {
  if (component.includes("result")) return "Result";
  return component.includes("error") ? "Error" : "";
}

/**
 * Returns the message that a check looked at, and in it the path that its text begins with, or as
 * much of it as is there; null if nothing had been received by then.
 */
export function aboutWhat(trace: Trace, check: CheckLine): About | null {
  const path = check.text.split(" ", 1)[0]?.replace(/[:,]$/, "") ?? "";
  const taken = trace.taken.get(check.step);
  const took = taken && trace.messages[taken.message];
  if (taken && took) {
    const component = `components[${taken.component}]`;
    const place = placeOf(took.raw, `${component}.arguments`, path);
    return {message: taken.message, path: place.isAny ? place.path : component};
  }
  const received = trace.messages.filter((one) => !one.isSent && one.t <= check.t + CLOCK_S);
  const own = received.filter((one) => check.type.split(".").includes(one.protocol));
  const looked = (own.length ? own : received).reverse();
  for (const one of looked) {
    for (const root of ["content", ""]) {
      // A definition says what is looked at in front of it: `rest.content_json.a`.
      for (const form of [path, path.replace(/^[a-z_0-9]+\./, "")]) {
        const place = placeOf(one.raw, root, form);
        if (place.isAny) return {message: one.index, path: place.path};
      }
    }
  }
  return looked[0] ? {message: looked[0].index, path: ""} : null;
}

/** Returns the name of the member that a definition calls so; undefined if there is none. */
function nameIn(value: JsonObject, called: string): string | undefined {
  if (called === "avp" && "avps" in value) return "avps"; // the same by their order, as octets have them
  if (Object.hasOwn(value, called)) return called;
  return called === "code" && "start" in value ? "start" : undefined; // HTTP's, of the first line
}

/**
 * Returns where in a message the value of a kpath such as `avp.CC-Time` or `list.[name=a].value`
 * stands, below a root: as far as it is there; `isAny` tells whether a step of it is.
 */
function placeOf(raw: JsonObject, root: string, kpath: string): {path: string; isAny: boolean} {
  let value = root ? valueAt(raw, steps(root)) : raw;
  let path = root;
  let isAny = false;
  for (const match of kpath.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)) {
    const token = match[1] ?? match[0];
    const isIndex = match[1] !== undefined && /^\d+$/.test(token);
    if (isIndex && token === "0" && isObject(value)) continue; // the first of those of a name
    const name = isObject(value) ? nameIn(value, token) : undefined;
    if (isObject(value) && name !== undefined) {
      value = value[name];
      path = path ? `${path}.${name}` : name;
    } else if (Array.isArray(value)) {
      const wanted = token.replace(/^name=/, "");
      const index = isIndex ? Number(token) : value.findIndex((one) => textAt(one, "name") === wanted);
      const element: Json | undefined = value[index];
      if (element === undefined) break;
      value = element;
      path = `${path}[${index}]`;
      if (match[1] === undefined && isObject(element) && "value" in element) {
        value = element["value"];
        path = `${path}.value`;
      }
    } else {
      break;
    }
    isAny = true;
  }
  return {path, isAny};
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

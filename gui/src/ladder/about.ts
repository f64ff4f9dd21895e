/**
 * Which message a check is about, and which value in it. Of a long trace only some messages are
 * there, most of them as summaries: what can't be said yet is said so.
 */

import {isObject, type Json, type JsonObject, steps, textAt, valueAt} from "../core/json";
import type {CheckLine, Message} from "./model";

/** What a check is about: a message, and the path of a value in it, if the text names one. */
export interface About {
  message: number; // its index
  path: string;
  isOpen: boolean; // the message is a summary: in full it may say more, or be another one
}

interface Taken {
  message: Message;
  component: number;
}

/** What was received, as checks are looked up in it. */
export interface Received {
  messages: readonly Message[]; // in the order of their records, from the first one on
  taken: ReadonlyMap<number, Taken>; // by step: which component the operation received there
  firsts: ReadonlyMap<string, number>; // by protocol: where the first of it stands
}

const CLOCK_S = 0.000002; // times are told in microseconds
const MOST_LOOKED_AT = 8; // messages that are asked for in full, for one check

/** Takes the messages from the first one on, as many as are there without a gap. */
export function receivedOf(messages: readonly Message[], checks: readonly CheckLine[]): Received {
  const received = messages.filter((one) => !one.isSent);
  const firsts = new Map<string, number>();
  received.forEach((one, at) => {
    if (!firsts.has(one.protocol)) firsts.set(one.protocol, at);
  });
  return {messages: received, taken: takenBy(received, checks), firsts};
}

/** Operations receive components in the order in which they came: each one what none took before. */
function takenBy(received: readonly Message[], checks: readonly CheckLine[]): Map<number, Taken> {
  const waiting = new Map<string, {next: number; components: Taken[]}>();
  for (const message of received) {
    message.takers.forEach((name, component) => {
      const queue = waiting.get(name);
      if (queue) queue.components.push({message, component});
      else waiting.set(name, {next: 0, components: [{message, component}]});
    });
  }
  const found = new Map<number, Taken>();
  for (const check of checks) {
    if (found.has(check.step)) continue;
    const [, way = "", operation = ""] = check.type.split(".");
    const queue = way.includes("_from_") ? waiting.get(operation) : undefined;
    const first = queue?.components[queue.next];
    if (!queue || !first || first.message.t > check.t + CLOCK_S) continue;
    queue.next += 1;
    found.set(check.step, first);
  }
  return found;
}

/**
 * Returns the message that a check looked at, and in it the path that its text begins with, or as
 * much of it as is there; null if nothing had been received by then. `whole` gives a message in
 * full, if it is there.
 */
export function aboutWhat(
  received: Received,
  check: CheckLine,
  whole: (message: Message) => Message = (message) => message,
): About | null {
  const path = check.text.split(" ", 1)[0]?.replace(/[:,]$/, "") ?? "";
  const taken = received.taken.get(check.step);
  if (taken) {
    const message = whole(taken.message);
    const component = `components[${taken.component}]`;
    const place = placeOf(message.raw, `${component}.arguments`, path);
    return {message: message.index, path: place.isAny ? place.path : component, isOpen: !message.isWhole};
  }
  const protocols = new Set(check.type.split("."));
  const last = lastUntil(received.messages, check.t + CLOCK_S);
  let first: Message | null = null; // the latest, of the protocol if there is one of it
  let looked = 0;
  const isOwn = [...protocols].some((one) => (received.firsts.get(one) ?? Infinity) <= last);
  for (let at = last; at >= 0; at -= 1) {
    const given = received.messages[at];
    if (!given) break;
    if (isOwn && !protocols.has(given.protocol)) continue;
    first ??= given;
    const message = whole(given);
    if (!message.isWhole) {
      if (looked >= MOST_LOOKED_AT) break;
      return {message: message.index, path: "", isOpen: true};
    }
    looked += 1;
    for (const root of ["content", ""]) {
      // A definition says what is looked at in front of it: `rest.content_json.a`.
      for (const form of [path, path.replace(/^[a-z_0-9]+\./, "")]) {
        const place = placeOf(message.raw, root, form);
        if (place.isAny) return {message: message.index, path: place.path, isOpen: false};
      }
    }
  }
  return first ? {message: first.index, path: "", isOpen: false} : null;
}

/** Returns where the last message stands that is no later than a moment; -1: there is none. */
function lastUntil(messages: readonly Message[], t: number): number {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((messages[middle]?.t ?? Infinity) <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
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

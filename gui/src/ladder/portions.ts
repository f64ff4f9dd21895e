/**
 * A long trace as it comes, portion after portion: which messages are there, which are asked for
 * next, and what stands in a ladder where there are none yet.
 */

import {isObject, type JsonObject, listAt, numberAt, objectAt} from "../core/json";
import {heightOf, type Message, messageOf} from "./model";

/** Records [from, next), by their numbers. */
export interface Range {
  from: number;
  next: number;
}

export interface Portions {
  total: number; // records
  known: readonly Range[]; // which of them are there: in order, with gaps between them
  messages: readonly Message[]; // of those, in order
  lifelines: readonly string[];
  perRecord: number; // height in a ladder, pixels: the mean of those that are there
}

/** What is to be there: what is seen, the first ones up to a moment, or all. */
export interface Need {
  seen: Range | null;
  until: number; // seconds; Infinity: all
}

export const FIRST = 100; // records that come first, in full
export const PORTION = 500; // further ones, as summaries
const USUAL = 40; // pixels of a record, as long as none is there

export const NOTHING: Portions = {total: 0, known: [], messages: [], lifelines: [], perRecord: USUAL};

/** Returns them with a portion that GetTrace gave. Errors: RangeError if it brings nothing. */
export function added(before: Portions, content: JsonObject): Portions {
  const portion = objectAt(content, "portion");
  const [from, next] = [numberAt(portion, "from") ?? 0, numberAt(portion, "next") ?? 0];
  const total = numberAt(portion, "total") ?? 0;
  if (next <= from && from < total) throw new RangeError("the daemon gave an empty portion of the trace");
  const fresh = listAt(content, "messages").filter(isObject).map(messageOf);
  const messages = merged(before.messages, fresh, {from, next});
  const known = joined([...before.known, {from, next}]);
  const records = known.reduce((sum, one) => sum + one.next - one.from, 0);
  const height = messages.reduce((sum, one) => sum + heightOf(one), 0);
  const named = objectAt(content, "lifelines");
  return {
    total,
    known,
    messages,
    lifelines: inOrder(before.lifelines, listAt(named, "roles").map(String), listAt(named, "peers").map(String)),
    perRecord: records && height ? height / records : before.perRecord,
  };
}

function merged(old: readonly Message[], fresh: readonly Message[], range: Range): Message[] {
  const before = old.filter((one) => one.index < range.from);
  const after = old.filter((one) => one.index >= range.next);
  return [...before, ...fresh, ...after];
}

function joined(ranges: readonly Range[]): Range[] {
  const found: Range[] = [];
  for (const one of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last && one.from <= last.next) last.next = Math.max(last.next, one.next);
    else if (one.next > one.from) found.push({...one});
  }
  return found;
}

/** Roles of the tester stay on the left, peers on the right, whichever portion named them first. */
function inOrder(before: readonly string[], roles: readonly string[], peers: readonly string[]): string[] {
  const left = [...before.filter((one) => !peers.includes(one)), ...roles];
  const right = [...before.filter((one) => peers.includes(one)), ...peers];
  return [...new Set([...left, ...right])];
}

/** Returns the records that are not there. */
export function gaps({known, total}: Portions): Range[] {
  const found: Range[] = [];
  let at = 0;
  for (const one of known) {
    if (one.from > at) found.push({from: at, next: one.from});
    at = one.next;
  }
  if (at < total) found.push({from: at, next: total});
  return found;
}

/** Returns the messages before the first gap, and the time up to which they are all there are. */
export function beginning(portions: Portions): {messages: readonly Message[]; until: number} {
  const [gap] = gaps(portions);
  if (!gap) return {messages: portions.messages, until: Infinity};
  const messages = portions.messages.slice(0, placeOf(portions.messages, gap.from));
  return {messages, until: messages.at(-1)?.t ?? -1};
}

/** Returns which records to ask for next; null if all that is needed is there. */
export function wanted(portions: Portions, need: Need): Range | null {
  const missing = gaps(portions);
  const {seen} = need;
  const inView = seen && missing.find((gap) => gap.from < seen.next && seen.from < gap.next);
  if (seen && inView) {
    // Around what is seen: one scrolls both ways.
    const middle = Math.floor((seen.from + seen.next) / 2);
    const from = Math.max(inView.from, Math.min(middle - PORTION / 2, inView.next - PORTION));
    return {from, next: Math.min(inView.next, from + PORTION)};
  }
  const [first] = missing;
  if (!first || beginning(portions).until > need.until) return null;
  return {from: first.from, next: Math.min(first.next, first.from + PORTION)};
}

/** Returns where the first message stands that is not before a record. */
export function placeOf(messages: readonly Message[], record: number): number {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((messages[middle]?.index ?? Infinity) < record) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the message of a record, or of the last one before it that a ladder shows. */
export function messageAt(messages: readonly Message[], record: number): Message | undefined {
  const at = placeOf(messages, record);
  return messages[at]?.index === record ? messages[at] : messages[at - 1];
}

/** A row of the ladder: a message, or records that are not there yet. */
export type Row = {message: Message; gap?: undefined} | {gap: Range; message?: undefined};

/** Returns what stands in a ladder; what a filter has left stands together. */
export function rowsOf(messages: readonly Message[], missing: readonly Range[]): Row[] {
  const found: Row[] = [];
  let at = 0;
  for (const gap of missing) {
    const end = placeOf(messages, gap.from);
    for (; at < end; at += 1) found.push({message: messages[at] as Message});
    found.push({gap});
  }
  for (; at < messages.length; at += 1) found.push({message: messages[at] as Message});
  return found;
}

export function heightOfRow(row: Row, perRecord: number): number {
  return row.gap ? (row.gap.next - row.gap.from) * perRecord : heightOf(row.message);
}

/** Returns the record that a row has at a depth in it, in pixels. */
export function recordAt(row: Row, depth: number, perRecord: number): number {
  if (!row.gap) return row.message.index;
  const {from, next} = row.gap;
  return Math.max(from, Math.min(next - 1, from + Math.floor(depth / perRecord)));
}

/** Returns how deep a record stands in rows, in pixels: it, or the first one after it. */
export function depthOf(rows: readonly Row[], places: readonly number[], record: number, perRecord: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    const last = row?.gap ? row.gap.next - 1 : (row?.message?.index ?? Infinity);
    if (last < record) low = middle + 1;
    else high = middle;
  }
  const row = rows[low];
  const top = places[low] ?? 0;
  return row?.gap ? top + Math.max(0, record - row.gap.from) * perRecord : top;
}

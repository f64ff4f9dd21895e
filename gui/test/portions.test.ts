import assert from "node:assert/strict";
import {test} from "node:test";
import type {JsonObject} from "../src/core/json";
import {aboutWhat, receivedOf} from "../src/ladder/about";
import {heightOf, type Message, messageOf, tops, traceOf} from "../src/ladder/model";
import {
  added, beginning, depthOf, FIRST, gaps, heightOfRow, messageAt, NOTHING, PORTION, type Portions, type Range, recordAt, rowsOf, wanted,
} from "../src/ladder/portions";
import {Chance} from "./support";

/** Records of a trace: some are of links, which no ladder shows. */
function trace(chance: Chance, size: number): (JsonObject | null)[] {
  return Array.from({length: size}, (_, index) => {
    if (chance.is(0.2)) return null;
    const details = Array.from({length: chance.whole(4)}, () => ({name: "x", facts: []}));
    return {index, t: index / 100, protocol: "tcap", direction: "received", operations: ["Play"], arrow: {from: "SCP", to: "SSP", label: "a", details}};
  });
}

/** Returns a portion as GetTrace gives it: shorter than asked for, if its messages are long. */
function portionOf(records: (JsonObject | null)[], {from, next}: Range, most = Infinity): JsonObject {
  const end = Math.min(next, from + most, records.length);
  const messages = records.slice(from, end).filter((one) => one !== null);
  return {portion: {from, next: end, total: records.length}, messages, lifelines: {roles: ["SSP"], peers: ["SCP"]}};
}

function readAll(records: (JsonObject | null)[], chance: Chance): {portions: Portions; asked: Range[]} {
  let portions = added(NOTHING, portionOf(records, {from: 0, next: FIRST}));
  const asked: Range[] = [];
  for (;;) {
    const at = chance.whole(records.length);
    const seen = chance.is() ? {from: at, next: Math.min(records.length, at + 20)} : null;
    const next = wanted(portions, {seen, until: Infinity});
    if (!next) return {portions, asked};
    assert.ok(next.next > next.from && next.next - next.from <= PORTION);
    if (seen && gaps(portions).some((one) => one.from < seen.next && seen.from < one.next)) {
      assert.ok(next.from < seen.next && seen.from < next.next, "what is seen comes first");
    }
    asked.push(next);
    portions = added(portions, portionOf(records, next, 50 + chance.whole(PORTION)));
  }
}

test("whatever is looked at first, all records come, each of them once", () => {
  const chance = new Chance(51);
  for (let round = 0; round < 40; round += 1) {
    const records = trace(chance, chance.whole(10_000) + 1);
    const {portions} = readAll(records, chance);
    assert.deepEqual(portions.messages.map((one) => one.index), records.flatMap((one, index) => (one ? [index] : [])));
    assert.deepEqual([gaps(portions), portions.known], [[], [{from: 0, next: records.length}]]);
    assert.deepEqual(portions.lifelines, ["SSP", "SCP"]);
  }
});

test("nothing is asked for that nobody needs", () => {
  const records = trace(new Chance(52), 5000);
  let portions = added(NOTHING, portionOf(records, {from: 0, next: FIRST}));
  assert.equal(wanted(portions, {seen: null, until: -1}), null);
  assert.equal(wanted(portions, {seen: {from: 5, next: 50}, until: 0.5}), null);
  assert.deepEqual(wanted(portions, {seen: null, until: 7}), {from: FIRST, next: FIRST + PORTION});
  assert.deepEqual(wanted(portions, {seen: {from: 90, next: 110}, until: -1}), {from: FIRST, next: FIRST + PORTION});
  assert.deepEqual(wanted(portions, {seen: {from: 4990, next: 5000}, until: -1}), {from: 4500, next: 5000});
  portions = added(portions, portionOf(records, {from: 3000, next: 3500}));
  assert.deepEqual(gaps(portions), [{from: FIRST, next: 3000}, {from: 3500, next: 5000}]);
  assert.deepEqual(wanted(portions, {seen: {from: 2990, next: 3010}, until: -1}), {from: 2500, next: 3000});
  const known = beginning(portions);
  assert.deepEqual([known.messages.at(-1)?.index, known.until], [known.messages.at(-1)?.index, known.messages.at(-1)?.t]);
  assert.ok(known.messages.every((one) => one.index < FIRST));
  assert.throws(() => added(portions, {portion: {from: 200, next: 200, total: 5000}, messages: []}), RangeError);
});

test("rows: gaps stand between what is there, and every depth is of one record", () => {
  const chance = new Chance(53);
  const records = trace(chance, 4000);
  let portions = added(NOTHING, portionOf(records, {from: 0, next: FIRST}));
  for (const from of [1000, 1400, 3990]) portions = added(portions, portionOf(records, {from, next: from + 300}));
  const rows = rowsOf(portions.messages, gaps(portions));
  const shape = rows.flatMap((row, at) => (row.gap ? [[rows[at - 1]?.message?.index, row.gap.from, row.gap.next, rows[at + 1]?.message?.index]] : []));
  for (const [before, from, next, after] of shape) {
    assert.ok((before ?? -1) < (from ?? 0) && (after ?? Infinity) >= (next ?? 0), `${before} ${from} ${next} ${after}`);
  }
  assert.equal(shape.length, 3);
  const {perRecord} = portions;
  const shown = portions.messages.reduce((sum, one) => sum + heightOf(one), 0);
  const known = portions.known.reduce((sum, one) => sum + one.next - one.from, 0);
  assert.equal(perRecord, shown / known);
  const places = tops(rows.map((row) => heightOfRow(row, perRecord)));
  let last = -1;
  rows.forEach((row, at) => {
    for (let within = 0; within < (row.gap ? row.gap.next - row.gap.from : 1); within += 1) {
      const record = recordAt(row, (within + 0.5) * perRecord, perRecord);
      assert.ok(record > last, `${record} after ${last}`);
      last = record;
      const top = (places[at] ?? 0) + within * perRecord;
      assert.ok(Math.abs(depthOf(rows, places, record, perRecord) - top) < 0.01, `${record}`);
    }
  });
});

test("the message of a record: it, or the last one before it that is shown", () => {
  const messages = [3, 4, 9].map((index) => messageOf({index}, 0));
  assert.deepEqual([2, 3, 5, 9, 20].map((record) => messageAt(messages, record)?.index), [undefined, 3, 4, 9, 9]);
});

test("a check whose message is a summary is open, until that is there in full", () => {
  const arguments_ = {id: 7};
  const full: JsonObject[] = [0, 1].map((index) => ({
    index, t: index, protocol: "tcap", direction: "received", spans: [], components: [{component: "invoke", operation: "Play", arguments: arguments_}],
  }));
  const short = full.map(({index, t, protocol, direction}) => ({index, t, protocol, direction, operations: ["Play"]}) as JsonObject);
  const check_log = [0, 1].map((step) => ({t: step + 0.5, step, type: "inap.ssp_from_scp.Play", text: "id differs", expected: 5, got: 7}));
  const given = traceOf({messages: short, check_log});
  const received = receivedOf(given.messages, given.checks);
  const wholes = traceOf({messages: full}).messages;
  const whole = (one: Message): Message => wholes[one.index] ?? one;
  assert.deepEqual(given.checks.map((one) => aboutWhat(received, one)), [0, 1].map((message) => ({message, path: "components[0]", isOpen: true})));
  assert.deepEqual(
    given.checks.map((one) => aboutWhat(received, one, whole)),
    [0, 1].map((message) => ({message, path: "components[0].arguments.id", isOpen: false})),
  );
});

test("a check of another protocol: messages are looked at in full, the latest first, not too many", () => {
  const short = Array.from({length: 50}, (_, index): JsonObject => ({index, t: index, protocol: "rest", direction: "received"}));
  const content = (index: number): JsonObject => (index === 45 ? {code: 200} : {});
  const full = (index: number): Message => messageOf({...short[index], spans: [], content: content(index)}, index);
  const given = traceOf({messages: short, check_log: [{t: 60, type: "rest.Request", text: "rest.code differs"}, {t: 60, type: "rest.Request", text: "nothing"}]});
  const received = receivedOf(given.messages, given.checks);
  const asked = given.checks.map((check) => {
    const wholes = new Map<number, Message>();
    for (;;) {
      const about = aboutWhat(received, check, (one) => wholes.get(one.index) ?? one);
      assert.ok(about);
      if (!about.isOpen) return [about.message, about.path, wholes.size];
      wholes.set(about.message, full(about.message));
    }
  });
  assert.deepEqual(asked, [[45, "content.code", 5], [49, "", 8]]);
});

import assert from "node:assert/strict";
import {test} from "node:test";
import type {JsonObject} from "../src/core/json";
import {type About, aboutWhat, receivedOf} from "../src/ladder/about";
import {
  below, EVERYTHING, filtered, heightOf, type Message, spanOf, tops, type Trace, traceOf, treeOf, valueOf, visible, ways,
} from "../src/ladder/model";
import {Chance} from "./support";

const HEIGHT = 600;

function raw(t: number, more: JsonObject = {}): JsonObject {
  return {
    protocol: "tcap",
    t,
    dialogue: "SSP",
    direction: "received",
    hex: "0011223344",
    spans: [],
    arrow: {from: "SCP", to: "SSP", label: "CONTINUE", details: [{name: "PC", facts: ["101"]}], is_failure: false},
    ...more,
  };
}

function messagesOf(given: JsonObject[]): Message[] {
  return traceOf({messages: given}).messages;
}

test("10,000 messages: never more than 120 rows, and all that are seen, wherever one scrolls", () => {
  const chance = new Chance(41);
  const lines = Array.from({length: 10_000}, () => 1 + chance.whole(6));
  const details = lines.map((count) => Array.from({length: count - 1}, () => ({name: "x", facts: []})));
  const messages = messagesOf(details.map((one, at) => raw(at, {arrow: {details: one}})));
  const places = tops(messages.map(heightOf));
  const whole = places.at(-1) ?? 0;
  assert.equal(places.length, 10_001);
  assert.equal(whole, messages.reduce((total, one) => total + heightOf(one), 0));
  for (let scroll = -50; scroll < whole + 700; scroll += 1 + chance.whole(40)) {
    const [first, last] = visible(places, scroll, HEIGHT);
    assert.ok(first >= 0 && last <= messages.length && last - first <= 120 && last > first, `${first} ${last}`);
    const [upper, lower] = [Math.max(0, Math.min(scroll, whole - 1)), Math.min(scroll + HEIGHT, whole)];
    assert.ok((places[first] ?? Infinity) <= upper, `the first at ${scroll}`);
    assert.ok((places[last] ?? 0) >= lower, `the last at ${scroll}`);
  }
});

test("few rows, and none", () => {
  assert.deepEqual(visible(tops([]), 0, HEIGHT), [0, 0]);
  assert.deepEqual(visible(tops(messagesOf([raw(0)]).map(heightOf)), 0, HEIGHT), [0, 1]);
  assert.deepEqual(tops([]), [0]);
});

test("below: the last row that begins no lower", () => {
  const chance = new Chance(42);
  const places = [0];
  for (let at = 0; at < 500; at += 1) places.push((places.at(-1) ?? 0) + 1 + chance.whole(50));
  for (let y = -5; y < 30_000; y += chance.whole(30)) {
    const wanted = Math.max(0, places.slice(0, -1).findLastIndex((top) => top <= y));
    assert.equal(below(places, y), wanted);
  }
});

test("what GetTrace says, as it is drawn", () => {
  const trace = traceOf({
    instance_id: "3",
    state: "failed",
    duration: 0.5,
    lifelines: {roles: ["SSP"], peers: ["SCP", "OCS"]},
    messages: [raw(0.1), {protocol: "rest", t: 0.2, peer: "BSS", direction: "sent", title: "GET /"}],
    check_log: [{t: 0.2, op: 1, step: 2, type: "x.y", level: "fail", text: "a differs", expected: null}],
  });
  assert.deepEqual([trace.instanceId, trace.state, trace.duration], ["3", "failed", 0.5]);
  assert.deepEqual(trace.lifelines, ["SSP", "SCP", "OCS", "TSVC", "peer"]);
  const [first, second] = trace.messages;
  assert.deepEqual(first?.details, [{name: "PC", facts: ["101"]}]);
  assert.deepEqual([second?.from, second?.to, second?.label, second?.dialogue, second?.isSent], ["TSVC", "peer", "GET /", "BSS", true]);
  assert.deepEqual([trace.checks[0]?.hasValues, trace.checks[0]?.expected, trace.checks[0]?.got], [true, null, undefined]);
  assert.deepEqual(traceOf({}).messages, []);
});

test("filters: each lets through what it says, together what all say", () => {
  const chance = new Chance(43);
  const given = Array.from({length: 200}, (_, at) =>
    raw(at / 10, {
      protocol: chance.one(["tcap", "diameter"]),
      dialogue: chance.one(["SSP", "SRF"]),
      arrow: {label: chance.one(["BEGIN", "END"]), details: [{name: "IDP", facts: [`${at} Größe`]}], is_failure: chance.is(0.2)},
    }),
  );
  const messages = messagesOf(given);
  const about = new Set([3, 5, 8]);
  assert.deepEqual(filtered(messages, EVERYTHING, about), messages);
  for (let round = 0; round < 200; round += 1) {
    const filter = {
      protocol: chance.one(["", "tcap"]),
      dialogue: chance.one(["", "SRF"]),
      text: chance.one(["", " begin ", "GRÖSSE", "7 größe", "0011"]),
      failed: chance.is(0.3),
      from: chance.one([null, 5]),
      to: chance.one([null, 15]),
    };
    const text = filter.text.trim().toLowerCase();
    const wanted = messages.filter(
      (one) =>
        (!filter.protocol || one.protocol === "tcap") &&
        (!filter.dialogue || one.dialogue === "SRF") &&
        (filter.from === null || one.t >= 5) &&
        (filter.to === null || one.t <= 15) &&
        (!filter.failed || one.isFailure || about.has(one.index)) &&
        `${one.label} ${one.details[0]?.facts[0]} ${one.hex}`.toLowerCase().includes(text),
    );
    assert.deepEqual(filtered(messages, filter, about), wanted);
  }
});

const SPANS = [
  {path: "components[0]", start: 0, length: 5},
  {path: "components[0].arguments", start: 1, length: 4},
  {path: "components[0].arguments.number", start: 2, length: 2},
  {path: "components[0].arguments.message_id", start: 4, length: 1},
  {path: "components[0].arguments.none", start: 4, length: 0},
];

test("the octets of a value: its own, of what it is read from, of what it is in", () => {
  const [message] = messagesOf([raw(0, {spans: SPANS})]);
  assert.ok(message);
  const shown = (path: string): string | null => spanOf(message, path)?.path.replace("components[0].arguments", "…") ?? null;
  for (const end of ["", "_digits", "_noa", "_hex", "_name", "_inn_name"]) assert.equal(shown(`components[0].arguments.number${end}`), "….number");
  assert.equal(shown("components[0].arguments.message_id"), "….message_id");
  assert.equal(shown("components[0].arguments.message"), "…");
  assert.equal(shown("components[0].arguments.list[3].deep_hex"), "…");
  assert.equal(shown("components[0].invoke_id"), "components[0]");
  assert.equal(shown("components[1].arguments"), null);
  assert.equal(shown("otid"), null);
  assert.equal(shown(""), null);
});

test("what an octet belongs to: the innermost", () => {
  const [message] = messagesOf([raw(0, {spans: SPANS})]);
  assert.ok(message);
  const found = [0, 1, 2, 3, 4, 5].map((octet) => valueOf(message, octet)?.path.split(".").at(-1));
  assert.deepEqual(found, ["components[0]", "arguments", "number", "number", "message_id", undefined]);
});

function aboutsOf(trace: Trace): ({message: number; path: string} | null)[] {
  const received = receivedOf(trace.messages, trace.checks);
  const plain = (about: About | null): {message: number; path: string} | null => about && {message: about.message, path: about.path};
  return trace.checks.map((one) => plain(aboutWhat(received, one)));
}

function component(operation: string, given: JsonObject, kind = "invoke"): JsonObject {
  return {component: kind, operation, arguments: given};
}

test("the same operation twice before anybody looks: each check has its own", () => {
  const trace = traceOf({
    messages: [
      raw(0.1, {components: [component("Other", {}), component("Play", {id: 1})]}),
      raw(0.2, {components: [component("Play", {id: 2}), component("Play", {id: 9}, "return result")]}),
    ],
    check_log: [
      {t: 0.3, step: 1, type: "inap.ssp_from_scp.Play", text: "Received Play"},
      {t: 0.3, step: 1, type: "inap.ssp_from_scp.Play", text: "id differs", expected: 5, got: 1},
      {t: 0.3, step: 4, type: "inap.ssp_from_scp.Play", text: "id", expected: 2, got: 2},
      {t: 0.3, step: 5, type: "inap.ssp_from_scp.PlayResult", text: "id", expected: 9, got: 9},
      {t: 0.3, step: 6, type: "inap.ssp_from_scp.Other", text: "x.y is absent", expected: 1},
      {t: 0.3, step: 7, type: "inap.ssp_from_scp.Never", text: "expected Never, received Play"},
    ],
  });
  assert.deepEqual(aboutsOf(trace), [
    {message: 0, path: "components[1]"},
    {message: 0, path: "components[1].arguments.id"},
    {message: 1, path: "components[0].arguments.id"},
    {message: 1, path: "components[1].arguments.id"},
    {message: 0, path: "components[0]"},
    {message: 1, path: ""},
  ]);
});

test("a check is about nothing that came after it, and about nothing that was sent", () => {
  const trace = traceOf({
    messages: [raw(0.1, {direction: "sent"}), raw(0.5)],
    check_log: [{t: 0.3, step: 1, type: "logic.eval", text: "x"}, {t: 0.6, step: 2, type: "logic.eval", text: "x"}],
  });
  assert.deepEqual(aboutsOf(trace), [null, {message: 1, path: ""}]);
});

test("AVPs by name, by number and by choice; of another protocol nothing", () => {
  const avps = [{name: "Origin-Host", value: "ocs"}, {name: "Group", value: [{name: "CC-Time", value: 7}]}];
  const content = {avps, avp: {"Origin-Host": "ocs", Group: {"CC-Time": 7}}};
  const paths: [string, string][] = [
    ["response.avp.Group.CC-Time (integer) differs", "content.avps[1].value[0].value"],
    ["response.avps.[name=Origin-Host].value", "content.avps[0].value"],
    ["response.avps[1].name", "content.avps[1].name"],
    ["response.avp.Group.Missing is absent", "content.avps[1].value"],
  ];
  for (const [text, path] of paths) {
    const trace = traceOf({
      messages: [raw(0.1, {protocol: "diameter", content}), raw(0.2, {protocol: "rest", content})],
      check_log: [{t: 0.3, step: 1, type: "diameter.Request", text}],
    });
    assert.deepEqual(aboutsOf(trace), [{message: 0, path}]);
  }
});

test("the tree shows all but what is shown elsewhere; ways lead to each of its leaves", () => {
  const [message] = messagesOf([raw(0, {components: [component("Play", {list: [1, {b: null}]})], otid: null})]);
  assert.ok(message);
  const [first, ...others] = treeOf(message);
  assert.deepEqual([first?.name, ...others.map((one) => one.name)], ["dialogue", "components"]);
  const leaf = others[0]?.children[0]?.children[2]?.children[0]?.children[1]?.children[0];
  assert.equal(leaf?.path, "components[0].arguments.list[1].b");
  assert.deepEqual(ways("a[0].b"), ["a", "a[0]", "a[0].b"]);
});

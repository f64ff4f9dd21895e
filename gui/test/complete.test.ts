import assert from "node:assert/strict";
import {test} from "node:test";
import {type Member, memberOf, type Operation} from "../src/core/catalogue";
import {isObject, type JsonObject, parse, valueAt} from "../src/core/json";
import {type Known, offersAt, problemSteps} from "../src/editor/complete";

function members(raw: Record<string, JsonObject>): Member[] {
  return Object.entries(raw).map(([name, one]) => memberOf(name, one));
}

function operation(type: string, args: Record<string, JsonObject> | null): Operation {
  const attributes = members({
    type: {type: "string", required: true, help: "the type"},
    comment: {type: "string", help: "for readers"},
    when: {type: "string", choices: ["always", "never"]},
    tests: {type: "array", items: {type: "object", members: {kpath: {type: "string"}, abort_on_fail: {type: "boolean"}}}},
    arguments: {type: "object"},
  });
  const whole = args && memberOf("arguments", {type: "object", members: args});
  return {type, family: "inap", summary: `what ${type} does`, attributes, args: whole, example: {}, raw: {}};
}

const CONNECT = operation("inap.ssp_from_scp.Connect", {
  destinationRoutingAddress: {type: "octets", keys: ["destinationRoutingAddress", "destinationRoutingAddress_digits", "destinationRoutingAddress_hex"]},
  cutAndPaste: {type: "integer", minimum: 0},
  suspended: {type: "boolean"},
  category: {type: "enumerated", names: {"0": "none", "10": "ordinary"}, keys: ["category", "category_name"]},
  leg: {type: "sequence", members: {side: {type: "enumerated", names: {"1": "leg1", "2": "leg2"}}}},
  events: {type: "array", items: {type: "sequence", members: {mode: {type: "enumerated", names: {"0": "interrupted"}}, timer: {type: "integer", unit: "s"}}}},
});

const KNOWN: Known = {
  operations: new Map([CONNECT, operation("inap.ssp_to_scp.InitialDP", {key: {type: "integer", required: true}}), operation("db.<label>.<statement>", null), operation("eval", {})].map((one) => [one.type, one])),
  members: members({
    name: {type: "string"},
    operations: {type: "array"},
    log: {type: "string", choices: ["none", "all"]},
    is_fast: {type: "boolean"},
  }),
};

/** Returns what is offered at the | of a text. */
function offered(marked: string): string[] {
  const found = offersAt(marked.replace("|", ""), marked.indexOf("|"), KNOWN);
  return found ? found.options.map((one) => one.label) : [];
}

/** Returns the text after an offer at the | was taken. */
function taken(marked: string, label: string): string {
  const text = marked.replace("|", "");
  const found = offersAt(text, marked.indexOf("|"), KNOWN);
  const offer = found?.options.find((one) => one.label === label);
  assert.ok(found && offer, `${label} is not offered at ${marked}`);
  return text.slice(0, found.from) + offer.apply + text.slice(found.to);
}

const HEAD = '{"operations": [{"type": "inap.ssp_from_scp.Connect", ';

test("members of the definition, but those that stand there", () => {
  assert.deepEqual(offered("{|}"), ["name", "operations", "log", "is_fast"]);
  assert.deepEqual(offered('{"name": "n", "|"}'), ["operations", "log", "is_fast"]);
  assert.deepEqual(offered('{"name": "n", "l|'), ["operations", "log", "is_fast"]);
  assert.deepEqual(offered('{"name": "n", "log": "all", |'), ["operations", "is_fast"]);
});

test("values of the definition", () => {
  assert.deepEqual(offered('{"log": |}'), ["none", "all"]);
  assert.deepEqual(offered('{"log": "|"}'), ["none", "all"]);
  assert.deepEqual(offered('{"is_fast": |'), ["true", "false"]);
  assert.deepEqual(offered('{"name": |}'), []);
  assert.deepEqual(offered('{"nobody": |}'), []);
});

test("types: all of them, wherever one begins to write one", () => {
  const types = [...KNOWN.operations.keys()];
  for (const marked of ['{"operations": [{"type": "inap.ssp|"}]}', '{"operations": [{"type": "inap.ssp|', '{"operations": [{"type": |', '{"operations": [{}, {"type": "|"}]}']) {
    assert.deepEqual(offered(marked), types, marked);
  }
  assert.equal(taken('{"operations": [{"type": "inap.ssp|"}]}', "inap.ssp_from_scp.Connect"), '{"operations": [{"type": "inap.ssp_from_scp.Connect"}]}');
  const summary = offersAt('{"operations": [{"type": ""}]}', 26, KNOWN)?.options[0]?.detail;
  assert.equal(summary, "what inap.ssp_from_scp.Connect does");
});

test("members of an operation, by its type before or behind", () => {
  const all = ["comment", "when", "tests", "arguments"];
  assert.deepEqual(offered(`${HEAD}|}]}`), all);
  assert.deepEqual(offered(`${HEAD}"|`), all);
  assert.deepEqual(offered('{"operations": [{|}]}').sort(), ["type"]);
  assert.deepEqual(offered('{"operations": [{"arguments": {"|"}, "type": "inap.ssp_to_scp.InitialDP"}]}'), ["key"]);
  assert.deepEqual(offered('{"operations": [{"type": "db.crm.Find", "|"}]}'), all);
  assert.deepEqual(offered('{"operations": [{"type": "nobody.knows", "|"}]}'), []);
});

test("arguments: each spelling once, none of a member that stands there in any", () => {
  const spelled = ["destinationRoutingAddress", "destinationRoutingAddress_digits", "destinationRoutingAddress_hex"];
  const others = ["cutAndPaste", "suspended", "category", "category_name", "leg", "events"];
  assert.deepEqual(offered(`${HEAD}"arguments": {|}}]}`), [...spelled, ...others]);
  assert.deepEqual(offered(`${HEAD}"arguments": {"destinationRoutingAddress_hex": "00", "|"}}]}`), others);
  assert.deepEqual(offered(`${HEAD}"arguments": {"destinationRoutingAddress_hex": "00", "|`), others);
});

test("enumerations, truths, and what is deep in arguments", () => {
  assert.deepEqual(offered(`${HEAD}"arguments": {"category": |}}]}`), ["none", "ordinary"]);
  assert.deepEqual(offered(`${HEAD}"arguments": {"category_name": "o|"}}]}`), ["none", "ordinary"]);
  assert.deepEqual(offered(`${HEAD}"arguments": {"suspended": |`), ["true", "false"]);
  assert.deepEqual(offered(`${HEAD}"arguments": {"leg": {"side": "|"}}}]}`), ["leg1", "leg2"]);
  assert.deepEqual(offered(`${HEAD}"arguments": {"events": [{"mode": 0}, {"|"}]}}]}`), ["mode", "timer"]);
  assert.deepEqual(offered(`${HEAD}"arguments": {"events": [{"timer": 1, "mode": "|`), ["interrupted"]);
  assert.deepEqual(offered(`${HEAD}"tests": [{"kpath": "a", "|"}]}]}`), ["abort_on_fail"]);
  assert.deepEqual(offered(`${HEAD}"when": "|"}]}`), ["always", "never"]);
});

test("what is taken makes a JSON text of what was one", () => {
  for (const marked of ['{"operations": [{"|"}]}', '{"operations": [{"t|"}]}', '{"operations": [{|}]}']) {
    assert.deepEqual(parse(taken(marked, "type").replace(/: $|: (?=[,}])/, ': ""')), {operations: [{type: ""}]});
  }
  assert.equal(taken('{"l|": "all"}', "log"), '{"log": "all"}');
  assert.equal(taken('{"log": no|}', "none"), '{"log": "none"}');
});

test("nothing is offered twice, nor what stands there; no text and no place is too broken", () => {
  const whole = `${HEAD}"when": "always", "arguments": {"category": 1, "leg": {"side": 1}, "events": [{"mode": 0, "timer": 5}]}, "tests": [{"kpath": "a[0].b"}]}, {"type": "eval"}], "name": "a \\"quoted\\" {[,:", "log": "all"}`;
  assert.ok(isObject(valueAt(parse(whole), ["operations", 0])));
  const texts = [whole, whole.slice(0, 90), whole.replaceAll('"', ""), whole.replaceAll(":", ""), whole.replaceAll(",", ",,"), JSON.stringify(parse(whole), null, 2), "[[[[", "]}", '"', ""];
  for (const text of texts) {
    for (let offset = 0; offset <= text.length; offset += 1) {
      const found = offersAt(text, offset, KNOWN);
      if (!found) continue;
      const labels = found.options.map((one) => one.label);
      assert.equal(new Set(labels).size, labels.length, `${text} at ${offset}`);
      assert.ok(found.from <= offset && found.to >= offset && found.to <= text.length, `${found.from} ${offset} ${found.to}`);
    }
  }
});

test("the path of a problem", () => {
  assert.deepEqual(problemSteps("/operations/1/arguments/a~1b"), ["operations", 1, "arguments", "a/b"]);
  assert.deepEqual(problemSteps(""), []);
});

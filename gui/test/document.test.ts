import assert from "node:assert/strict";
import {test} from "node:test";
import {insertAt, moveAt, nodeAt, octetsAt, rangeAt, renameAt, setAt, textMember} from "../src/core/document";
import {Exact, isObject, type Json, parse, type Step, valueAt, write} from "../src/core/json";
import {anyValue, Chance, NAMES, objectOf} from "./support";

const LAYOUTS = ["lines", "tabs", "crlf", "none", "odd"] as const;

/** Returns a value as a text of one of the ways people write JSON. */
function laidOut(value: Json, layout: (typeof LAYOUTS)[number], chance: Chance): string {
  if (layout === "none") return write(value);
  if (layout === "lines") return write(value, 1 + chance.whole(4));
  if (layout === "crlf") return `${write(value, 4).replaceAll("\n", "\r\n")}\r\n`;
  if (layout === "tabs") return write(value, 1).replace(/^ +/gm, (blanks) => "\t".repeat(blanks.length));
  const blank = (): string => chance.one(["", "", " ", "  ", "\n", "\t", "\r\n  ", "\n\n"]);
  const odd = (one: Json): string => {
    const parts = Array.isArray(one)
      ? one.map((inner) => blank() + odd(inner) + blank())
      : isObject(one)
        ? Object.entries(one).map(([name, inner]) => `${blank()}${JSON.stringify(name)}${blank()}:${blank()}${odd(inner)}${blank()}`)
        : null;
    if (!parts) return write(one);
    const inside = parts.length ? parts.join(",") : blank();
    return Array.isArray(one) ? `[${inside}]` : `{${inside}}`;
  };
  return blank() + odd(value) + blank();
}

function anyDocument(chance: Chance): {text: string; value: Json} {
  const value = objectOf([["list", [anyValue(chance), anyValue(chance)]], ["object", anyValue(chance)], ["name", "n"]]);
  return {text: laidOut(value, chance.one(LAYOUTS), chance), value};
}

/** Returns the paths of all that is in a value, but not of itself. */
function pathsOf(value: Json, above: readonly Step[] = []): Step[][] {
  const inner: [Step, Json][] = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return inner.flatMap(([step, one]) => [[...above, step], ...pathsOf(one, [...above, step])]);
}

/** Returns a copy in which another container stands at a path. */
function withAt(value: Json, path: readonly Step[], change: (one: Json) => Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return value.map((one, index) => (index === step ? withAt(one, rest, change) : one));
  if (!isObject(value)) return value;
  return objectOf(Object.entries(value).map(([name, one]) => [name, name === step ? withAt(one, rest, change) : one] as const));
}

/** Fails unless all outside the value at a path has its octets. */
function keepsOutside(before: string, after: string, path: readonly Step[]): void {
  const old = nodeAt(before, path);
  const node = nodeAt(after, path);
  assert.ok(old && node);
  assert.equal(after.slice(0, node.offset), before.slice(0, old.offset));
  assert.equal(after.slice(node.offset + node.length), before.slice(old.offset + old.length));
}

/** Fails unless a text came from another by one part put in or taken out. */
function hasPartMore(longer: string, shorter: string): void {
  let start = 0;
  while (start < shorter.length && longer[start] === shorter[start]) start += 1;
  assert.equal(longer.slice(start + longer.length - shorter.length), shorter.slice(start));
}

const ROUNDS = 1500;

test("setAt in place of a value: the value is that, all else has its octets", () => {
  const chance = new Chance(11);
  for (let round = 0; round < ROUNDS; round += 1) {
    const {text, value} = anyDocument(chance);
    const path = chance.one(pathsOf(value));
    const next = anyValue(chance);
    const after = setAt(text, path, next);
    assert.deepEqual(parse(after), withAt(value, path, () => next), text);
    keepsOutside(text, after, path);
    const old = valueAt(value, path) ?? null;
    assert.deepEqual(parse(setAt(after, path, old)), value);
    if (!isObject(old) && !Array.isArray(old)) assert.equal(setAt(after, path, old), text);
  }
});

test("setAt of a new member, then without it: the same octets", () => {
  const chance = new Chance(12);
  for (let round = 0; round < ROUNDS; round += 1) {
    const {text, value} = anyDocument(chance);
    const objects = [[], ...pathsOf(value)].filter((path) => isObject(valueAt(value, path)));
    const path = chance.one(objects);
    const there = valueAt(value, path);
    const name = NAMES.find((one) => isObject(there) && !Object.hasOwn(there, one)) ?? "new";
    const next = anyValue(chance);
    const after = setAt(text, [...path, name], next);
    assert.deepEqual(parse(after), withAt(value, path, (one) => objectOf([...Object.entries(one as object), [name, next]])), text);
    keepsOutside(text, after, path);
    const isEmpty = isObject(there) && !Object.keys(there).length;
    if (!isEmpty) hasPartMore(after, text);
    const back = setAt(after, [...path, name], undefined);
    if (isEmpty) assert.deepEqual(parse(back), value);
    else assert.equal(back, text);
  }
});

test("insertAt any place of any array, then without it: the same octets", () => {
  const chance = new Chance(13);
  for (let round = 0; round < ROUNDS; round += 1) {
    const {text, value} = anyDocument(chance);
    const path = chance.one(pathsOf(value).filter((one) => Array.isArray(valueAt(value, one))));
    const list = valueAt(value, path) as Json[];
    const index = chance.whole(list.length + 2);
    const next = anyValue(chance);
    const after = insertAt(text, path, index, next);
    assert.deepEqual(parse(after), withAt(value, path, () => [...list.slice(0, index), next, ...list.slice(index)]), text);
    keepsOutside(text, after, path);
    if (list.length) hasPartMore(after, text);
    const back = setAt(after, [...path, Math.min(index, list.length)], undefined);
    if (list.length) assert.equal(back, text);
    else assert.deepEqual(parse(back), value);
  }
});

test("setAt of undefined: the others keep their octets", () => {
  const chance = new Chance(14);
  for (let round = 0; round < ROUNDS; round += 1) {
    const {text, value} = anyDocument(chance);
    const path = chance.one(pathsOf(value));
    const last = path.at(-1);
    const after = setAt(text, path, undefined);
    const wanted = withAt(value, path.slice(0, -1), (one) =>
      Array.isArray(one) ? one.filter((_, index) => index !== last) : objectOf(Object.entries(one as object).filter(([name]) => name !== last)),
    );
    assert.deepEqual(parse(after), wanted, text);
    hasPartMore(text, after);
  }
});

test("moveAt: each element keeps its octets, and back it is the same text", () => {
  const chance = new Chance(15);
  for (let round = 0; round < ROUNDS; round += 1) {
    const {text, value} = anyDocument(chance);
    const path = chance.one(pathsOf(value).filter((one) => Array.isArray(valueAt(value, one))));
    const size = (valueAt(value, path) as Json[]).length;
    const [from, to] = [chance.whole(size + 1), chance.whole(size + 1)];
    const after = moveAt(text, path, from, to);
    if (from >= size || to >= size) {
      assert.equal(after, text);
      continue;
    }
    const octets = Array.from({length: size}, (_, index) => octetsAt(text, [...path, index]));
    octets.splice(to, 0, ...octets.splice(from, 1));
    assert.deepEqual(Array.from({length: size}, (_, index) => octetsAt(after, [...path, index])), octets);
    keepsOutside(text, after, path);
    assert.equal(moveAt(after, path, to, from), text);
  }
});

test("renameAt: only the name changes; a name that is taken is not given twice", () => {
  const chance = new Chance(16);
  for (let round = 0; round < ROUNDS; round += 1) {
    const {text, value} = anyDocument(chance);
    const path = chance.one(pathsOf(value));
    const name = chance.one(NAMES);
    const [above, old] = [path.slice(0, -1), path.at(-1) ?? ""];
    const after = renameAt(text, path, name);
    const around = valueAt(value, above);
    if (!isObject(around) || Object.hasOwn(around, name)) {
      assert.deepEqual(parse(after), value);
      assert.ok(after === text || name === old);
      continue;
    }
    assert.equal(octetsAt(after, [...above, name]), octetsAt(text, path));
    assert.deepEqual(Object.keys(valueAt(parse(after), above) as object).length, Object.keys(around).length);
    assert.deepEqual(parse(renameAt(after, [...above, name], String(old))), value);
    keepsOutside(text, after, above);
  }
});

test("a long way of edits: undone by the texts that were kept, numbers never touched", () => {
  const chance = new Chance(17);
  const long = "12345678901234567890";
  const start = `{\r\n\t"keep" : [1.0,${long} , -0,1e400],\r\n\t"list": [],\r\n\t"name":"n"}\r\n`;
  const kept = [start];
  let text = start;
  for (let step = 0; step < 300; step += 1) {
    const size = (valueAt(parse(text), ["list"]) as Json[]).length;
    if (size && chance.is(0.3)) text = setAt(text, ["list", chance.whole(size)], undefined);
    else if (size > 1 && chance.is(0.3)) text = moveAt(text, ["list"], chance.whole(size), chance.whole(size));
    else text = insertAt(text, ["list"], chance.whole(size + 1), anyValue(chance));
    assert.ok(text.startsWith(`{\r\n\t"keep" : [1.0,${long} , -0,1e400],\r\n\t"list": [`));
    assert.ok(text.endsWith('],\r\n\t"name":"n"}\r\n'));
    assert.doesNotMatch(text, /[^\r]\n/);
    kept.push(text);
  }
  assert.equal(kept[0], start);
  while (size(text)) text = setAt(text, ["list", 0], undefined);
  assert.equal(text, start);
});

function size(text: string): number {
  return (valueAt(parse(text), ["list"]) as Json[]).length;
}

test("numbers that a double can't hold are set as they are, however deep", () => {
  const deep = {a: [new Exact("12345678901234567890"), {b: new Exact("1.0")}]};
  assert.equal(setAt('{"x":1}', ["y"], deep), '{"x":1,"y":{"a":[12345678901234567890,{"b":1.0}]}}');
  assert.equal(setAt('{"x":1}', ["x"], deep), '{"x":{"a":[12345678901234567890,{"b":1.0}]}}');
  assert.equal(insertAt('{"x":[1]}', ["x"], 0, deep), '{"x":[{"a":[12345678901234567890,{"b":1.0}]},1]}');
  assert.equal(setAt("{}", [], new Exact("1e400")), "1e400");
});

test("what is put in stands as its neighbours do", () => {
  const lines = '{\n    "a": {"b": 1},\n    "c": [\n        {\n            "d": 1\n        }\n    ]\n}\n';
  assert.equal(
    insertAt(lines, ["c"], 1, {d: [1, 2], e: {}}),
    lines.replace("        }\n    ]", '        },\n        {\n            "d": [1, 2],\n            "e": {}\n        }\n    ]'),
  );
  assert.equal(setAt(lines, ["a", "x"], {y: [true]}), lines.replace('{"b": 1}', '{"b": 1, "x": {"y": [true]}}'));
  assert.equal(setAt(lines, ["f"], {g: 1}), lines.replace("    ]\n}", '    ],\n    "f": {\n        "g": 1\n    }\n}'));
  assert.equal(setAt("{}", ["a", "b"], 1), '{\n  "a": {\n    "b": 1\n  }\n}');
  assert.equal(setAt('{"a":1}', ["b"], [1, 2]), '{"a":1,"b":[1,2]}');
  assert.equal(insertAt('{\r\n\t"a": []\r\n}', ["a"], 0, {b: 1}), '{\r\n\t"a": [\r\n\t\t{\r\n\t\t\t"b": 1\r\n\t\t}\r\n\t]\r\n}');
});

test("an empty text, and ways that are not there", () => {
  assert.deepEqual(parse(setAt("", ["operations", 0, "type"], "wait")), {operations: [{type: "wait"}]});
  assert.equal(setAt('{"a":null}', ["a", "b"], 1), '{"a":{"b":1}}');
  assert.equal(setAt('{"a":[1]}', ["a", 9], 2), '{"a":[1,2]}');
  assert.equal(setAt('{"a":[1]}', ["a", "b"], 2), '{"a":[1]}');
  assert.equal(setAt('{"a":[1]}', ["a", 9], undefined), '{"a":[1]}');
  assert.equal(setAt('{"a":1}', ["b", "c"], undefined), '{"a":1}');
  assert.equal(setAt('{"a":1}', [], undefined), '{"a":1}');
  assert.equal(insertAt('{"a":1}', ["b"], 3, 2), '{"a":1,"b":[2]}');
});

test("the steps of a pointer reach a member whose name is a number", () => {
  const text = '{"operations":{"1":{"exits":[2]},"2":{}}}';
  assert.equal(octetsAt(text, ["operations", 1, "exits", "0"]), "2");
  assert.equal(setAt(text, ["operations", 1, "exits", 0], 3), text.replace("[2]", "[3]"));
  assert.equal(nodeAt(text, ["operations", 1, "exits", "x"]), undefined);
});

test("rangeAt: the value, or the beginning of what it is missing in", () => {
  const chance = new Chance(18);
  for (let round = 0; round < 300; round += 1) {
    const {text, value} = anyDocument(chance);
    const path = chance.one(pathsOf(value));
    const {from, to} = rangeAt(text, path);
    const octets = octetsAt(text, path) ?? "";
    assert.equal(text.slice(from, to), octets.length < 400 ? octets : octets.slice(0, 1));
    const missing = rangeAt(text, [...path, "no such name", 3]);
    assert.deepEqual(missing, {from, to: from + 1});
  }
  assert.deepEqual(rangeAt("", ["a"]), {from: 0, to: 0});
  assert.deepEqual(rangeAt('{"a":', ["a"]), {from: 0, to: 1});
});

test("textMember", () => {
  assert.equal(textMember('{"name":"a","n":1}', "name"), "a");
  assert.equal(textMember('{"name":"a","n":1}', "n"), "");
  assert.equal(textMember("{", "name"), "");
});

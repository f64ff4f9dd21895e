import assert from "node:assert/strict";
import {test} from "node:test";
import {Exact, isObject, type Json, numberAt, parse, parseAnswer, steps, valueAt, write} from "../src/core/json";
import {anyValue, Chance, NAMES, NUMBERS, numberOf, numberText, objectOf} from "./support";

test("numbers come back as they were written", () => {
  for (const text of NUMBERS) {
    const document = `{"a":[${text}],"b":${text}}`;
    assert.equal(write(parse(document)), document);
    assert.deepEqual(parse(text), numberOf(text), text);
  }
});

test("numbers of any form come back as they were written", () => {
  const chance = new Chance(1);
  for (let round = 0; round < 20_000; round += 1) {
    const text = numberText(chance);
    assert.equal(write(parse(text)), text);
    assert.deepEqual(parse(`[${text}]`), [numberOf(text)]);
  }
});

test("a number that a double holds is a number", () => {
  assert.deepEqual(parse("[0,1,-1,0.5,9007199254740991,3.14159]"), [0, 1, -1, 0.5, 9007199254740991, 3.14159]);
});

test("values of any shape come back, with and without indents", () => {
  const chance = new Chance(2);
  for (let round = 0; round < 3000; round += 1) {
    const value = anyValue(chance);
    for (const indent of [0, 2, 4]) assert.deepEqual(parse(write(value, indent)), value);
    assert.equal(write(parse(write(value))), write(value));
  }
});

test("what reads like a number in a text, or like the mark of one, is a text", () => {
  const texts = ["1.0", "12345678901234567890", "#1.0", "\ue000", "\ue0001.0", "\ue0017", 'a"1.0', "\\", '\\"1e5'];
  const document = `[1.0,${texts.map((one) => JSON.stringify(one)).join(",")},"\\uE0001.0","\\ue0011.0"]`;
  assert.deepEqual(parse(document), [new Exact("1.0"), ...texts, "\ue0001.0", "\ue0011.0"]);
});

test("what is no JSON is refused", () => {
  const wrong = ["", "01", "1.", ".5", "+1", "1e", "-", "1.0.0", "[1.0,]", '{"a":1e400', "NaN", "1.0 2.0", "'1.0'", "[12345678901234567890-]"];
  for (const text of wrong) assert.throws(() => parse(text), SyntaxError, text);
});

test("write leaves out what is undefined and knows no number that JSON does not", () => {
  assert.equal(write({a: undefined, b: [undefined, Number.NaN], c: new Exact("1.0")}), '{"b":[null,null],"c":1.0}');
  assert.equal(write({a: [], b: {}}, 2), '{\n  "a": [],\n  "b": {}\n}');
});

test("an Exact is a number to those who count and no object", () => {
  assert.equal(isObject(new Exact("1.0")), false);
  assert.equal(numberAt({n: new Exact("1.0")}, "n"), 1);
  assert.equal(numberAt({n: "1"}, "n"), null);
});

test("steps of paths", () => {
  assert.deepEqual(steps("a.b[0].c"), ["a", "b", 0, "c"]);
  assert.deepEqual(steps("components[12].arguments[0][1]"), ["components", 12, "arguments", 0, 1]);
  assert.deepEqual(steps("operations.3.config"), ["operations", "3", "config"]);
  assert.deepEqual(steps(""), []);
});

test("steps of JSON pointers, by the examples of RFC 6901", () => {
  const document = parse(
    '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}',
  );
  const wanted: [string, Json][] = [
    ["/foo/0", "bar"], ["/foo/1", "baz"], ["/", 0], ["/a~1b", 1], ["/c%d", 2], ["/e^f", 3], ["/g|h", 4], ["/i\\j", 5],
    ['/k"l', 6], ["/ ", 7], ["/m~0n", 8],
  ];
  for (const [pointer, value] of wanted) assert.equal(valueAt(document, steps(pointer)), value, pointer);
  assert.deepEqual(steps("/~01"), ["~1"]);
  assert.deepEqual(steps("/01/-1/10"), ["01", "-1", 10]);
});

test("the pointer of any value leads to it", () => {
  const chance = new Chance(3);
  const walk = (document: Json, value: Json, pointer: string): void => {
    if (pointer) assert.deepEqual(valueAt(document, steps(pointer)), value, pointer);
    const inner: [string, Json][] = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
    for (const [name, one] of inner) {
      walk(document, one, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    }
  };
  for (let round = 0; round < 1000; round += 1) {
    const document = anyValue(chance);
    walk(document, document, "");
  }
  assert.deepEqual(NAMES.filter((name) => valueAt(objectOf([[name, 1]]), [name]) !== 1), []);
});

test("what is not there is undefined", () => {
  const document = parse('{"a":[1],"b":null,"n":1.0}');
  for (const path of ["x", "a[1]", "a.length", "b.c", "n.text", "toString", "a[0].b"]) {
    assert.equal(valueAt(document, steps(path)), undefined, path);
  }
  assert.equal(valueAt(document, steps("b")), null);
});

test("an answer keeps the numbers that a double can't hold, and no others as Exact", () => {
  const text = '{"a":[1.0,1e-05,200.0,0.1,12345678901234567890,-9007199254740993,0.12345678901234567,1.7976931348623157e308,9007199254740991],"hex":"12345678901234567890"}';
  const found = parseAnswer(text) as {a: unknown[]; hex: string};
  assert.deepEqual(found.a.slice(0, 4), [1, 0.00001, 200, 0.1]);
  assert.deepEqual(found.a.slice(4).map(String), [
    "12345678901234567890",
    "-9007199254740993",
    "0.12345678901234567",
    "1.7976931348623157e308",
    "9007199254740991",
  ]);
  assert.ok(found.a[4] instanceof Exact && found.a[5] instanceof Exact);
  assert.equal(found.hex, "12345678901234567890");
});

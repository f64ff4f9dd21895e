import assert from "node:assert/strict";
import {test} from "node:test";
import type {Step} from "../src/core/json";
import {keyOf, wrongIn} from "../src/forms/wrong";

const DOCUMENT = {name: "n", flow: {operations: {"5": {config: {a: 1}}}}, operations: [{type: "wait", arguments: {seconds: "soon"}}]};

test("each problem stands at its field, or at the innermost one that is there", () => {
  const places: [Step[], Step[]][] = [
    [["name"], ["name"]],
    [["operations", 0, "arguments", "seconds"], ["operations", 0, "arguments", "seconds"]],
    [["operations", 0, "arguments", "comment"], ["operations", 0, "arguments"]],
    [["operations", 0, "tests", 3, "kpath"], ["operations", 0]],
    [["operations", 7], ["operations"]],
    [["flow", "operations", 5, "config", "a"], ["flow", "operations", "5", "config", "a"]],
    [["nothing"], []],
    [[], []],
  ];
  const problems = places.map(([path], index) => ({path, text: `${index}`, severity: "error"}));
  const found = wrongIn(DOCUMENT, problems);
  for (const [index, [, field]] of places.entries()) {
    assert.ok(found.get(keyOf(field))?.some((one) => one.text === `${index}`), `${index}`);
  }
  assert.equal([...found.values()].flat().length, places.length);
});

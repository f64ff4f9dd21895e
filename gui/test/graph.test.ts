import assert from "node:assert/strict";
import {readdirSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {test} from "node:test";
import {setAt} from "../src/core/document";
import {isObject, parse, valueAt} from "../src/core/json";
import {addNode, dropExit, exitName, type FlowGraph, type FlowNode, graphOf, litBy, pathOf, removeNode, wire} from "../src/flow/graph";
import {HEIGHT, layOut, WIDTH, widthFor} from "../src/flow/layout";
import {Chance} from "./support";

const FOLDER = join(process.cwd(), "..", "etc", "examples", "flows");
const FLOWS = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({name, text: readFileSync(join(FOLDER, name), "utf8")}));

function graph(text: string): FlowGraph {
  const found = graphOf(text);
  assert.ok(found);
  return found;
}

function nodeOf(text: string, id: number): FlowNode {
  const found = graph(text).nodes.find((one) => one.id === id);
  assert.ok(found, `no ${id}`);
  return found;
}

test("there are samples as an object and as a list", () => {
  assert.ok(FLOWS.length >= 7);
  assert.deepEqual(new Set(FLOWS.map(({text}) => graph(text).isList)), new Set([true, false]));
});

for (const {name, text} of FLOWS) {
  test(`${name}: a graph of all its operations`, () => {
    const document = parse(text);
    const found = graph(text);
    const operations = valueAt(document, ["operations"]);
    assert.ok(Array.isArray(operations) || isObject(operations));
    const given = Object.values(operations).filter(isObject);
    assert.equal(found.name, valueAt(document, ["name"]));
    assert.deepEqual(found.nodes.map((one) => ({id: one.id, type: one.type, exits: one.exits})), given.map((one) => ({id: one["id"], type: one["type"], exits: one["exits"] ?? []})));
    for (const node of found.nodes) assert.deepEqual(valueAt(document, pathOf(found, node)), node.raw);
  });

  test(`${name}: what is set to what it was keeps every octet`, () => {
    let same = text;
    const found = graph(text);
    for (const node of found.nodes) {
      node.exits.forEach((target, exit) => {
        same = wire(same, found, node, exit, target);
      });
      same = setAt(same, [...pathOf(found, node), "type"], node.type);
    }
    assert.equal(same, text);
  });

  test(`${name}: any wire elsewhere, then back: the same octets`, () => {
    const found = graph(text);
    for (const node of found.nodes) {
      node.exits.forEach((target, exit) => {
        for (const other of [...found.nodes.map((one) => one.id), null]) {
          const changed = wire(text, found, node, exit, other);
          const now = nodeOf(changed, node.id);
          assert.deepEqual(now.exits, node.exits.map((one, index) => (index === exit ? other : one)));
          assert.equal(wire(changed, graph(changed), now, exit, target), text);
        }
      });
    }
  });

  test(`${name}: an exit more, then without it: the same`, () => {
    const found = graph(text);
    for (const node of found.nodes) {
      const more = wire(text, found, node, node.exits.length, null);
      assert.deepEqual(nodeOf(more, node.id).exits, [...node.exits, null]);
      const back = dropExit(more, graph(more), nodeOf(more, node.id));
      if (node.exits.length) assert.equal(back, text);
      else assert.deepEqual(nodeOf(back, node.id).exits, []);
      const far = wire(text, found, node, node.exits.length + 2, node.id);
      assert.deepEqual(nodeOf(far, node.id).exits, [...node.exits, null, null, node.id]);
    }
  });

  test(`${name}: a node more, wired, then removed: the same octets`, () => {
    const found = graph(text);
    const made = addNode(text, found, "ReleaseCall", {config: {cause: 31}, exits: []}, 2);
    const added = nodeOf(made.text, made.id);
    assert.equal(found.nodes.some((one) => one.id === made.id), false);
    assert.deepEqual([added.type, added.exits, added.raw["config"], added.raw["base_node"]], ["ReleaseCall", [null, null], {cause: 31}, made.id]);
    assert.equal(added.key, found.isList ? String(found.nodes.length) : String(made.id));
    assert.deepEqual(graph(made.text).nodes.slice(0, -1), found.nodes);
    assert.equal(removeNode(made.text, graph(made.text), added), text);
    const [first] = found.nodes;
    assert.ok(first);
    const wired = wire(made.text, graph(made.text), first, 0, made.id);
    const gone = removeNode(wired, graph(wired), nodeOf(wired, made.id));
    assert.equal(wire(gone, graph(gone), nodeOf(gone, first.id), 0, first.exits[0] ?? null), text);
  });

  test(`${name}: without a node nothing leads to it, and all else is as it was`, () => {
    const found = graph(text);
    for (const node of found.nodes) {
      const left = graph(removeNode(text, found, node));
      assert.deepEqual(left.nodes.map((one) => one.id), found.nodes.filter((one) => one !== node).map((one) => one.id));
      for (const one of left.nodes) {
        const before = nodeOf(text, one.id);
        assert.deepEqual(one.exits, before.exits.map((target) => (target === node.id ? null : target)));
        assert.deepEqual({...one.raw, exits: 0}, {...before.raw, exits: 0});
      }
    }
  });

  test(`${name}: no node stands upon another, and none leaves the picture`, () => {
    const found = graph(text);
    const {spots, width, height} = layOut(found, {});
    assert.equal(spots.size, found.nodes.length);
    const places = [...spots.values()];
    places.forEach((one, index) => {
      assert.ok(one.x >= 0 && one.y >= 0 && one.x + WIDTH <= width && one.y + HEIGHT <= height);
      for (const other of places.slice(index + 1)) {
        assert.ok(Math.abs(one.x - other.x) >= WIDTH || Math.abs(one.y - other.y) >= HEIGHT);
      }
    });
    assert.deepEqual(layOut(found, {}), {spots, width, height});
    const [first] = found.nodes;
    assert.ok(first);
    const dragged = layOut(found, {[first.id]: {x: 5000, y: 4000}});
    assert.deepEqual(dragged.spots.get(first.id), {x: 5000, y: 4000});
    assert.ok(dragged.width >= 5000 + WIDTH && dragged.height >= 4000 + HEIGHT);
  });
}

test("nodes as wide as the names of their exits ask for stand apart, and so do the names of one row", () => {
  const [first, second, third] = ["Busy/NoAnswer", "Insufficient Digits", "No Match"] as const;
  const width = widthFor([first, second, third]);
  const apart = width / 4; // from exit to exit; every second one stands in the same row
  assert.ok(2 * apart >= 5.6 * (first.length + third.length) / 2);
  assert.ok(apart >= 5.6 * second.length / 2);
  assert.equal(widthFor([]), WIDTH);
  assert.ok(widthFor(["Yes, it matches", "No, it does not"]) >= 3 * 15 * 5.6);
  for (const {text} of FLOWS) {
    const found = graph(text);
    const places = [...layOut(found, {}, (node) => (node.id % 2 ? width : WIDTH)).spots];
    places.forEach(([id, one], index) => {
      for (const [otherId, other] of places.slice(index + 1)) {
        const [left] = one.x < other.x ? [id] : [otherId];
        assert.ok(Math.abs(one.x - other.x) >= (left % 2 ? width : WIDTH) || Math.abs(one.y - other.y) >= HEIGHT);
      }
    });
  }
});

test("edits at random, each undone by the text before it, stay a document of the same shape", () => {
  const chance = new Chance(51);
  for (const {text} of FLOWS) {
    let now = text;
    for (let step = 0; step < 60; step += 1) {
      const found = graph(now);
      const node = chance.one(found.nodes);
      const kind = chance.whole(4);
      if (kind === 0) now = addNode(now, found, "Goto", {}, chance.whole(3)).text;
      else if (kind === 1 && found.nodes.length > 1) now = removeNode(now, found, node);
      else if (kind === 2) now = dropExit(now, found, node);
      else now = wire(now, found, node, chance.whole(node.exits.length + 2), chance.one(found.nodes).id);
      const ids = graph(now).nodes.map((one) => one.id);
      assert.equal(new Set(ids).size, ids.length);
      for (const one of graph(now).nodes) {
        if (!graph(now).isList) assert.equal(one.key, String(one.id));
      }
    }
    const head = text.slice(0, text.indexOf('"operations"'));
    assert.ok(now.startsWith(head));
  }
});

test("from nothing: the first node of a flow", () => {
  for (const text of ["{}", '{"name":"n"}', '{\n  "operations": {}\n}\n', '{"operations":[]}']) {
    const made = addNode(text, graph(text), "Start", {}, 1);
    assert.deepEqual(graph(made.text).nodes.map((one) => [one.id, one.type, one.exits]), [[1, "Start", [null]]]);
  }
});

test("what is no flow, and what is wrong in one", () => {
  for (const text of ["", "[]", "1", '{"operations":', "null"]) assert.equal(graphOf(text), null);
  assert.deepEqual(graph('{"operations":3}').nodes, []);
  const odd = graph('{"operations":{"1":null,"x":{"exits":["a",2,1.0]},"5":{"id":5}}}');
  assert.deepEqual(odd.nodes.map((one) => [one.key, one.exits]), [["5", []], ["x", [null, 2, null]]]);
  assert.deepEqual([...layOut(odd, {}).spots.values()].filter((one) => Number.isNaN(one.x)), []);
  const made = addNode('{"operations":{"x":{}}}', graph('{"operations":{"x":{}}}'), "Start", {}, 0);
  assert.equal(made.id, 1);
});

test("names of exits", () => {
  const layouts = [["Success", "Failure"], ["Success", "Failure", "No answer"]];
  assert.equal(exitName(layouts, 1, 2), "Failure");
  assert.equal(exitName(layouts, 2, 3), "No answer");
  assert.equal(exitName(layouts, 1, 7), "Failure");
  assert.equal(exitName(layouts, 4, 7), "Exit 4");
  assert.equal(exitName([], 0, 1), "Default");
  assert.equal(exitName([], 1, 2), "Exit 1");
});

test("the path of a traced call", () => {
  const lit = litBy([{operation: 1, exit: 0}, {operation: 2, exit: null}, {other: 3}, null]);
  assert.deepEqual([[...lit.nodes], [...lit.edges]], [[1, 2], ["1 0"]]);
});

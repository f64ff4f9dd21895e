/**
 * A flow document as a graph, and edits of it. Pure: what is not changed keeps its octets, so that
 * every valid document comes back as it was.
 */

import {octetsAt, setAt} from "../core/document";
import {isObject, type Json, type JsonObject, listAt, numberAt, parse, type Step, textAt} from "../core/json";

export interface FlowNode {
  key: string; // the member's name in `operations`, or the index
  id: number;
  type: string;
  label: string;
  exits: (number | null)[];
  raw: JsonObject;
}

export interface FlowGraph {
  name: string;
  nodes: FlowNode[];
  isList: boolean;
}

/** Returns the graph of a text; null if it is no flow document at all. */
export function graphOf(text: string): FlowGraph | null {
  let document: Json;
  try {
    document = parse(text);
  } catch {
    return null;
  }
  if (!isObject(document)) return null;
  const operations = document["operations"];
  const pairs: [string, Json][] = Array.isArray(operations)
    ? operations.map((one, index) => [String(index), one])
    : isObject(operations)
      ? Object.entries(operations)
      : [];
  const nodes = pairs.filter(([, raw]) => isObject(raw)).map(([key, raw]) => nodeOf(key, raw as JsonObject));
  return {name: textAt(document, "name"), nodes, isList: Array.isArray(operations)};
}

function nodeOf(key: string, raw: JsonObject): FlowNode {
  const id = numberAt(raw, "id") ?? Number(key);
  const exits = listAt(raw, "exits").map((one) => (typeof one === "number" ? one : null));
  return {key, id, type: textAt(raw, "type"), label: textAt(raw, "name") || textAt(raw, "comment"), exits, raw};
}

export function pathOf(graph: FlowGraph, node: FlowNode): Step[] {
  return ["operations", graph.isList ? Number(node.key) : node.key];
}

/** Returns the text with another target for an exit; null attaches it to nothing. */
export function wire(text: string, graph: FlowGraph, node: FlowNode, exit: number, target: number | null): string {
  const path = [...pathOf(graph, node), "exits"];
  let found = text;
  for (let at = node.exits.length; at < exit; at += 1) found = setAt(found, [...path, at], null);
  return setAt(found, [...path, exit], target);
}

/** Returns the text without the last exit of a node. */
export function dropExit(text: string, graph: FlowGraph, node: FlowNode): string {
  return node.exits.length ? setAt(text, [...pathOf(graph, node), "exits", node.exits.length - 1], undefined) : text;
}

/** Returns the text with a node more, and its id. */
export function addNode(text: string, graph: FlowGraph, type: string, example: JsonObject, exits: number): {text: string; id: number} {
  const id = Math.max(0, ...graph.nodes.map((one) => one.id).filter(Number.isFinite)) + 1;
  const config = example["config"];
  const entry: JsonObject = {id, type, base_node: id};
  if (isObject(config)) entry["config"] = config;
  entry["exits"] = Array.from({length: exits}, () => null);
  const path: Step[] = ["operations", graph.isList ? graph.nodes.length : String(id)];
  const whole = octetsAt(text, ["operations"]) === undefined ? setAt(text, ["operations"], {}) : text;
  return {text: setAt(whole, path, entry), id};
}

/** Returns the text without a node; exits that led to it lead nowhere. */
export function removeNode(text: string, graph: FlowGraph, node: FlowNode): string {
  let found = text;
  for (const other of graph.nodes) {
    other.exits.forEach((target, exit) => {
      if (other !== node && target === node.id) found = wire(found, graph, other, exit, null);
    });
  }
  return setAt(found, pathOf(graph, node), undefined);
}

/** Returns the name of an exit, by the layouts that the catalogue has for so many. */
export function exitName(layouts: readonly (readonly string[])[], index: number, count: number): string {
  const layout = layouts.find((one) => one.length === count) ?? layouts.find((one) => one.length > index);
  return layout?.[index] ?? (index === 0 && !layouts.length ? "Default" : `Exit ${index}`);
}

export interface Lit {
  nodes: Set<number>;
  edges: Set<string>; // "id exit"
}

/** Returns what a traced call came through. */
export function litBy(path: readonly Json[]): Lit {
  const lit: Lit = {nodes: new Set(), edges: new Set()};
  for (const step of path) {
    const id = numberAt(step, "operation");
    if (id === null) continue;
    lit.nodes.add(id);
    const exit = numberAt(step, "exit");
    if (exit !== null) lit.edges.add(`${id} ${exit}`);
  }
  return lit;
}

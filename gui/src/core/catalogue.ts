/** What a daemon says of its operations: asked once, again only if its etag has changed. */

import {call} from "./api";
import {isObject, type JsonObject, listAt, objectAt, textAt} from "./json";

export interface Member {
  name: string;
  type: string;
  required: boolean;
  help: string;
  unit: string;
  choices: string[]; // texts that may be given
  names: [string, string][]; // number and name of an enumeration
  minimum: number | null;
  maximum: number | null;
  keys: string[]; // spellings: `number`, `number_digits`, `number_hex` …
  variants: string[];
  members: Member[]; // of an object
  items: Member | null; // of an array
  default: unknown;
  isExpression: boolean;
  raw: JsonObject;
}

export interface Operation {
  type: string;
  family: string;
  summary: string;
  attributes: Member[];
  args: Member | null;
  example: JsonObject;
  raw: JsonObject;
}

const kept = new Map<string, Promise<Map<string, Operation>>>();

/** Returns all operation types of a daemon by their type, described. */
export function catalogue(daemon: string): Promise<Map<string, Operation>> {
  let found = kept.get(daemon);
  if (!found) {
    found = load(daemon, "DescribeOperations", operationOf);
    kept.set(daemon, found);
    found.catch(() => kept.delete(daemon));
  }
  return found;
}

export interface FlowOperation {
  type: string;
  summary: string;
  config: Member[];
  exitRule: string;
  exits: string[][];
  exitHelp: Record<string, string>;
  notes: string[];
  example: JsonObject;
}

const keptFlows = new Map<string, Promise<Map<string, FlowOperation>>>();

/** Returns all types of flow operations by their type. */
export function flowCatalogue(daemon: string): Promise<Map<string, FlowOperation>> {
  let found = keptFlows.get(daemon);
  if (!found) {
    found = load(daemon, "DescribeFlowOperations", flowOperationOf);
    keptFlows.set(daemon, found);
    found.catch(() => keptFlows.delete(daemon));
  }
  return found;
}

const keptParams = new Map<string, Promise<Member[]>>();

/** Returns the members of a definition beside its operations. */
export function definitionMembers(daemon: string): Promise<Member[]> {
  let found = keptParams.get(daemon);
  if (!found) {
    found = call(daemon, "DescribeDefinition").then((answer) => {
      return Object.entries(objectAt(answer, "properties")).map(([name, one]) => schemaMember(name, one));
    });
    keptParams.set(daemon, found);
    found.catch(() => keptParams.delete(daemon));
  }
  return found;
}

const DEEP = 5;

/** A member as JSON Schema has it; what is deeper than forms and completion go is left out. */
function schemaMember(name: string, one: unknown, depth = 0): Member {
  const whole = isObject(one) ? one : {};
  const found = {...whole, ...alternative(whole)};
  const type = found["type"];
  const plain = typeof type === "string" ? type : Array.isArray(type) ? String(type[0]) : "any";
  const values = listAt(found, "enum");
  const isTruth = values.includes(true);
  const member = memberOf(name, {type: isTruth ? "boolean" : plain});
  const deeper = depth < DEEP;
  const items = found["items"];
  return {
    ...member,
    help: textAt(whole, "description"),
    choices: isTruth ? [] : values.filter((value) => typeof value === "string"),
    default: found["default"],
    members: deeper
      ? Object.entries(objectAt(found, "properties"))
          .filter(([key]) => !["comment", "name", "description"].includes(key) || depth < 0)
          .map(([key, value]) => schemaMember(key, value, depth + 1))
      : [],
    items: deeper && isObject(items) ? schemaMember("", items, depth + 1) : null,
  };
}

function alternative(schema: JsonObject): JsonObject {
  const objects = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")].filter(isObject);
  return objects.find((one) => textAt(one, "type") === "object") ?? objects[0] ?? {};
}

async function load<T extends {type: string}>(
  daemon: string,
  method: string,
  of: (raw: JsonObject) => T,
): Promise<Map<string, T>> {
  const answer = await call(daemon, method);
  const found = listAt(answer, "operations").filter(isObject).map(of);
  return new Map(found.map((one) => [one.type, one]));
}

function operationOf(raw: JsonObject): Operation {
  const args = raw["arguments"];
  return {
    type: textAt(raw, "type"),
    family: textAt(raw, "family"),
    summary: textAt(raw, "summary"),
    attributes: membersOf(objectAt(raw, "attributes")),
    args: isObject(args) ? memberOf("arguments", args) : null,
    example: objectAt(raw, "example"),
    raw,
  };
}

function flowOperationOf(raw: JsonObject): FlowOperation {
  return {
    type: textAt(raw, "type"),
    summary: textAt(raw, "summary"),
    config: membersOf(objectAt(raw, "config")),
    exitRule: textAt(raw, "exit_rule"),
    exits: listAt(raw, "exits").map((one) => (Array.isArray(one) ? one.map(String) : [])),
    exitHelp: objectAt(raw, "exit_help") as Record<string, string>,
    notes: listAt(raw, "notes").map(String),
    example: objectAt(raw, "example"),
  };
}

function membersOf(raw: JsonObject): Member[] {
  return Object.entries(raw).map(([name, one]) => memberOf(name, isObject(one) ? one : {}));
}

export function memberOf(name: string, raw: JsonObject): Member {
  const of = raw["type"] === "by variant" ? {...raw, ...firstOf(raw)} : raw;
  const number = (key: string): number | null => (typeof of[key] === "number" ? of[key] : null);
  const items = of["items"];
  const choices = of["choices"];
  return {
    name,
    type: textAt(of, "type") || "any",
    required: of["required"] === true,
    help: textAt(of, "help"),
    unit: textAt(of, "unit"),
    choices: Array.isArray(choices) ? choices.filter((one) => typeof one === "string") : [],
    names: Object.entries(objectAt(of, "names")).map(([value, one]) => [value, String(one)]),
    minimum: number("minimum"),
    maximum: number("maximum"),
    keys: listAt(raw, "keys").map(String),
    variants: listAt(raw, "variants").map(String),
    members: membersOf(objectAt(of, "members")),
    items: isObject(items) ? memberOf("", items) : null,
    default: of["default"],
    isExpression: of["expression"] === true,
    raw,
  };
}

function firstOf(raw: JsonObject): JsonObject {
  const choices = listAt(raw, "choices");
  return isObject(choices[0]) ? choices[0] : {};
}

/** Returns all spellings of a member's name: at least the name. */
export function spellings(member: Member): string[] {
  return member.keys.length ? member.keys : member.name ? [member.name] : [];
}

/** Returns the member that a key of a document belongs to, in any of its spellings. */
export function memberFor(members: readonly Member[], key: string): Member | null {
  return members.find((one) => one.name === key) ?? members.find((one) => one.keys.includes(key)) ?? null;
}

/** Returns the description of a type as a document has it: labels of users stand for <label>. */
export function operationFor(known: ReadonlyMap<string, Operation>, type: string): Operation | null {
  const found = known.get(type);
  if (found) return found;
  const parts = type.split(".");
  for (const one of known.values()) {
    const wanted = one.type.split(".");
    if (!one.type.includes("<") || wanted.length !== parts.length) continue;
    if (wanted.every((part, index) => part.startsWith("<") || part === parts[index])) return one;
  }
  return null;
}

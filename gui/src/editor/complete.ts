/** What can stand at a place of a definition: pure, from the catalogue and the text. */

import {getLocation} from "jsonc-parser";
import {memberFor, type Member, type Operation, operationFor, spellings} from "../core/catalogue";
import {nodeAt} from "../core/document";
import {steps} from "../core/json";

export interface Offer {
  label: string;
  detail: string;
  info: string;
  apply: string;
}

export interface Offers {
  from: number;
  to: number;
  options: Offer[];
}

export interface Known {
  operations: ReadonlyMap<string, Operation>;
  members: readonly Member[];
}

/** Returns what can be written at an offset; null where nothing is known. */
export function offersAt(text: string, offset: number, known: Known): Offers | null {
  const location = getLocation(text, offset);
  const path = location.path.map((one) => one);
  const isKey = location.isAtPropertyKey;
  const [from, to] = tokenAt(text, offset);
  const here = isKey ? path.slice(0, -1) : path;
  const members = membersAt(text, here, known, isKey);
  if (!members) return null;
  if (isKey) {
    const present = presentAt(text, here, offset);
    const hasValue = /^\s*:/.test(text.slice(to, to + 40));
    const options = members
      .filter((one) => !spellings(one).some((key) => present.has(key)))
      .flatMap((one) => spellings(one).map((key) => keyOffer(one, key, hasValue)));
    return options.length ? {from, to, options} : null;
  }
  const options = members.flatMap(valueOffers);
  return options.length ? {from, to, options} : null;
}

/** Returns where the text or word begins and ends that is written at an offset. */
function tokenAt(text: string, offset: number): [number, number] {
  let from = offset;
  while (from > 0 && /[^\s"{}[\],:]/.test(text[from - 1] ?? "")) from -= 1;
  if (text[from - 1] === '"') from -= 1;
  let to = offset;
  while (to < text.length && /[^\s"{}[\],:]/.test(text[to] ?? "")) to += 1;
  if (text[from] === '"' && text[to] === '"') to += 1;
  return [from, to];
}

/** Returns the names of the object at a path, but not the one that is written at an offset. */
function presentAt(text: string, path: readonly (string | number)[], offset: number): Set<string> {
  const keys = (nodeAt(text, path)?.children ?? []).flatMap((one) => one.children?.[0] ?? []);
  const others = keys.filter((key) => offset < key.offset || offset > key.offset + key.length);
  return new Set(others.map((key) => String(key.value)));
}

/** Returns the members of the object at a path, or at a value the one member it is of. */
function membersAt(
  text: string,
  path: readonly (string | number)[],
  known: Known,
  isKey: boolean,
): readonly Member[] | null {
  if (path[0] !== "operations" || path.length < 2) {
    if (isKey) return path.length ? null : known.members;
    const found = path.length === 1 ? memberFor(known.members, String(path[0])) : null;
    return found ? [found] : null;
  }
  const type = typeAt(text, Number(path[1]));
  const operation = operationFor(known.operations, type);
  const types = typeMember(known);
  const attributes = [types, ...(operation?.attributes ?? []).filter((one) => one.name !== "type")];
  let members: readonly Member[] = attributes;
  let member = null as Member | null;
  for (const step of path.slice(2)) {
    if (typeof step === "number") {
      member = member?.items ?? null;
      members = member?.members ?? [];
      continue;
    }
    member = memberFor(members, step);
    if (member === null) return null;
    if (step === "arguments" && operation?.args && member.name === "arguments") member = operation.args;
    members = member.members;
  }
  return isKey ? members : member ? [member] : null;
}

function typeMember(known: Known): Member {
  const types = [...known.operations.values()];
  return {
    name: "type",
    type: "string",
    required: true,
    help: "the type of the operation",
    unit: "",
    choices: types.map((one) => one.type),
    names: [],
    minimum: null,
    maximum: null,
    keys: [],
    variants: [],
    members: [],
    items: null,
    default: undefined,
    isExpression: false,
    raw: Object.fromEntries(types.map((one) => [one.type, one.summary])),
  };
}

/** The type stands before or behind the place, in a text that need not be JSON yet. */
function typeAt(text: string, index: number): string {
  let depth = 0;
  let at = -1;
  let found = "";
  const tokens = /"(?:[^"\\]|\\.)*"?|[{}[\],:]/g;
  let inOperations = false;
  let key = "";
  for (const match of text.matchAll(tokens)) {
    const token = match[0];
    if (token === "{" || token === "[") {
      depth += 1;
      if (token === "[" && depth === 2 && key === "operations") inOperations = true;
      if (token === "{" && depth === 3 && inOperations) at += 1;
    } else if (token === "}" || token === "]") {
      if (token === "]" && depth === 2) inOperations = false;
      depth -= 1;
    } else if (token.startsWith('"')) {
      const word = token.replace(/^"|"$/g, "");
      if (inOperations && depth === 3 && at === index && key === "type:") {
        found = word;
        break;
      }
      key = word;
      continue;
    } else if (token === ":" && key) {
      key = key === "type" && depth === 3 ? "type:" : key;
      continue;
    }
    if (token === ",") key = "";
  }
  return found;
}

/** A key that has its colon and value already keeps them. */
function keyOffer(member: Member, key: string, hasValue: boolean): Offer {
  const detail = [member.type, member.required ? "required" : "", member.unit].filter(Boolean).join(", ");
  const name = JSON.stringify(key);
  return {label: key, detail, info: member.help, apply: hasValue ? name : `${name}: ${emptyValue(member, key)}`};
}

function emptyValue(member: Member, key: string): string {
  if (member.choices.length || /_(digits|hex|name)$/.test(key)) return '""';
  if (member.type === "array") return "[]";
  if (member.type === "sequence" || member.type === "object") return "{}";
  return "";
}

function valueOffers(member: Member): Offer[] {
  const info = member.help;
  const texts = member.choices.map((one) => {
    const summary = member.raw[one];
    return {label: one, detail: typeof summary === "string" ? summary : "", info, apply: JSON.stringify(one)};
  });
  const named = member.names.map(([number, name]) => ({
    label: name,
    detail: number,
    info,
    apply: JSON.stringify(name),
  }));
  const truth = member.type === "boolean" ? ["true", "false"] : [];
  const plain = truth.map((one) => ({label: one, detail: "", info, apply: one}));
  return [...texts, ...named, ...plain];
}

/** Returns the path of a problem as ValidateTest names it, as steps in the document. */
export function problemSteps(pointer: string): (string | number)[] {
  return pointer ? steps(pointer) : [];
}

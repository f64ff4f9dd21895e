/**
 * Edits of a JSON text by a form. What is not changed keeps its octets: the order of members,
 * numbers as they were written, blanks, members that nobody knows.
 */

import {findNodeAtLocation, type Node, parseTree} from "jsonc-parser";
import {Exact, type Step, write} from "./json";

const UNIT = "  ";

/**
 * Returns the text with a value at a path; undefined takes it out. Objects and arrays on the way
 * are made where there are none, in place of a scalar too; a name in an array changes nothing.
 */
export function setAt(text: string, path: readonly Step[], value: unknown): string {
  const node = nodeAt(text, path);
  if (value === undefined) return node?.parent ? without(text, node) : text;
  if (node) return replaced(text, node, value);
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const above = nodeAt(text, path.slice(0, length));
    if (!above) continue;
    const step = path[length] ?? "";
    const inner = nested(path.slice(length + 1), value);
    if (above.type === "object") return withPart(text, above, Infinity, inner, String(step));
    if (above.type === "array") return isIndex(step) ? withPart(text, above, Number(step), inner) : text;
    return replaced(text, above, nested(path.slice(length), value));
  }
  return laidOut(nested(path, value), styleOf(text), "");
}

/** Returns the text with an element put into an array, before the one of that index. */
export function insertAt(text: string, path: readonly Step[], index: number, value: unknown): string {
  const list = nodeAt(text, path);
  return list?.type === "array" ? withPart(text, list, index, value) : setAt(text, path, [value]);
}

/** Returns the node at a path; an index may be written as a text, and the name of a member as a number. */
export function nodeAt(text: string, path: readonly Step[]): Node | undefined {
  let node = parseTree(text);
  for (const step of path) {
    if (!node || (node.type === "array" && !isIndex(step))) return undefined;
    node = findNodeAtLocation(node, [node.type === "array" ? Number(step) : String(step)]);
  }
  return node;
}

function isIndex(step: Step): boolean {
  return /^\d+$/.test(String(step));
}

/** Returns objects and arrays, one in the other, that lead to a value. */
function nested(path: readonly Step[], value: unknown): unknown {
  return path.reduceRight((inner, step) => (typeof step === "number" ? [inner] : {[step]: inner}), value);
}

function splice(text: string, from: number, to: number, part: string): string {
  return text.slice(0, from) + part + text.slice(to);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function replaced(text: string, node: Node, value: unknown): string {
  return splice(text, node.offset, endOf(node), laidOut(value, styleOf(text), indentIn(text, node)));
}

/** Returns the text without a member or an element, and without the comma that parted it. */
function without(text: string, node: Node): string {
  const one = node.parent?.type === "property" ? node.parent : node;
  const siblings = one.parent?.children ?? [];
  const index = siblings.indexOf(one);
  const [before, after] = [siblings[index - 1], siblings[index + 1]];
  if (after) return splice(text, one.offset, after.offset, "");
  if (before) return splice(text, endOf(before), endOf(one), "");
  const whole = one.parent ?? one;
  return splice(text, whole.offset + 1, endOf(whole) - 1, "");
}

/** Puts an element, or a member of a name, among those of a container, as they stand there. */
function withPart(text: string, node: Node, index: number, value: unknown, name?: string): string {
  const style = styleOf(text);
  const start = name === undefined ? "" : `${JSON.stringify(name)}:${style.blank}`;
  const children = node.children ?? [];
  const last = children.at(-1);
  if (!last) {
    const around = indentIn(text, node);
    const indent = around === null ? null : around + style.unit;
    const part = start + laidOut(value, style, indent);
    const whole = indent === null ? part : `${style.eol}${indent}${part}${style.eol}${around}`;
    return splice(text, node.offset + 1, endOf(node) - 1, whole);
  }
  const at = Math.min(index, children.length);
  const indent = indentAmong(text, node, at);
  const gap = indent === null ? blankAmong(text, children, style) : style.eol + indent;
  const part = start + laidOut(value, style, indent);
  const next = children[at];
  if (next) return splice(text, next.offset, next.offset, `${part},${gap}`);
  return splice(text, endOf(last), endOf(last), `,${gap}${part}`);
}

interface Style {
  eol: string;
  unit: string; // one step of indent
  blank: string; // after colons and commas of one line
}

function styleOf(text: string): Style {
  return {
    eol: text.includes("\r\n") ? "\r\n" : "\n",
    unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? UNIT,
    blank: /":\S/.test(text) ? "" : " ",
  };
}

/** Returns the indent of a value that may go over lines; null where its surroundings do not. */
function indentIn(text: string, node: Node): string | null {
  const one = node.parent?.type === "property" ? node.parent : node;
  const siblings = one.parent?.children;
  return siblings && one.parent ? indentAmong(text, one.parent, siblings.indexOf(one)) : "";
}

/** Returns the indent of a child of a container, which has some; null if it begins no line. */
function indentAmong(text: string, node: Node, index: number): string | null {
  const children = node.children ?? [];
  const at = Math.min(index, children.length - 1);
  const child = children[at];
  if (!child) return null;
  const before = children[at - 1];
  const gap = text.slice(before ? endOf(before) : node.offset, child.offset);
  return /\n([ \t]*)$/.exec(gap)?.[1] ?? null;
}

/** Returns what stands behind the first comma, as far as it is on the same line. */
function blankAmong(text: string, children: readonly Node[], style: Style): string {
  const [first, second] = children;
  if (!first || !second) return style.blank;
  const gap = text.slice(endOf(first), second.offset);
  const blank = gap.slice(gap.indexOf(",") + 1);
  return blank.includes("\n") ? style.blank : blank;
}

/** Returns a value as the text writes values: over lines from an indent on, or on one line. */
function laidOut(value: unknown, style: Style, indent: string | null): string {
  if (!isContainer(value)) return write(value);
  const isOnOneLine = indent === null || (Array.isArray(value) && !value.some(isContainer));
  const inner = isOnOneLine ? null : indent + style.unit;
  const parts = Array.isArray(value)
    ? value.map((one) => laidOut(one, style, inner))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => `${JSON.stringify(name)}:${style.blank}${laidOut(one, style, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (!parts.length || isOnOneLine) return open + parts.join(`,${style.blank}`) + close;
  const line = style.eol + inner;
  return `${open}${line}${parts.join(`,${line}`)}${style.eol}${indent}${close}`;
}

function isContainer(value: unknown): value is object {
  return value !== null && typeof value === "object" && !(value instanceof Exact);
}

/** Returns the text with an element of an array at another place; both keep their octets. */
export function moveAt(text: string, path: readonly Step[], from: number, to: number): string {
  const list = nodeAt(text, path);
  const children = list?.children ?? [];
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  if (low < 0 || high >= children.length || low === high) return text;
  const octets = children.map((one) => text.slice(one.offset, endOf(one)));
  const moved = octets.splice(from, 1);
  octets.splice(to, 0, ...moved);
  let found = text;
  for (let at = high; at >= low; at -= 1) {
    const child = children[at];
    if (child) found = splice(found, child.offset, endOf(child), octets[at] ?? "");
  }
  return found;
}

/** Returns the text with another name for a member, in its place; as it is if the name is taken. */
export function renameAt(text: string, path: readonly Step[], name: string): string {
  const member = nodeAt(text, path)?.parent;
  const key = member?.type === "property" ? member.children?.[0] : undefined;
  const isTaken = member?.parent?.children?.some((one) => one !== member && one.children?.[0]?.value === name);
  return !key || isTaken ? text : splice(text, key.offset, endOf(key), JSON.stringify(name));
}

/** Returns the octets of the value at a path; undefined if there is none. */
export function octetsAt(text: string, path: readonly Step[]): string | undefined {
  const node = nodeAt(text, path);
  return node && text.slice(node.offset, endOf(node));
}

/** Returns where in the text the value of a JSON pointer stands: the deepest that is there. */
export function rangeAt(text: string, path: readonly Step[]): {from: number; to: number} {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = nodeAt(text, path.slice(0, length));
    if (!node) continue;
    const isWhole = length === path.length;
    // Of what is missing, the beginning of what it is missing in.
    return {from: node.offset, to: isWhole && node.length < 400 ? endOf(node) : node.offset + 1};
  }
  return {from: 0, to: Math.min(1, text.length)};
}

/** Returns a member of an object if it is a text, else "". */
export function textMember(text: string, name: string): string {
  const found: unknown = nodeAt(text, [name])?.value;
  return typeof found === "string" ? found : "";
}

/**
 * Edits of a JSON text by a form. What is not changed keeps its octets: the order of members,
 * numbers as they were written, blanks, members that nobody knows.
 */

import {applyEdits, findNodeAtLocation, type JSONPath, modify, type Node, parseTree} from "jsonc-parser";
import type {Step} from "./json";
import {write} from "./json";

const INDENT = 2;

function formatting(text: string): {insertSpaces: boolean; tabSize: number; eol: string} {
  const match = /\n([ \t]+)\S/.exec(text);
  const blank = match?.[1] ?? " ".repeat(INDENT);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return {insertSpaces: !blank.startsWith("\t"), tabSize: blank.startsWith("\t") ? 1 : blank.length, eol};
}

/** Returns the text with a value at a path; undefined takes it out. */
export function setAt(text: string, path: readonly Step[], value: unknown): string {
  if (!path.length) return write(value, INDENT);
  if (value === undefined && !nodeAt(text, path)) return text;
  if (value !== undefined) {
    const node = nodeAt(text, path);
    // A scalar in place of a scalar: its octets and no others.
    if (node && isScalar(value) && node.type !== "object" && node.type !== "array") {
      return text.slice(0, node.offset) + write(value) + text.slice(node.offset + node.length);
    }
  }
  const plain = value === undefined ? undefined : (JSON.parse(write(value)) as unknown);
  const edited = applyEdits(text, modify(text, path as JSONPath, plain, {formattingOptions: formatting(text)}));
  return edited;
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

export function nodeAt(text: string, path: readonly Step[]): Node | undefined {
  const tree = parseTree(text);
  return tree && findNodeAtLocation(tree, path as JSONPath);
}

/** Returns the text with an element put into an array, before the one of that index. */
export function insertAt(text: string, path: readonly Step[], index: number, value: unknown): string {
  const plain = JSON.parse(write(value)) as unknown;
  const list = nodeAt(text, path);
  if (list?.type !== "array") return setAt(text, path, [plain]);
  const options = {formattingOptions: formatting(text), isArrayInsertion: true};
  return applyEdits(text, modify(text, [...path, Math.min(index, list.children?.length ?? 0)] as JSONPath, plain, options));
}

/** Returns the text with an element of an array at another place; both keep their octets. */
export function moveAt(text: string, path: readonly Step[], from: number, to: number): string {
  const list = nodeAt(text, path);
  const children = list?.children ?? [];
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  if (low < 0 || high >= children.length || low === high) return text;
  const octets = children.map((one) => text.slice(one.offset, one.offset + one.length));
  const moved = octets.splice(from, 1);
  octets.splice(to, 0, ...moved);
  let found = text;
  for (let at = high; at >= low; at -= 1) {
    const child = children[at];
    if (child) found = found.slice(0, child.offset) + (octets[at] ?? "") + found.slice(child.offset + child.length);
  }
  return found;
}

/** Returns the text with another name for a member, in its place. */
export function renameAt(text: string, path: readonly Step[], name: string): string {
  const node = nodeAt(text, path);
  const key = node?.parent?.type === "property" ? node.parent.children?.[0] : undefined;
  if (!key) return text;
  return text.slice(0, key.offset) + JSON.stringify(name) + text.slice(key.offset + key.length);
}

/** Returns the octets of the value at a path; undefined if there is none. */
export function octetsAt(text: string, path: readonly Step[]): string | undefined {
  const node = nodeAt(text, path);
  return node && text.slice(node.offset, node.offset + node.length);
}

/** Returns where in the text the value of a JSON pointer stands: the deepest that is there. */
export function rangeAt(text: string, path: readonly Step[]): {from: number; to: number} {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = nodeAt(text, path.slice(0, length));
    if (!node) continue;
    const isWhole = length === path.length;
    // Of what is missing, the beginning of what it is missing in.
    return {from: node.offset, to: isWhole && node.length < 400 ? node.offset + node.length : node.offset + 1};
  }
  return {from: 0, to: Math.min(1, text.length)};
}

/** Returns a member of an object if it is a text, else "". */
export function textMember(text: string, name: string): string {
  const found: unknown = nodeAt(text, [name])?.value;
  return typeof found === "string" ? found : "";
}

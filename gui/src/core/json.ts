/**
 * JSON without loss. A number that a double can't hold (64-bit counters of Diameter, decimals with
 * many digits) is kept as the text that was sent: an Exact.
 */

export class Exact {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

export type Json = null | boolean | number | string | Exact | Json[] | {[name: string]: Json};
export type JsonObject = {[name: string]: Json};

// Beside long numbers those that are written otherwise than JavaScript would: 1.0, 1e3, -0, 0.0000001.
const MAY_BE_INEXACT = /[\d.]{16}|\d[eE]|\.\d*0(?!\d)|\.000000|-0(?![\d.])/;
const TEXTS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

// In an answer only what a double can't hold: not within texts, most of which are octets in hex.
const MAY_BE_LOST = /[:,[\s]-?(?:\d{16}|\d[\d.]{16})/;

/** Returns the value of a text; numbers that would be changed come as Exact. Errors: SyntaxError. */
export function parse(text: string): Json {
  return parsed(text, MAY_BE_INEXACT, isExact);
}

/**
 * Returns the value of an answer: a number that is the same as a double may be written otherwise
 * (1 for 1.0); what would be another number comes as Exact. Errors: SyntaxError.
 */
export function parseAnswer(text: string): Json {
  return parsed(text, MAY_BE_LOST, isHeld);
}

function parsed(text: string, mayBe: RegExp, isKept: (value: number, source: string) => boolean): Json {
  const value = JSON.parse(text) as Json;
  if (!mayBe.test(text)) return value;
  // Not every browser tells a reviver how a number was written: such numbers go in as texts.
  const mark = markFor(text);
  let hasExact = false;
  const marked = text.replace(TEXTS_AND_NUMBERS, (token) => {
    if (token.startsWith('"') || isKept(Number(token), token)) return token;
    hasExact = true;
    return `"${mark}${token}"`;
  });
  if (!hasExact) return value;
  return JSON.parse(marked, (_name, one: unknown) => {
    return typeof one === "string" && one.startsWith(mark) ? new Exact(one.slice(1)) : one;
  }) as Json;
}

/** Returns a character, for private use, that no text in a JSON text begins with. */
function markFor(text: string): string {
  let code = 0xe000;
  while (new RegExp(`"(?:\\u${code.toString(16)}|\\\\u${code.toString(16)})`, "i").test(text)) code += 1;
  return String.fromCharCode(code);
}

function isExact(value: number, source: string): boolean {
  return String(value) === source && (Number.isSafeInteger(value) || !Number.isInteger(value));
}

const HELD_DIGITS = 15; // that every double gives back

function isHeld(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  const digits = source.replace(/[eE].*$/, "").replace(/\D/g, "").replace(/^0+/, "");
  return digits.length <= HELD_DIGITS || String(value) === source;
}

/** Returns a value as JSON, Exact numbers as they were sent. */
export function write(value: unknown, indent = 0): string {
  return writeAt(value, indent, "");
}

function writeAt(value: unknown, indent: number, before: string): string {
  if (value instanceof Exact) return value.text;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const inner = before + " ".repeat(indent);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => writeAt(one, indent, inner))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([name, one]) => `${JSON.stringify(name)}:${indent ? " " : ""}${writeAt(one, indent, inner)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (!parts.length) return open + close;
  if (!indent) return open + parts.join(",") + close;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${before}${close}`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Exact);
}

/** Returns the member of a name if it is an object, else an empty one. */
export function objectAt(value: unknown, name: string): JsonObject {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : {};
}

export function listAt(value: unknown, name: string): Json[] {
  const found = isObject(value) ? value[name] : undefined;
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, name: string): string {
  const found = isObject(value) ? value[name] : undefined;
  return typeof found === "string" ? found : "";
}

export function numberAt(value: unknown, name: string): number | null {
  const found = isObject(value) ? value[name] : undefined;
  if (found instanceof Exact) return Number(found.text);
  return typeof found === "number" ? found : null;
}

export type Step = string | number;

/** Returns the steps of a path such as `a.b[0].c`, or of a JSON pointer such as `/a/b/0/c`. */
export function steps(path: string): Step[] {
  if (path.startsWith("/")) {
    const parts = path.slice(1).split("/");
    return parts.map((part) => {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      return /^(0|[1-9]\d*)$/.test(name) ? Number(name) : name;
    });
  }
  const found: Step[] = [];
  for (const match of path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)) {
    found.push(match[1] === undefined ? (match[2] ?? "") : Number(match[1]));
  }
  return found;
}

/** Returns the value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: readonly Step[]): Json | undefined {
  let at = value as Json | undefined;
  for (const step of path) {
    if (Array.isArray(at)) at = at[Number(step)];
    else if (isObject(at)) at = Object.hasOwn(at, step) ? at[step] : undefined;
    else return undefined;
  }
  return at;
}

/** Generated input of tests: the same for the same seed. */

import {Exact, type Json} from "../src/core/json";

/** A source of chance (mulberry32); `whole(n)` is from 0 up to n - 1. */
export class Chance {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  whole(below: number): number {
    return Math.floor(this.next() * below);
  }

  is(share = 0.5): boolean {
    return this.next() < share;
  }

  one<T>(from: readonly T[]): T {
    const found = from[this.whole(from.length)];
    if (found === undefined) throw new RangeError("nothing to choose from");
    return found;
  }
}

/** Numbers that JavaScript would write otherwise, and some that it would not. */
export const NUMBERS = [
  "0", "-0", "1", "-1", "1.0", "-0.0", "0.5", "1.50", "1e3", "1E+3", "2e-7", "0.0000001", "1e400", "-1e400",
  "9007199254740991", "9007199254740993", "12345678901234567890", "-18446744073709551615",
  "0.1234567890123456789", "1234567890.12345678", "123456789012345.6", "3.14159", "1e21", "100000000000000000000000",
];

export const NAMES = [
  "a", "b", "name", "0", "7", "a/b", "m~n", "~1", "", " blank ", "a.b", "x[0]", "__proto__", "constructor", "größe",
  'quo"te', "back\\slash", "line\nfeed", "\ue000", "😀",
];

/** Returns the text of a number of any form that JSON has. */
export function numberText(chance: Chance): string {
  if (chance.is()) return chance.one(NUMBERS);
  const digits = (most: number): string => Array.from({length: 1 + chance.whole(most)}, () => chance.whole(10)).join("");
  const integer = chance.is(0.3) ? "0" : `${1 + chance.whole(9)}${digits(20)}`;
  const fraction = chance.is() ? `.${digits(22)}` : "";
  const power = chance.is(0.3) ? `${chance.one(["e", "E"])}${chance.one(["", "+", "-"])}${digits(3)}` : "";
  return `${chance.is() ? "-" : ""}${integer}${fraction}${power}`;
}

/** Returns how a number comes out of parse(), by another way than parse() goes. */
export function numberOf(text: string): Json {
  const value = Number(text);
  const isKept = JSON.stringify(value) === text && (!/^-?\d+$/.test(text) || BigInt(text) === BigInt(value));
  return isKept && (!Number.isInteger(value) || Math.abs(value) <= Number.MAX_SAFE_INTEGER) ? value : new Exact(text);
}

/** Returns an object with a member of any name, even of one that JavaScript takes for itself. */
export function objectOf(members: readonly (readonly [string, Json])[]): {[name: string]: Json} {
  return Object.fromEntries(members) as {[name: string]: Json};
}

/** Returns a value at random, and the names of its members are all different. */
export function anyValue(chance: Chance, depth = 3): Json {
  const kind = depth > 0 ? chance.whole(6) : chance.whole(4);
  if (kind === 0) return chance.one([null, true, false]);
  if (kind === 1) return chance.one(NAMES);
  if (kind < 4) return numberOf(numberText(chance));
  const size = chance.whole(5);
  if (kind === 4) return Array.from({length: size}, () => anyValue(chance, depth - 1));
  const names = new Set(Array.from({length: size}, () => chance.one(NAMES)));
  return objectOf([...names].map((name) => [name, anyValue(chance, depth - 1)] as const));
}

/** Numbers and times in words. */

import {Exact, type Json, listAt, write} from "./json";

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toLocaleString("en-US").replaceAll(",", "\u202f");
}

/** Returns a number with three or four digits that count. */
export function brief(value: number | null | undefined, unit = ""): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const digits = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const text = size >= 10_000 ? count(Math.round(value)) : value.toFixed(digits);
  return unit ? `${text}\u202f${unit}` : text;
}

export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return value >= 10_000 ? duration(value / 1000) : brief(value, "ms");
}

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1) return brief(seconds * 1000, "ms");
  if (seconds < 120) return brief(seconds, "s");
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest} min`;
}

/** Returns a wall time [s, us] as a number of seconds; null if there is none. */
export function wall(value: unknown, name: string): number | null {
  const pair = listAt(value, name);
  return pair.length === 2 ? Number(pair[0]) + Number(pair[1]) / 1e6 : null;
}

export function clock(seconds: number | null): string {
  if (seconds === null) return "–";
  const date = new Date(seconds * 1000);
  const today = new Date().toDateString() === date.toDateString();
  const two = (value: number): string => String(value).padStart(2, "0");
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return today ? time : `${day} ${time}`;
}

/** Returns a value as one line. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return value instanceof Exact ? value.text : write(value);
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** What the server is asked: its own routes, and the daemons' methods through it. */

import {isObject, type Json, type JsonObject, objectAt, parseAnswer, textAt, write} from "./json";

export type Role = "viewer" | "executor" | "author";

export interface Daemon {
  name: string;
  address: string;
}

export interface Session {
  user: string;
  role: Role;
  csrf: string;
  read_only: boolean;
  daemons: Daemon[];
  workspace: boolean;
  has_users: boolean;
  version: string;
}

/** What was refused: in words, with the status of HTTP and whatever came beside the words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: JsonObject = {},
  ) {
    super(message);
  }
}

/** What a daemon refused: its code, kind and the places that are wrong. */
export class MethodRefused extends Refused {
  readonly code: number;
  readonly kind: string;
  readonly fields: Record<string, string[]>;

  constructor(error: JsonObject) {
    super(200, textAt(error, "message"), error);
    this.code = Number(error["code"]);
    this.kind = textAt(error["data"], "kind");
    this.fields = objectAt(error["data"], "fields") as Record<string, string[]>;
  }
}

let csrf = "";

/** Sends JSON and returns the answer as the text that came. Errors: Refused. */
export async function postForText(path: string, body: unknown): Promise<string> {
  const response = await asked(path, {method: "POST", headers: headers(), body: write(body)});
  if (!response.ok) await answerOf(response);
  return response.text();
}

function headers(): Record<string, string> {
  return {"Content-Type": "application/json", "X-TSVC-CSRF": csrf};
}

async function answerOf(response: Response): Promise<Json> {
  const text = await response.text();
  let body: Json = null;
  try {
    body = text ? parseAnswer(text) : null;
  } catch {
    if (response.ok) throw new Refused(response.status, "the answer is no JSON");
  }
  if (response.ok) return body;
  const words = textAt(body, "problem") || `the server says ${response.status}`;
  throw new Refused(response.status, words, isObject(body) ? body : {});
}

async function asked(path: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(path, {credentials: "same-origin", ...init});
  } catch {
    throw new Refused(0, "the GUI's server does not answer");
  }
}

async function ask(path: string, init?: RequestInit): Promise<Json> {
  return answerOf(await asked(path, init));
}

export function get(path: string): Promise<Json> {
  return ask(path);
}

/** Sends JSON that is written already. */
export function postText(path: string, text: string): Promise<Json> {
  return ask(path, {method: "POST", headers: headers(), body: text});
}

export function post(path: string, body: unknown): Promise<Json> {
  return postText(path, write(body));
}

export async function session(): Promise<Session> {
  const found = (await get("/api/session")) as unknown as Session;
  csrf = found.csrf;
  return found;
}

/**
 * Calls a method of a daemon. Params that are a text are JSON that is sent as it stands: numbers of
 * a definition never go through a double. Errors: MethodRefused, Refused.
 */
export async function call(daemon: string, method: string, params: JsonObject | string = {}): Promise<JsonObject> {
  const text = typeof params === "string" ? params : write(params);
  const head = `{"daemon":${JSON.stringify(daemon)},"method":${JSON.stringify(method)},"params":`;
  const answer = await postText("/api/call", `${head}${text}}`);
  const error = objectAt(answer, "error");
  if ("code" in error) throw new MethodRefused(error);
  const result = isObject(answer) ? answer["result"] : null;
  return isObject(result) ? result : {value: result ?? null};
}

/** Returns a query string; members without a value are left out. */
export function query(members: Record<string, string | number | null | undefined>): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== null && value !== undefined && value !== "") found.set(name, String(value));
  }
  return found.toString();
}

export function csrfToken(): string {
  return csrf;
}

export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Hands octets that were made here to the browser as a file. */
export function saveAs(name: string, text: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

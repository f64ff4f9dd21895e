/** The workspace: files as the command line runs them. */

import {get, post, postForText, query} from "../core/api";
import {octetsAt} from "../core/document";
import {isObject, type Json, listAt, numberAt, textAt} from "../core/json";

export interface Entry {
  path: string;
  kind: string;
  size: number;
}

export interface FileText {
  path: string;
  text: string;
  etag: string | null; // null: not on the disk yet
}

export async function entries(): Promise<Entry[]> {
  const answer = await get("/api/files");
  return listAt(answer, "entries").map((one) => ({
    path: textAt(one, "path"),
    kind: textAt(one, "kind"),
    size: numberAt(one, "size") ?? 0,
  }));
}

export async function read(path: string): Promise<FileText> {
  const answer = await get(`/api/file?${query({path})}`);
  return {path, text: textAt(answer, "text"), etag: textAt(answer, "etag")};
}

/** Saves a file. Errors: Refused with status 412 and the text on the disk, if that is another one. */
export async function save(file: FileText): Promise<string> {
  return textAt(await post("/api/file", file), "etag");
}

/**
 * Returns the params of ExecuteTest as the command line would send them: JSON whose numbers and
 * order nothing here has touched. Without a text it is the file on the disk.
 */
export async function definitionOf(path: string, text: string | null, environment: string): Promise<string> {
  const answer = await postForText("/api/definition", {
    path,
    ...(text === null ? {} : {text}),
    ...(environment ? {environment} : {}),
  });
  return octetsAt(answer, ["params"]) ?? "{}";
}

export function isData(path: string): "json" | "yaml" | "toml" | "" {
  const match = /\.(json|ya?ml|toml)$/i.exec(path);
  const end = match?.[1]?.toLowerCase() ?? "";
  return end === "yml" ? "yaml" : (end as "json" | "yaml" | "toml" | "");
}

export function baseName(path: string): string {
  return (path.split("/").at(-1) ?? path).replace(/(\.tsvc)?\.(json|ya?ml|toml)$/i, "");
}

export interface GitState {
  isRepository: boolean;
  branch: string;
  files: {path: string; status: string}[];
}

export async function git(): Promise<GitState> {
  const answer = await get("/api/git");
  return {
    isRepository: isObject(answer) && answer["is_repository"] === true,
    branch: textAt(answer, "branch"),
    files: listAt(answer, "files").map((one: Json) => ({path: textAt(one, "path"), status: textAt(one, "status")})),
  };
}

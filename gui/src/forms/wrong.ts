/** What is wrong with a definition, by the field of the form that shows it. */

import {type Json, type Step, valueAt} from "../core/json";

export interface FormProblem {
  path: Step[];
  text: string;
  severity: string;
}

/** Problems by the path of their field, as keyOf() writes it. */
export type Wrong = ReadonlyMap<string, readonly FormProblem[]>;

export function keyOf(path: readonly Step[]): string {
  return JSON.stringify(path.map(String)); // a name may look like a number: operations.5 of a flow
}

/** Places problems: what is about a member that is not there stands at what it is missing in. */
export function wrongIn(document: Json, problems: readonly FormProblem[]): Wrong {
  const found = new Map<string, FormProblem[]>();
  for (const one of problems) {
    let path = one.path;
    while (path.length && valueAt(document, path) === undefined) path = path.slice(0, -1);
    found.set(keyOf(path), [...(found.get(keyOf(path)) ?? []), one]);
  }
  return found;
}

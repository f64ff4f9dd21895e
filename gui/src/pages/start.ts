/** Starts runs of files as the command line does. */

import {call} from "../core/api";
import {setAt, textMember} from "../core/document";
import {newRunId, remember} from "../core/own";
import {baseName, definitionOf} from "./files";

/** Starts one instance, with all its messages and its trace; returns the run_id. */
export async function tryOne(daemon: string, path: string, text: string | null, environment: string): Promise<string> {
  const params = await definitionOf(path, text, environment);
  return start(daemon, path, params, {distribution: {type: "single"}, trace_level: 1, trace_messages: true});
}

/** Starts a run of params that are JSON, with members over them; returns the run_id. */
export async function start(daemon: string, path: string, params: string, members: Record<string, unknown> = {}): Promise<string> {
  const run = newRunId(textMember(params, "name") || baseName(path));
  let text = params;
  for (const [name, value] of Object.entries({...members, run_id: run})) text = setAt(text, [name], value);
  await call(daemon, "ExecuteTest", text);
  remember(daemon, run);
  return run;
}

/** One instance of a run, on a page of its own. */

import type {JSX} from "preact";
import {href} from "../core/router";
import {Empty} from "../ui/parts";
import {usePage} from "./context";
import {InstanceOf} from "./run_tabs";

export function InstancePage({members}: {members: Record<string, string>}): JSX.Element {
  const {daemon} = usePage();
  const run = members["run"] ?? "";
  const result = members["result"] ? Number(members["result"]) : null;
  const instance = members["instance"] ?? "0";
  if (!run && result === null) return <Empty>No instance is named.</Empty>;
  return (
    <>
      <h1>
        Instance {instance} <small>of <a href={href("run", result === null ? {daemon, run} : {daemon, result})}>{run || `result ${result}`}</a></small>
      </h1>
      <InstanceOf run={run} stored={result} instance={instance} state="" />
    </>
  );
}

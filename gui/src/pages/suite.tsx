/** A folder of tests as one table of verdicts: all of them, or those that failed; some at once. */

import type {JSX} from "preact";
import {useRef, useState} from "preact/hooks";
import {call, postForText, saveAs, words} from "../core/api";
import {duration} from "../core/format";
import {type JsonObject, listAt, numberAt, objectAt, textAt} from "../core/json";
import {amend, href} from "../core/router";
import {Bar, Button, Columns, Empty, Problem, useLoaded, Verdict} from "../ui/parts";
import {usePage} from "./context";
import {definitionOf, entries} from "./files";
import {start} from "./start";

interface Row {
  path: string;
  state: "" | "waiting" | "running" | "over" | "refused";
  verdict: string;
  run: string;
  result: number | null;
  took: number | null;
  refusal: string;
  bad: string; // the first that failed, in words
}

const LOOK_S = 20;

export function SuitePage({members}: {members: Record<string, string>}): JSX.Element {
  const {daemon, session, mayRun} = usePage();
  const files = useLoaded(session.workspace ? "files" : null, entries);
  const [rows, setRows] = useState<ReadonlyMap<string, Row>>(new Map());
  const [atOnce, setAtOnce] = useState(4);
  const [environment, setEnvironment] = useState("");
  const [isBusy, setBusy] = useState(false);
  const isStopped = useRef(false);
  const all = files.value ?? [];
  const folders = ["", ...all.filter((one) => one.kind === "folder").map((one) => one.path)];
  const environments = all.filter((one) => one.kind === "environment").map((one) => one.path);
  const folder = members["folder"] ?? "";
  const text = members["text"] ?? "";
  const paths = all
    .filter((one) => one.kind === "definition")
    .map((one) => one.path)
    .filter((path) => (!folder || path.startsWith(`${folder}/`)) && path.toLowerCase().includes(text.toLowerCase()));
  const rowOf = (path: string): Row =>
    rows.get(path) ?? {path, state: "", verdict: "", run: "", result: null, took: null, refusal: "", bad: ""};
  const shown = paths.map(rowOf);
  const over = shown.filter((one) => one.state === "over" || one.state === "refused");
  const failed = over.filter((one) => one.verdict !== "pass");

  const runAll = async (wanted: readonly string[]): Promise<void> => {
    isStopped.current = false;
    setBusy(true);
    const update = (path: string, some: Partial<Row>): void =>
      setRows((before) => new Map(before).set(path, {...(before.get(path) ?? rowOf(path)), ...some, path}));
    for (const path of wanted) update(path, {state: "waiting", verdict: "", result: null, took: null, refusal: "", bad: ""});
    const left = [...wanted];
    const work = async (): Promise<void> => {
      for (let path = left.shift(); path !== undefined; path = left.shift()) {
        if (isStopped.current) {
          update(path, {state: ""});
          continue;
        }
        await runOne(daemon, path, environment, (some) => update(path, some), isStopped);
      }
    };
    await Promise.all(Array.from({length: Math.min(atOnce, wanted.length)}, work));
    setBusy(false);
  };
  const report = (format: string) => async (): Promise<void> => {
    const runs = over.map((one) => ({path: one.path, daemon, result_id: one.result, refusal: one.refusal}));
    const found = await postForText("/api/suite", {format, runs});
    saveAs(`suite.${format === "html" ? "html" : "xml"}`, found, format === "html" ? "text/html" : "application/xml");
  };

  if (!session.workspace) return <Empty>Suites are folders of a workspace: `tsvc gui --workspace DIR`.</Empty>;
  return (
    <>
      <h1>Suite</h1>
      <div class="fields" role="group" aria-label="What is run">
        <label>
          folder{" "}
          <select value={folder} onChange={(event) => amend({folder: event.currentTarget.value})}>
            {folders.map((one) => <option key={one} value={one}>{one || "all"}</option>)}
          </select>
        </label>
        <label>
          with{" "}
          <input type="search" value={text} placeholder="in the path" onInput={(event) => amend({text: event.currentTarget.value})} />
        </label>
        {environments.length ? (
          <label>
            environment{" "}
            <select value={environment} onChange={(event) => setEnvironment(event.currentTarget.value)}>
              <option value="">none</option>
              {environments.map((one) => <option key={one}>{one}</option>)}
            </select>
          </label>
        ) : null}
        <label>
          at once{" "}
          <input type="number" min={1} max={16} value={atOnce} onInput={(event) => setAtOnce(Math.max(1, Math.min(16, Number(event.currentTarget.value) || 1)))} />
        </label>
        {mayRun ? (
          <>
            <Button kind="main" disabled={isBusy || !paths.length} onClick={() => runAll(paths)}>
              Run {paths.length}
            </Button>
            <Button disabled={isBusy || !failed.length} onClick={() => runAll(failed.map((one) => one.path))}>
              Run failed ({failed.length})
            </Button>
            {isBusy ? (
              <Button
                kind="danger"
                onClick={() => {
                  isStopped.current = true;
                }}
              >
                Stop
              </Button>
            ) : null}
          </>
        ) : null}
        <Button disabled={isBusy || !over.length} onClick={report("junit")}>
          JUnit
        </Button>
        <Button disabled={isBusy || !over.length} onClick={report("html")}>
          HTML
        </Button>
      </div>
      <Problem text={files.problem} />
      {over.length || isBusy ? (
        <p role="status">
          <Bar share={over.length / Math.max(1, shown.filter((one) => one.state).length)} label="Suite" />{" "}
          <Verdict of="pass" text={`${over.length - failed.length} passed`} />{" "}
          {failed.length ? <Verdict of="fail" text={`${failed.length} did not`} /> : null}
        </p>
      ) : null}
      <div class="scroll" tabIndex={0} role="region" aria-label="Tests of the suite">
        <table>
          <Columns names={["test", "verdict", "took", "what was wrong first"]} numbers={["took"]} />
          <tbody>
            {shown.map((one) => (
              <tr key={one.path}>
                <td>
                  <a href={href("tests", {file: one.path})}>{one.path}</a>
                </td>
                <td>
                  {one.state === "over" ? (
                    <a href={one.result === null ? href("run", {daemon, run: one.run}) : href("run", {daemon, result: one.result})}>
                      <Verdict of={one.verdict} />
                    </a>
                  ) : one.state === "refused" ? (
                    <Verdict of="error" text="refused" />
                  ) : one.state === "running" ? (
                    <a href={href("run", {daemon, run: one.run})}>
                      <Verdict of="running" />
                    </a>
                  ) : (
                    one.state
                  )}
                </td>
                <td class="number">{one.took === null ? "" : duration(one.took)}</td>
                <td>{one.refusal || one.bad}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {files.value && !paths.length ? <Empty>No test is there.</Empty> : null}
    </>
  );
}

async function runOne(
  daemon: string,
  path: string,
  environment: string,
  update: (some: Partial<Row>) => void,
  isStopped: {current: boolean},
): Promise<void> {
  let run = "";
  try {
    run = await start(daemon, path, await definitionOf(path, null, environment));
  } catch (error) {
    update({state: "refused", verdict: "refused", refusal: words(error)});
    return;
  }
  update({state: "running", run});
  try {
    let result: JsonObject = {};
    while (result["completed"] !== 1) {
      const method = isStopped.current ? "CancelTest" : "QueryTest";
      result = await call(daemon, method, method === "QueryTest" ? {run_id: run, wait_s: LOOK_S} : {run_id: run});
    }
    update({
      state: "over",
      verdict: textAt(result, "verdict"),
      result: numberAt(result, "result_id"),
      took: numberAt(result, "duration"),
      bad: firstBad(result),
    });
  } catch (error) {
    update({state: "refused", verdict: "lost", refusal: words(error)});
  }
}

function firstBad(result: JsonObject): string {
  const failure = listAt(result, "failures")[0];
  if (failure !== undefined) return `op ${numberAt(failure, "op") ?? "–"}: ${textAt(failure, "cause")}`;
  const missed = listAt(result, "thresholds").find((one) => (one as JsonObject)["is_met"] === false);
  if (missed !== undefined) return `${textAt(missed, "metric")} ${textAt(missed, "op")} ${numberAt(missed, "value")}: ${numberAt(missed, "got")}`;
  return textAt(objectAt(result, "first_call_summary"), "reason");
}

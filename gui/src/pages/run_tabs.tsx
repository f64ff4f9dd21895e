/** The parts of a result, each in a tab. */

import type {JSX} from "preact";
import {call} from "../core/api";
import {brief, clock, count, duration, shown, wall} from "../core/format";
import {type Json, type JsonObject, listAt, numberAt, objectAt, textAt, write} from "../core/json";
import {href} from "../core/router";
import {InstanceView} from "../ladder/instance";
import {type Ask, BEGINNING} from "../ladder/reading";
import {Button, Columns, Empty, Problem, useLoaded, Verdict} from "../ui/parts";
import {usePage} from "./context";

export const TABS = ["First", "Failures", "Slowest", "Operations", "Halted", "Problems", "Variables", "Definition"] as const;

export function tabNotes(result: JsonObject): Record<string, number> {
  return {
    Failures: listAt(result, "failures").length,
    Halted: listAt(result, "halted").length,
    Problems: listAt(result, "problems").length + listAt(result, "leaks").length,
  };
}

interface Props {
  name: string;
  result: JsonObject;
  run: string;
  stored: number | null;
  isDone: boolean;
}

export function RunTab({name, result, run, stored, isDone}: Props): JSX.Element {
  switch (name) {
    case "Failures":
      return <Failures result={result} run={run} stored={stored} />;
    case "Slowest":
      return <Slowest result={result} run={run} stored={stored} />;
    case "Operations":
      return <Operations result={result} />;
    case "Halted":
      return <Halted result={result} run={run} />;
    case "Problems":
      return <Problems result={result} />;
    case "Variables":
      return <Variables result={result} />;
    case "Definition":
      return <Definition stored={stored ?? (isDone ? numberAt(result, "result_id") : null)} />;
    default:
      return <First result={result} run={run} stored={stored} />;
  }
}

interface OfRun {
  result: JsonObject;
  run: string;
  stored: number | null;
}

function First({result, run, stored}: OfRun): JSX.Element {
  const first = objectAt(result, "first_call_summary");
  const id = textAt(first, "instance_id");
  const state = textAt(first, "state");
  if (!id) return <Empty>The first instance has not begun, or the result has it no more.</Empty>;
  return (
    <>
      <FlowPaths first={first} run={run} stored={stored} />
      <InstanceOf run={run} stored={stored} instance={id} state={state} />
    </>
  );
}

interface InstanceProps {
  run: string;
  stored: number | null;
  instance: string;
  state: string;
}

/** The trace of an instance, asked for again when its state has changed. */
export function InstanceOf({run, stored, instance, state}: InstanceProps): JSX.Element {
  const {daemon} = usePage();
  const of = stored === null ? {run_id: run} : {result_id: stored};
  const key = `${daemon} ${run} ${stored ?? ""} ${instance} ${state}`;
  const ask: Ask = async (part) =>
    objectAt(await call(daemon, "GetTrace", {...of, instance: Number(instance), format: "json", ...part}), "content");
  const {value, problem} = useLoaded(key, () => ask(BEGINNING));
  if (problem) return <Problem text={problem} />;
  if (!value) return <Empty>Reading the trace …</Empty>;
  return <InstanceView key={key} first={value} ask={ask} />;
}

/** The ways of calls through the embedded SCP, and where they can be seen as a graph. */
function FlowPaths({first, run, stored}: {first: JsonObject; run: string; stored: number | null}): JSX.Element | null {
  const paths = listAt(first, "flow_paths");
  if (!paths.length) return null;
  return (
    <ul class="flow-paths" aria-label="Ways through flows">
      {paths.map((one, index) => (
        <li key={index}>
          <a href={href("flows", {run: stored === null ? run : null, result: stored, path: index})}>{textAt(one, "flow") || "flow"}</a>:{" "}
          {listAt(one, "path")
            .map((step) => `${textAt(step, "type")}${textAt(step, "exit_name") ? ` → ${textAt(step, "exit_name")}` : ""}`)
            .join(", ")}
        </li>
      ))}
    </ul>
  );
}

function instanceHref(run: string, stored: number | null, instance: string): string {
  return href("instance", {run: stored === null ? run : null, result: stored, instance});
}

function Failures({result, run, stored}: OfRun): JSX.Element {
  const found = listAt(result, "failures");
  const kept = new Set(
    ["first_fails", "first_aborts"].flatMap((name) => listAt(result, name).map((one) => textAt(one, "instance_id"))),
  );
  kept.add(textAt(objectAt(result, "first_call_summary"), "instance_id"));
  if (!found.length) return <Empty>Nothing failed.</Empty>;
  return (
    <table>
      <Columns names={["count", "state", "op", "cause", "values", "first to last", "instance"]} numbers={["count"]} />
      <tbody>
        {found.map((one, index) => {
          const id = textAt(one, "instance_id");
          return (
            <tr key={index}>
              <td class="number">{count(numberAt(one, "count"))}</td>
              <td>
                <Verdict of={textAt(one, "state")} />
              </td>
              <td>{numberAt(one, "op") ?? "–"}</td>
              <td>{textAt(one, "cause")}</td>
              <td>
                <code>{listAt(one, "values").map((value) => shown(value)).join(", ")}</code>
              </td>
              <td>
                {duration(numberAt(one, "first_s"))} to {duration(numberAt(one, "last_s"))}
              </td>
              <td>{kept.has(id) ? <a href={instanceHref(run, stored, id)}>{id}</a> : id}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Slowest({result, run, stored}: OfRun): JSX.Element {
  const found = listAt(result, "slowest");
  if (!found.length) return <Empty>Only loads have a list of the slowest.</Empty>;
  return (
    <table>
      <Columns names={["instance", "took", "state", "began", "reason"]} numbers={["took"]} />
      <tbody>
        {found.map((one, index) => (
          <tr key={index}>
            <td>
              <a href={instanceHref(run, stored, textAt(one, "instance_id"))}>{textAt(one, "instance_id")}</a>
            </td>
            <td class="number">{duration(numberAt(one, "duration"))}</td>
            <td>
              <Verdict of={textAt(one, "state")} />
            </td>
            <td>{clock(wall(one, "time_start"))}</td>
            <td>{textAt(one, "reason")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const POINTS = ["mean_ms", "p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms"];
const HEADS = POINTS.map((name) => name.replace("_ms", ""));

function Operations({result}: {result: JsonObject}): JSX.Element {
  const found = listAt(result, "operations");
  if (!found.length) return <Empty>No operation waited for a peer yet.</Empty>;
  return (
    <table>
      <caption>How long operations waited for peers, in ms</caption>
      <Columns names={["op", "name", "count", ...HEADS]} numbers={["op", "count", ...HEADS]} />
      <tbody>
        {found.map((one, index) => (
          <tr key={index}>
            <td class="number">{numberAt(one, "op")}</td>
            <td>{textAt(one, "name")}</td>
            <td class="number">{count(numberAt(one, "count"))}</td>
            {POINTS.map((name) => (
              <td class="number" key={name}>
                {brief(numberAt(one, name))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Halted({result, run}: {result: JsonObject; run: string}): JSX.Element {
  const {daemon, mayRun} = usePage();
  const found = listAt(result, "halted");
  if (!found.length) return <Empty>No instance is halted.</Empty>;
  const resume = (id: string) => (): Promise<unknown> => call(daemon, "ResumeInstance", {run_id: run, instance_id: id});
  return (
    <table>
      <Columns names={["instance", "op", "comment", "goes on by itself in", "resume"]} />
      <tbody>
        {found.map((one) => {
          const id = textAt(one, "instance_id");
          return (
            <tr key={id}>
              <td>{id}</td>
              <td>{numberAt(one, "op")}</td>
              <td>{textAt(one, "comment")}</td>
              <td>{duration(numberAt(one, "seconds_left"))}</td>
              <td>{mayRun ? <Button onClick={resume(id)}>Resume</Button> : null}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Problems({result}: {result: JsonObject}): JSX.Element {
  const problems = listAt(result, "problems");
  const leaks = listAt(result, "leaks");
  const closed = Object.entries(objectAt(result, "dialogues_closed"));
  if (!problems.length && !leaks.length && !closed.length) return <Empty>None.</Empty>;
  return (
    <ul class="problems">
      {leaks.map((one, index) => (
        <li key={`leak ${index}`}>
          <Verdict of="fail" text="left behind" /> {shown(one)}
        </li>
      ))}
      {problems.map((one, index) => (
        <li key={index}>
          <Verdict of={textAt(one, "severity")} /> <code>{textAt(one, "path")}</code> {textAt(one, "text")}
        </li>
      ))}
      {closed.map(([name, value]) => (
        <li key={name}>
          dialogues that the end of an instance had to close, by {name}: {shown(value)}
        </li>
      ))}
    </ul>
  );
}

function Variables({result}: {result: JsonObject}): JSX.Element {
  const first = objectAt(objectAt(result, "first_call_summary"), "vars");
  const rows = [
    ...Object.entries(objectAt(result, "globals")).map(([name, value]) => [`$g->{${name}}`, value] as const),
    ...Object.entries(first).map(([name, value]) => [`$v->{${name}}`, value] as const),
  ];
  if (!rows.length) return <Empty>No variables.</Empty>;
  return (
    <table>
      <caption>Of the run ($g) and of the first instance ($v)</caption>
      <Columns names={["variable", "value"]} />
      <tbody>
        {rows.map(([name, value]: readonly [string, Json]) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td>
              <code>{shown(value)}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Definition({stored}: {stored: number | null}): JSX.Element {
  const {daemon} = usePage();
  const {value, problem} = useLoaded(stored === null ? null : `${daemon} ${stored}`, () =>
    call(daemon, "GetResult", {result_id: stored, definition: 1}),
  );
  if (stored === null) return <Empty>The archive has the definition once the run is over.</Empty>;
  if (problem) return <Problem text={problem} />;
  if (!value) return <Empty>Reading the archive …</Empty>;
  return (
    <pre class="document" tabIndex={0}>
      {write(objectAt(value, "definition"), 2)}
    </pre>
  );
}

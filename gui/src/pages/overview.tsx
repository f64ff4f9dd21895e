/** The overview: the daemon, what runs on it, what ran last. */

import type {JSX} from "preact";
import {useEffect, useRef} from "preact/hooks";
import {call} from "../core/api";
import {useTopic} from "../core/feed";
import {brief, clock, count, duration, wall} from "../core/format";
import {isObject, type JsonObject, listAt, numberAt, objectAt, textAt} from "../core/json";
import {href} from "../core/router";
import {Bar, Button, Columns, Empty, Facts, Light, Problem, useLoaded, Verdict} from "../ui/parts";
import {usePage} from "./context";
import {ResultTable} from "./history";

export function OverviewPage(): JSX.Element {
  const {daemon} = usePage();
  const state = useTopic({daemon});
  const ended = state?.tests.filter((one) => one["completed"] === 1).map((one) => textAt(one, "run_id")).join(" ") ?? "";
  const service = state?.service ?? null;
  const completed = numberAt(objectAt(service, "counters"), "runs_completed") ?? 0;
  return (
    <>
      <h1>
        {daemon} {state ? <Verdict of={state.isUp ? "running" : "lost"} text={state.isUp ? textAt(service, "state") || "up" : "down"} /> : null}
      </h1>
      {state && !state.isUp ? (
        <p class="notice" role="status">
          <Verdict of="warning" text={`disconnected since ${clock(state.since)}`} /> {state.problem}
        </p>
      ) : null}
      {service ? <Service service={service} /> : null}
      <h2>Runs</h2>
      <Runs tests={state?.tests ?? null} rates={state?.rates ?? {}} />
      <h2>Last results</h2>
      <Latest key={daemon} daemon={daemon} round={`${ended} ${completed}`} isUp={state?.isUp ?? true} />
      <p>
        <a href={href("history")}>All of them</a>
      </p>
    </>
  );
}

function Service({service}: {service: JsonObject}): JSX.Element {
  const instances = objectAt(service, "instances");
  const counters = objectAt(service, "counters");
  const archive = objectAt(service, "archive");
  const memory = objectAt(service, "memory");
  const listening = listAt(objectAt(service, "scp"), "listening_on").map(String);
  return (
    <>
      <Facts
        of={[
          ["version", textAt(service, "version")],
          ["up for", duration(numberAt(service, "uptime_s"))],
          ["instances in progress", count(numberAt(instances, "in_progress"))],
          ["instances started", count(numberAt(instances, "started"))],
          ["runs started", count(numberAt(counters, "runs_started"))],
          ["runs refused", count(numberAt(counters, "runs_refused"))],
          ["archive", <Light key="a" state={textAt(archive, "state")} />],
          ["memory ceiling", brief(numberAt(memory, "ceiling_mib"), "MiB")],
          ["SCP listens on", listening.join(", ") || "loopback only"],
        ]}
      />
      <ul class="gateways" aria-label="Gateways">
        {listAt(service, "gateways").filter(isObject).map((one) => (
          <li key={textAt(one, "name")}>
            <Light state={textAt(one, "state")} /> <b>{textAt(one, "name")}</b> {textAt(one, "kind")}{" "}
            <small>{textAt(one, "detail")}</small>
          </li>
        ))}
      </ul>
    </>
  );
}

function Runs({tests, rates}: {tests: JsonObject[] | null; rates: Record<string, number>}): JSX.Element {
  const {daemon, mayRun} = usePage();
  if (!tests) return <Empty>Asking the daemon …</Empty>;
  if (!tests.length) return <Empty>Nothing runs.</Empty>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
      <table>
        <Columns names={["run", "verdict", "type", "client", "started", "per s", "failed", "progress", "do"]} numbers={["started", "per s", "failed"]} />
        <tbody>
          {tests.map((one) => {
            const run = textAt(one, "run_id");
            const counts = objectAt(one, "counts");
            const isOver = one["completed"] === 1;
            const verdict = textAt(one, "verdict");
            const progress = numberAt(one, "progress") ?? 0;
            return (
              <tr key={run}>
                <td>
                  <a href={href("run", {daemon, run})}>{textAt(one, "name") || run}</a> <small>{run}</small>
                </td>
                <td>
                  <Verdict of={isOver ? verdict : "running"} text={isOver || verdict === "pass" ? "" : `${verdict} so far`} />
                  {isOver ? verdict : textAt(one, "state")}
                </td>
                <td>{textAt(one, "type")}</td>
                <td>{textAt(one, "client")}</td>
                <td class="number">{count(numberAt(counts, "started"))}</td>
                <td class="number">{run in rates ? brief(rates[run] ?? null) : null}</td>
                <td class="number">{count((numberAt(counts, "failed") ?? 0) + (numberAt(counts, "aborted") ?? 0))}</td>
                <td>
                  <Bar share={progress} label={`${Math.round(progress * 100)} % of ${run}`} /> {Math.round(progress * 100)} %
                </td>
                <td>
                  {mayRun && !isOver ? (
                    <Button kind="danger" onClick={() => call(daemon, "CancelTest", {run_id: run})} title={`cancel ${run}`}>
                      Cancel
                    </Button>
                  ) : isOver ? (
                    <small title="whoever started it has not asked for its result yet">not collected</small>
                  ) : null}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Latest({daemon, round, isUp}: {daemon: string; round: string; isUp: boolean}): JSX.Element {
  const {value, problem, reload} = useLoaded(daemon, () => call(daemon, "ListResults", {limit: 20}));
  const last = useRef(round);
  useEffect(() => {
    if (last.current === round) return;
    last.current = round;
    reload();
  }, [round]);
  if (problem && !value) return isUp ? <Problem text={problem} /> : <Empty>The daemon does not answer.</Empty>;
  if (!value) return <Empty>Reading the archive …</Empty>;
  const results = listAt(value, "results").filter(isObject);
  return (
    <>
      {value["complete"] === 0 ? <p class="notice">The archive can't be read now; only what waits for it is here.</p> : null}
      {results.length ? <ResultTable results={results} /> : <Empty>Nothing ran yet.</Empty>}
      <small>as of {clock(wall(value, "time_now"))}</small>
    </>
  );
}

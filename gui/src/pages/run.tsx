/** A run: what was asked for, what came of it, over time and in detail; live or from the archive. */

import type {ComponentChildren, JSX} from "preact";
import {useEffect, useMemo, useState} from "preact/hooks";
import {RunCharts} from "../charts/run_charts";
import {fold, noBuckets, noSamples} from "../charts/series";
import {call} from "../core/api";
import {useTopic} from "../core/feed";
import {isFinal, type TopicState} from "../core/feedline";
import {brief, clock, count, duration, milliseconds, wall} from "../core/format";
import {type JsonObject, listAt, numberAt, objectAt, textAt} from "../core/json";
import {forget, isOwn} from "../core/own";
import {amend, href} from "../core/router";
import {Bar, Empty, Facts, Problem, Tabs, useLoaded, Verdict} from "../ui/parts";
import {usePage} from "./context";
import {RunTab, TABS, tabNotes} from "./run_tabs";
import {Exports, Steering} from "./steering";

export function RunPage({members}: {members: Record<string, string>}): JSX.Element {
  const {daemon} = usePage();
  const stored = members["result"];
  if (stored) return <StoredRun key={stored} result={Number(stored)} tab={members["tab"] ?? ""} />;
  const run = members["run"];
  if (!run) return <Empty>No run is named; choose one in the overview.</Empty>;
  return <LiveRun key={`${daemon} ${run}`} run={run} tab={members["tab"] ?? ""} />;
}

function LiveRun({run, tab}: {run: string; tab: string}): JSX.Element {
  const {daemon} = usePage();
  const state = useTopic({daemon, run});
  const isDone = state !== null && isFinal(state);
  // The heavy members are asked for once at the end, and when a tab wants them.
  const whole = useLoaded(isDone || state?.run ? `${daemon} ${run} ${isDone}` : null, () => wholeRun(daemon, run));
  const resultId = numberAt(state?.run, "result_id");

  useEffect(() => {
    if (!state?.isOver || !isOwn(daemon, run)) return;
    // A run that was started here is collected here: its run_id is free again.
    call(daemon, "QueryTest", {run_id: run}).then(
      () => forget(daemon, run),
      () => undefined,
    );
  }, [daemon, run, state?.isOver]);

  if (!state) return <Empty>Asking the daemon …</Empty>;
  if (!state.run && state.isLost) {
    return (
      <>
        <h1>{run}</h1>
        <p class="notice">
          <Verdict of="lost" /> {state.problem || "the daemon knows no such run"}
        </p>
        <p>
          <a href={href("history", {text: run})}>Look for it in the history</a>
        </p>
      </>
    );
  }
  if (!state.run) return state.isUp ? <Empty>Asking the daemon …</Empty> : <Down state={state} />;
  // What a feed says is newer, what was asked for has more.
  const result = {...(whole.value ?? {}), ...state.run};
  return (
    <>
      <Down state={state} />
      <Summary result={result} run={run} state={state} />
      <Steering result={result} run={run} isDone={isDone} />
      {isDone && resultId !== null ? <Exports result={resultId} name={textAt(result, "name") || run} /> : null}
      <Charts result={result}>
        <RunCharts buckets={state.buckets} samples={state.samples} gaps={state.gaps} begun={wall(result, "time_start")} />
      </Charts>
      <Problem text={whole.problem} />
      <Detail result={result} run={run} stored={null} tab={tab} isDone={isDone} reload={whole.reload} />
    </>
  );
}

function wholeRun(daemon: string, run: string): Promise<JsonObject> {
  return call(daemon, "QueryTest", {run_id: run, collect: 0});
}

function StoredRun({result: id, tab}: {result: number; tab: string}): JSX.Element {
  const {daemon} = usePage();
  const {value, problem} = useLoaded(`${daemon} ${id}`, () => call(daemon, "GetResult", {result_id: id, definition: 1}));
  const buckets = useMemo(() => {
    const found = noBuckets();
    if (value) fold(found, value, true);
    return found;
  }, [value]);
  const samples = useMemo(noSamples, []);
  if (!value) return problem ? <Problem text={problem} /> : <Empty>Reading the archive …</Empty>;
  const run = textAt(value, "run_id");
  return (
    <>
      <Summary result={value} run={run} state={null} />
      <Exports result={id} name={textAt(value, "name") || run} />
      <Charts result={value}>
        <RunCharts buckets={buckets} samples={samples} gaps={[]} begun={null} />
      </Charts>
      <Detail result={value} run={run} stored={id} tab={tab} isDone reload={() => undefined} />
    </>
  );
}

/** Of one call there is not much to draw. */
function Charts({result, children}: {result: JsonObject; children: ComponentChildren}): JSX.Element {
  const [isOpen, setOpen] = useState(textAt(result, "type") !== "single");
  return (
    <details class="over-time" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Over time</summary>
      {isOpen ? children : null}
    </details>
  );
}

function Down({state}: {state: TopicState}): JSX.Element | null {
  if (state.isUp && !state.isLost) return null;
  if (state.isLost) {
    return (
      <p class="notice" role="status">
        <Verdict of="lost" /> {state.problem || "the daemon does not know the run any more"}; what stands here was known before.
      </p>
    );
  }
  return (
    <p class="notice" role="status">
      <Verdict of="warning" text={`disconnected since ${clock(state.since)}`} /> {state.problem}
    </p>
  );
}

function Summary({result, run, state}: {result: JsonObject; run: string; state: TopicState | null}): JSX.Element {
  const counts = objectAt(result, "counts");
  const rate = objectAt(result, "rate");
  const plan = objectAt(result, "plan");
  const latency = objectAt(result, "latency");
  const number = (name: string): number => numberAt(counts, name) ?? 0;
  const total = numberAt(plan, "total") ?? number("planned");
  const isLost = state?.isLost === true || textAt(result, "state") === "lost";
  const of = isLost ? "lost" : result["completed"] === 1 ? textAt(result, "verdict") : "running";
  const late = objectAt(rate, "lateness_ms");
  const planned = numberAt(rate, "planned");
  const bad = number("failed") + number("aborted");
  return (
    <>
      <h1>
        <Verdict of={of} /> {textAt(result, "name") || run} <small>{run}</small>
      </h1>
      {result["completed"] === 1 || isLost ? null : (
        <Bar share={total ? number("finished") / total : 0} label={`${number("finished")} of ${total} finished`} />
      )}
      {textAt(result, "verdict") !== "pass" && of === "running" && bad ? (
        <p class="notice">
          <Verdict of={textAt(result, "verdict")} text={`${textAt(result, "verdict")} so far`} />
        </p>
      ) : null}
      <Facts
        of={[
          ["started", `${count(number("started"))} of ${count(total)}`],
          ["passed", count(number("passed"))],
          ["failed", <Count key="f" of="fail" value={number("failed")} />],
          ["aborted", <Count key="a" of="abort" value={number("aborted")} />],
          ["cancelled", count(number("cancelled"))],
          ["in progress", count(number("in_progress"))],
          ["asked / achieved", `${brief(numberAt(plan, "current_cps") ?? numberAt(rate, "asked"))} / ${brief(numberAt(rate, "achieved"))} per s`],
          ["planned = started + never", planned === null ? "–" : `${count(planned)} = ${count(numberAt(rate, "started"))} + ${count(numberAt(rate, "never_started"))}`],
          ["late starts p99", milliseconds(numberAt(late, "p99"))],
          ["limited by", textAt(rate, "limited_by") || "nothing"],
          ["response p50 / p99", percentiles(objectAt(latency, "response"))],
          ["service p50 / p99", percentiles(objectAt(latency, "service"))],
          ["began", clock(wall(result, "time_start"))],
          ["took", result["completed"] === 1 ? duration(numberAt(result, "duration")) : `${duration(numberAt(plan, "seconds_left"))} left`],
        ]}
      />
      <Thresholds result={result} />
    </>
  );
}

function Count({of, value}: {of: string; value: number}): JSX.Element {
  return value ? <Verdict of={of} text={count(value)} /> : <>0</>;
}

function percentiles(point: JsonObject): string {
  if (!numberAt(point, "count")) return "–";
  return `${milliseconds(numberAt(point, "p50_ms"))} / ${milliseconds(numberAt(point, "p99_ms"))}`;
}

function Thresholds({result}: {result: JsonObject}): JSX.Element | null {
  const found = listAt(result, "thresholds");
  if (!found.length) return null;
  return (
    <ul class="thresholds" aria-label="Thresholds">
      {found.map((one, index) => {
        const isMet = (one as JsonObject)["is_met"] === true;
        const said = `${textAt(one, "metric")} ${textAt(one, "op")} ${brief(numberAt(one, "value"))}: ${brief(numberAt(one, "got"))}`;
        return (
          <li key={index}>
            <Verdict of={isMet ? "pass" : "fail"} text={said} />
          </li>
        );
      })}
    </ul>
  );
}

interface DetailProps {
  result: JsonObject;
  run: string;
  stored: number | null;
  tab: string;
  isDone: boolean;
  reload: () => void;
}

function Detail({result, run, stored, tab, isDone, reload}: DetailProps): JSX.Element {
  const [own, setOwn] = useState("");
  const chosen = TABS.find((one) => one === (tab || own)) ?? TABS[0];
  const choose = (name: string): void => {
    setOwn(name);
    amend({tab: name});
    if (!isDone) reload();
  };
  return (
    <>
      <Tabs names={TABS} chosen={chosen} onChoose={choose} label="Parts of the result" notes={tabNotes(result)} />
      <div role="tabpanel" aria-label={chosen}>
        <RunTab name={chosen} result={result} run={run} stored={stored} isDone={isDone} />
      </div>
    </>
  );
}

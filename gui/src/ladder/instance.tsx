/** An instance: ladder and checks on one side, the chosen message on the other, linked both ways. */

import type {JSX} from "preact";
import {useEffect, useMemo, useState} from "preact/hooks";
import {duration, shown} from "../core/format";
import type {JsonObject} from "../core/json";
import {Columns, Empty, Problem, Verdict} from "../ui/parts";
import {aboutWhat, receivedOf} from "./about";
import {Ladder} from "./ladder";
import {MessageView} from "./message";
import {type CheckLine, EVERYTHING, type Filter, filtered, isFilter, type Message, type Trace, traceOf} from "./model";
import {beginning, gaps, messageAt, type Portions, rowsOf} from "./portions";
import {type Ask, useReading} from "./reading";

interface Choice {
  check: number | null;
  record: number | null; // unless the check is about another one
  path: string | null; // of a value; null: that of the check
}

const RESTS_MS = 40; // after which a message that is stepped over is looked at

/** `first` is the first portion of the trace, `ask` gives others. */
export function InstanceView({first, ask}: {first: JsonObject; ask: Ask}): JSX.Element {
  const trace = useMemo(() => traceOf(first), [first]);
  const {portions, wholes, problem, need, look} = useReading(first, ask);
  const {messages} = portions;
  const [filter, setFilter] = useState<Filter>(EVERYTHING);
  const firstBad = trace.checks.findIndex(isBad);
  const [choice, setChoice] = useState<Choice>({check: firstBad >= 0 ? firstBad : null, record: messages[0]?.index ?? null, path: null});

  const {received, until} = useMemo(() => {
    const known = beginning(portions);
    return {received: receivedOf(known.messages, trace.checks), until: known.until};
  }, [portions, trace]);
  const whole = (message: Message): Message => (message.isWhole ? message : (wholes.get(message.index) ?? message));
  const bad = useMemo(() => {
    const found = new Set<number>();
    for (const check of trace.checks) {
      const about = isBad(check) && check.t < until ? aboutWhat(received, check, whole) : null;
      if (about) found.add(about.message);
    }
    return found;
  }, [trace, received, until, wholes]);

  const looked = choice.check === null ? undefined : trace.checks[choice.check];
  const about = looked && looked.t < until ? aboutWhat(received, looked, whole) : null;
  const record = about?.message ?? choice.record;
  const path = choice.path ?? about?.path ?? "";
  const summary = record === null || isMissing(portions, record) ? undefined : messageAt(messages, record);
  const message = summary && whole(summary);
  const wanted = looked && isBad(looked) && looked.hasValues ? {path, expected: shown(looked.expected)} : null;

  // What a check is about depends on all that had come before it; a filter, on all there is.
  const lastBad = trace.checks.findLast(isBad)?.t ?? -1;
  const needed = isFilter(filter) ? Infinity : Math.max(lastBad, looked?.t ?? -1);
  useEffect(() => need({until: needed}), [needed]);
  useEffect(() => {
    if (!message || message.isWhole) return;
    const timer = setTimeout(() => look(message), RESTS_MS);
    return () => clearTimeout(timer);
  }, [message]);

  const left = useMemo(() => filtered(messages, filter, bad), [messages, filter, bad]);
  const rows = useMemo(() => rowsOf(left, isFilter(filter) ? [] : gaps(portions)), [left, filter, portions]);
  const choose = (index: number): void => {
    if (index !== record) setChoice({check: null, record: index, path: ""});
  };
  return (
    <div class="instance">
      <FilterBar trace={trace} portions={portions} filter={filter} onFilter={setFilter} count={left.length} />
      <Problem text={problem} />
      <div class="panes">
        <section aria-label="Ladder and checks">
          {portions.total ? (
            <Ladder
              rows={rows}
              perRecord={portions.perRecord}
              lifelines={portions.lifelines}
              chosen={summary?.index ?? record}
              marked={bad}
              onChoose={choose}
              onRange={(from, to) => setFilter({...filter, from, to})}
              onSee={(seen) => need({seen})}
            />
          ) : (
            <Empty>No messages were kept of this instance.</Empty>
          )}
          <Checks trace={trace} filter={filter} chosen={choice.check} onChoose={(check) => setChoice({check, record, path: null})} />
        </section>
        <section aria-label="Message">
          {message ? (
            <>
              <h3 class="message-title">
                {message.label} <small>{message.isSent ? "sent to" : "received from"} {message.isSent ? message.to : message.from} at {message.t.toFixed(6)} s, {message.protocol}</small>
              </h3>
              {message.isWhole ? (
                <MessageView message={message} path={path} wanted={wanted} onPath={(path) => setChoice({...choice, path})} />
              ) : (
                <Empty>Reading the message …</Empty>
              )}
            </>
          ) : (
            <Empty>{record === null ? "Choose a message to see what it says." : "Reading …"}</Empty>
          )}
        </section>
      </div>
    </div>
  );
}

function isMissing(portions: Portions, record: number): boolean {
  return gaps(portions).some((gap) => record >= gap.from && record < gap.next);
}

function isBad(check: CheckLine): boolean {
  return check.level === "fail" || check.level === "abort";
}

interface FilterProps {
  trace: Trace;
  portions: Portions;
  filter: Filter;
  count: number;
  onFilter: (filter: Filter) => void;
}

function FilterBar({trace, portions, filter, count, onFilter}: FilterProps): JSX.Element {
  const {messages} = portions;
  const protocols = useMemo(() => [...new Set(messages.map((one) => one.protocol))], [messages]);
  const dialogues = useMemo(() => [...new Set(messages.map((one) => one.dialogue))], [messages]);
  const last = messages.at(-1)?.t ?? 0;
  const missing = gaps(portions).reduce((sum, gap) => sum + gap.next - gap.from, 0);
  const set = (some: Partial<Filter>): void => onFilter({...filter, ...some});
  const bound = (text: string): number | null => (text === "" ? null : Number(text));
  return (
    <div class="filters" role="search" aria-label="Filter messages and checks">
      <Verdict of={trace.state} />
      <span>{duration(trace.duration)}</span>
      {trace.reason ? <span class="reason">{trace.reason}</span> : null}
      <span class="grow" />
      <select aria-label="Protocol" value={filter.protocol} onChange={(event) => set({protocol: event.currentTarget.value})}>
        <option value="">all protocols</option>
        {protocols.map((one) => <option key={one}>{one}</option>)}
      </select>
      <select aria-label="Dialogue" value={filter.dialogue} onChange={(event) => set({dialogue: event.currentTarget.value})}>
        <option value="">all dialogues</option>
        {dialogues.map((one) => <option key={one}>{one}</option>)}
      </select>
      <input
        type="search"
        placeholder="text"
        aria-label="Text"
        value={filter.text}
        onInput={(event) => set({text: event.currentTarget.value})}
      />
      <label>
        <input type="checkbox" checked={filter.failed} onChange={(event) => set({failed: event.currentTarget.checked})} /> failed
      </label>
      <span class="range">
        <input type="number" aria-label="From second" step="any" min={0} max={last} placeholder="from s" value={filter.from ?? ""} onInput={(event) => set({from: bound(event.currentTarget.value)})} />
        <input type="number" aria-label="To second" step="any" min={0} placeholder="to s" value={filter.to ?? ""} onInput={(event) => set({to: bound(event.currentTarget.value)})} />
      </span>
      {filter.from !== null || filter.to !== null ? (
        <button type="button" class="link" onClick={() => set({from: null, to: null})}>
          all times
        </button>
      ) : null}
      <output>
        {count} of {messages.length}
        {missing ? `, ${missing} records to be read` : ""}
      </output>
    </div>
  );
}

interface ChecksProps {
  trace: Trace;
  filter: Filter;
  chosen: number | null;
  onChoose: (index: number) => void;
}

const MOST_CHECKS = 200;

function Checks({trace, filter, chosen, onChoose}: ChecksProps): JSX.Element {
  const [isAll, setAll] = useState(false);
  const wanted = filter.text.trim().toLowerCase();
  const found = trace.checks.filter((one) => {
    if (filter.failed && !isBad(one)) return false;
    if (filter.from !== null && one.t < filter.from) return false;
    if (filter.to !== null && one.t > filter.to) return false;
    return !wanted || `${one.type} ${one.text} ${shown(one.expected)} ${shown(one.got)}`.toLowerCase().includes(wanted);
  });
  const bad = trace.checks.filter(isBad).length;
  // What failed is never behind the end of what is shown.
  const cut = isAll ? found : [...found.slice(0, MOST_CHECKS), ...found.slice(MOST_CHECKS).filter(isBad).slice(0, MOST_CHECKS)];
  return (
    <div class="checks">
      <h3>
        Checks <small>{trace.checks.length - bad} passed or told, {bad} failed</small>
      </h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Checks">
        <table>
          <Columns names={["s", "op", "check", "expected", "got"]} numbers={["s", "op"]} />
          <tbody>
            {cut.map((one) => (
              <tr key={one.index} class={`c-${one.level}${one.index === chosen ? " chosen" : ""}`}>
                <td class="number">{one.t.toFixed(4)}</td>
                <td class="number">{one.op}</td>
                <td>
                  <button type="button" class="link" onClick={() => onChoose(one.index)}>
                    <Verdict of={one.level} text={one.text} />
                  </button>
                </td>
                <td>{one.hasValues ? <code>{shown(one.expected)}</code> : null}</td>
                <td>{one.hasValues ? <code>{shown(one.got)}</code> : null}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {cut.length < found.length ? (
          <button type="button" class="link" onClick={() => setAll(true)}>
            show all {found.length}
          </button>
        ) : null}
      </div>
    </div>
  );
}

/** An instance: ladder and checks on one side, the chosen message on the other, linked both ways. */

import type {JSX} from "preact";
import {useMemo, useState} from "preact/hooks";
import {duration, shown} from "../core/format";
import {Empty, Verdict} from "../ui/parts";
import {Ladder} from "./ladder";
import {MessageView} from "./message";
import {aboutWhat, type CheckLine, EVERYTHING, type Filter, filtered, type Trace} from "./model";

export function InstanceView({trace}: {trace: Trace}): JSX.Element {
  const abouts = useMemo(() => trace.checks.map((check) => aboutWhat(trace, check)), [trace]);
  const bad = useMemo(() => {
    const found = new Set<number>();
    trace.checks.forEach((check, index) => {
      const about = abouts[index];
      if (about && isBad(check)) found.add(about.message);
    });
    return found;
  }, [trace, abouts]);
  const firstBad = trace.checks.findIndex(isBad);
  const start = firstBad >= 0 ? abouts[firstBad] : null;
  const [filter, setFilter] = useState<Filter>(EVERYTHING);
  const [check, setCheck] = useState<number | null>(firstBad >= 0 ? firstBad : null);
  const [chosen, setChosen] = useState<number | null>(start?.message ?? trace.messages[0]?.index ?? null);
  const [path, setPath] = useState(start?.path ?? "");
  const messages = useMemo(() => filtered(trace.messages, filter, bad), [trace, filter, bad]);
  const message = chosen === null ? undefined : trace.messages[chosen];

  const choose = (index: number): void => {
    if (index !== chosen) {
      setPath("");
      setCheck(null);
    }
    setChosen(index);
  };
  const chooseCheck = (index: number): void => {
    const about = abouts[index];
    setCheck(index);
    if (!about) return;
    setChosen(about.message);
    setPath(about.path);
  };
  const looked = check === null ? undefined : trace.checks[check];
  const wanted = looked && isBad(looked) && looked.hasValues ? {path, expected: shown(looked.expected)} : null;

  return (
    <div class="instance">
      <FilterBar trace={trace} filter={filter} onFilter={setFilter} count={messages.length} />
      <div class="panes">
        <section aria-label="Ladder and checks">
          {trace.messages.length ? (
            <Ladder
              messages={messages}
              lifelines={trace.lifelines}
              chosen={chosen}
              marked={bad}
              onChoose={choose}
            />
          ) : (
            <Empty>No messages were kept of this instance.</Empty>
          )}
          <Checks trace={trace} filter={filter} chosen={check} onChoose={chooseCheck} />
        </section>
        <section aria-label="Message">
          {message ? (
            <>
              <h3 class="message-title">
                {message.label} <small>{message.isSent ? "sent to" : "received from"} {message.isSent ? message.to : message.from} at {message.t.toFixed(6)} s, {message.protocol}</small>
              </h3>
              <MessageView message={message} path={path} wanted={wanted} onPath={setPath} />
            </>
          ) : (
            <Empty>Choose a message to see what it says.</Empty>
          )}
        </section>
      </div>
    </div>
  );
}

function isBad(check: CheckLine): boolean {
  return check.level === "fail" || check.level === "abort";
}

interface FilterProps {
  trace: Trace;
  filter: Filter;
  count: number;
  onFilter: (filter: Filter) => void;
}

function FilterBar({trace, filter, count, onFilter}: FilterProps): JSX.Element {
  const protocols = [...new Set(trace.messages.map((one) => one.protocol))];
  const dialogues = [...new Set(trace.messages.map((one) => one.dialogue))];
  const last = trace.messages.at(-1)?.t ?? 0;
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
      <output>{count} of {trace.messages.length}</output>
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
          <thead>
            <tr>
              <th scope="col">s</th>
              <th scope="col">op</th>
              <th scope="col">check</th>
              <th scope="col">expected</th>
              <th scope="col">got</th>
            </tr>
          </thead>
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

/** What can be done to a run: pause, another rate, cancel; and what can be taken from a result. */

import type {JSX} from "preact";
import {useEffect, useState} from "preact/hooks";
import {call, query} from "../core/api";
import {brief} from "../core/format";
import {type JsonObject, numberAt, objectAt, textAt} from "../core/json";
import {isOwn, forget} from "../core/own";
import {Button, Dialog} from "../ui/parts";
import {usePage} from "./context";

interface Props {
  result: JsonObject;
  run: string;
  isDone: boolean;
}

export function Steering({result, run, isDone}: Props): JSX.Element | null {
  const {daemon, mayRun} = usePage();
  const [isAsking, setAsking] = useState(false);
  if (isDone || !mayRun) return null;
  const type = textAt(result, "type");
  const isPaused = objectAt(result, "rate")["paused"] === 1;
  const pause = (): Promise<unknown> => call(daemon, "PauseTest", {run_id: run, paused: !isPaused});
  const cancel = async (): Promise<void> => {
    setAsking(false);
    await call(daemon, "CancelTest", {run_id: run});
    forget(daemon, run);
  };
  return (
    <div class="steering" role="group" aria-label="Steer the run">
      {type === "single" ? null : (
        <Button onClick={pause} pressed={isPaused}>
          {isPaused ? "Go on" : "Pause"}
        </Button>
      )}
      {type === "linear" ? <Rate result={result} run={run} /> : null}
      <Button kind="danger" onClick={() => (isOwn(daemon, run) ? cancel() : setAsking(true))}>
        Cancel
      </Button>
      {isAsking ? (
        <Dialog title="Cancel somebody else's run?" onClose={() => setAsking(false)}>
          <p>
            <b>{run}</b> was started by {textAt(result, "client") || "somebody else"}, who will be told that it was
            cancelled. Cancelling collects its result; it stays in the history.
          </p>
          <footer>
            <Button kind="danger" onClick={cancel}>
              Cancel the run
            </Button>
            <Button onClick={() => setAsking(false)}>Leave it</Button>
          </footer>
        </Dialog>
      ) : null}
    </div>
  );
}

const STEPS = 200; // of the slider, which is logarithmic

/** The rate asked for: a slider for the hand, a number for who knows what he wants. */
function Rate({result, run}: {result: JsonObject; run: string}): JSX.Element {
  const {daemon} = usePage();
  const asked = numberAt(objectAt(result, "plan"), "current_cps") ?? 1;
  const [own, setOwn] = useState<number | null>(null);
  const [most, setMost] = useState(Math.max(100, asked * 4));
  useEffect(() => setMost((before) => Math.max(before, asked)), [asked]);
  const value = own ?? asked;
  const send = async (cps: number): Promise<void> => {
    try {
      await call(daemon, "RateTest", {run_id: run, cps});
    } finally {
      setOwn(null);
    }
  };
  const change = (event: Event): void => {
    const at = Number((event.currentTarget as HTMLInputElement).value);
    const found = rateAt(at / STEPS, most);
    setOwn(found);
    void send(found).catch(() => undefined);
  };
  const type = (event: Event): void => setOwn(Number((event.currentTarget as HTMLInputElement).value));
  return (
    <span class="rate">
      <label>
        rate{" "}
        <input
          type="range"
          min={0}
          max={STEPS}
          value={Math.round(placeOf(value, most) * STEPS)}
          aria-valuetext={`${brief(value)} per second`}
          onInput={(event) => setOwn(rateAt(Number(event.currentTarget.value) / STEPS, most))}
          onChange={change}
        />
      </label>
      <input
        type="number"
        class="number"
        aria-label="Rate per second"
        min={0.1}
        step="any"
        value={Number(value.toPrecision(6))}
        onInput={type}
        onKeyDown={(event) => {
          if (event.key === "Enter" && own !== null) void send(own).catch(() => undefined);
        }}
      />
      <Button kind="small" onClick={() => send(value)} disabled={own === null}>
        Set
      </Button>
    </span>
  );
}

function rateAt(share: number, most: number): number {
  return Number((most ** share * (0.1 ** (1 - share))).toPrecision(2));
}

function placeOf(rate: number, most: number): number {
  return Math.log(Math.max(rate, 0.1) / 0.1) / Math.log(most / 0.1);
}

const FORMATS = ["html", "junit", "gtest", "csv", "pcap", "json"];

export function Exports({result, name}: {result: number; name: string}): JSX.Element {
  const {daemon} = usePage();
  return (
    <p class="exports">
      Export{" "}
      {FORMATS.map((format) => (
        <a key={format} href={`/api/export?${query({daemon, result, format, name})}`} download>
          {format}
        </a>
      ))}
    </p>
  );
}

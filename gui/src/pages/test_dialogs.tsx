/** How a run is asked for, and what is done when a file was changed by somebody else. */

import type {JSX} from "preact";
import {useState} from "preact/hooks";
import {saveAs} from "../core/api";
import {nodeAt} from "../core/document";
import {isObject, numberAt, objectAt, parse, textAt} from "../core/json";
import {go} from "../core/router";
import {Button, Dialog, Field, useLoaded} from "../ui/parts";
import {usePage} from "./context";
import {definitionOf, type FileText} from "./files";
import {start} from "./start";

interface RunProps {
  path: string;
  text: string | null;
  environment: string;
  onClose: () => void;
}

export function RunDialog({path, text, environment, onClose}: RunProps): JSX.Element {
  const {daemon} = usePage();
  const {value: params, problem} = useLoaded(`${path} ${environment}`, () => definitionOf(path, text, environment));
  return (
    <Dialog title={`Run ${path}`} onClose={onClose}>
      {problem ? <p class="problem">{problem}</p> : null}
      {params === null ? null : <RunForm daemon={daemon} path={path} params={params} />}
    </Dialog>
  );
}

type Type = "single" | "load" | "linear";

function RunForm({daemon, path, params}: {daemon: string; path: string; params: string}): JSX.Element {
  const given = givenIn(params);
  const [type, setType] = useState<Type>(given.type);
  const [total, setTotal] = useState(given.total);
  const [backlog, setBacklog] = useState(given.backlog);
  const [cps, setCps] = useState(given.cps);
  const [ramp, setRamp] = useState("");
  const [seconds, setSeconds] = useState(given.seconds);
  const [seed, setSeed] = useState("");
  const [trace, setTrace] = useState("1");
  const run = async (): Promise<void> => {
    const members: Record<string, unknown> = {trace_level: Number(trace)};
    const isAsGiven = type === given.type && total === given.total && backlog === given.backlog && cps === given.cps && seconds === given.seconds && !ramp;
    if (!isAsGiven || !nodeAt(params, ["distribution"])) members["distribution"] = distribution();
    if (seed) members["seed"] = Number(seed);
    go("run", {daemon, run: await start(daemon, path, params, members)});
  };
  const distribution = (): Record<string, unknown> => {
    if (type === "single") return {type};
    const load = {type, total: Number(total), backlog: Number(backlog), ...(seconds ? {max_seconds: Number(seconds)} : {})};
    if (type === "load") return load;
    const rate = ramp ? {initial: 0, target: Number(cps), ramp_s: Number(ramp)} : Number(cps);
    return {...load, cps: rate};
  };
  return (
    <>
      <fieldset class="choices">
        <legend>How many, and how fast</legend>
        {(["single", "load", "linear"] as const).map((one) => (
          <label key={one}>
            <input type="radio" name="type" checked={type === one} onChange={() => setType(one)} /> {one}
            <small>{{single: "one call", load: "as fast as the bound allows", linear: "at a rate"}[one]}</small>
          </label>
        ))}
      </fieldset>
      <div class="fields">
        {type === "linear" ? (
          <>
            <NumberField label="Calls per second" value={cps} onValue={setCps} />
            <NumberField label="Ramp, seconds" value={ramp} onValue={setRamp} />
          </>
        ) : null}
        {type === "single" ? null : (
          <>
            <NumberField label="Calls in all" value={total} onValue={setTotal} />
            <NumberField label="Most at once" value={backlog} onValue={setBacklog} />
            <NumberField label="Most seconds" value={seconds} onValue={setSeconds} />
          </>
        )}
        <NumberField label="Seed" value={seed} onValue={setSeed} />
        <Field label="Trace of the first">
          {(id) => (
            <select id={id} value={trace} onChange={(event) => setTrace(event.currentTarget.value)}>
              <option value="0">0: messages and checks</option>
              <option value="1">1: what happened</option>
              <option value="2">2: with values</option>
              <option value="3">3: everything</option>
            </select>
          )}
        </Field>
      </div>
      <footer>
        <Button kind="main" onClick={run}>
          Run
        </Button>
      </footer>
    </>
  );
}

function NumberField({label, value, onValue}: {label: string; value: string; onValue: (value: string) => void}): JSX.Element {
  return (
    <Field label={label}>
      {(id) => <input id={id} type="number" min={0} step="any" value={value} onInput={(event) => onValue(event.currentTarget.value)} />}
    </Field>
  );
}

interface Given {
  type: Type;
  total: string;
  backlog: string;
  cps: string;
  seconds: string;
}

function givenIn(params: string): Given {
  const found = objectAt(parse(params), "distribution");
  const type = textAt(found, "type");
  const number = (name: string, other: string): string => String(numberAt(found, name) ?? other);
  const cps = isObject(found["cps"]) ? numberAt(found["cps"], "target") : numberAt(found, "cps");
  return {
    type: type === "load" || type === "linear" ? type : "single",
    total: number("total", "1000"),
    backlog: number("backlog", "100"),
    cps: String(cps ?? 50),
    seconds: number("max_seconds", ""),
  };
}

interface ConflictProps {
  mine: string;
  theirs: FileText;
  onClose: () => void;
  onKeepMine: () => Promise<void>;
  onTakeTheirs: () => void;
}

/** The file is another one on the disk: both texts, and neither is lost. */
export function ConflictDialog({mine, theirs, onClose, onKeepMine, onTakeTheirs}: ConflictProps): JSX.Element {
  const takeTheirs = (): void => {
    saveAs(`${theirs.path.split("/").at(-1) ?? "mine"}.mine`, mine, "text/plain");
    onTakeTheirs();
  };
  return (
    <Dialog title="The file was changed on the disk" onClose={onClose}>
      <p>
        <b>{theirs.path}</b> is not what you opened. Nothing is overwritten until you choose.
      </p>
      <div class="both">
        <section>
          <h3>On the disk</h3>
          <pre class="document" tabIndex={0}>{theirs.text}</pre>
        </section>
        <section>
          <h3>Yours</h3>
          <pre class="document" tabIndex={0}>{mine}</pre>
        </section>
      </div>
      <footer>
        <Button kind="danger" onClick={onKeepMine}>
          Write mine over it
        </Button>
        <Button onClick={takeTheirs}>Take the one on the disk, and download mine</Button>
        <Button onClick={onClose}>Go on editing</Button>
      </footer>
    </Dialog>
  );
}

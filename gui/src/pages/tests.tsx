/** Tests: the files of the workspace, one of them as a form and as a text, its problems, its runs. */

import type {JSX} from "preact";
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {call, MethodRefused, Refused, words} from "../core/api";
import {rangeAt} from "../core/document";
import {isObject, listAt, type Step, steps, textAt} from "../core/json";
import {amend, go} from "../core/router";
import type {Mark} from "../editor/editor";
import {EditorPane} from "../editor/pane";
import {DefinitionForm} from "../forms/definition";
import type {FormProblem} from "../forms/wrong";
import {Button, Empty, Problem, Tabs, useLoaded, Verdict} from "../ui/parts";
import {usePage} from "./context";
import {baseName, definitionOf, entries, type FileText, isData, read, save} from "./files";
import {FileTree} from "./file_tree";
import {useKnown} from "./known";
import {ConflictDialog, RunDialog} from "./test_dialogs";
import {tryOne} from "./start";

export function TestsPage({members}: {members: Record<string, string>}): JSX.Element {
  const {session} = usePage();
  const files = useLoaded(session.workspace ? "files" : null, entries);
  const path = members["file"] ?? "";
  if (!session.workspace) {
    return <Empty>The GUI was started without a workspace: `tsvc gui --workspace DIR` gives it a folder.</Empty>;
  }
  return (
    <div class="workbench">
      <FileTree entries={files.value ?? []} chosen={path} problem={files.problem} onChanged={files.reload} />
      {path ? (
        <OpenFile key={path} path={path} members={members} entries={files.value ?? []} onSaved={files.reload} />
      ) : (
        <Empty>Choose a test on the left, or make a new one.</Empty>
      )}
    </div>
  );
}

interface OpenProps {
  path: string;
  members: Record<string, string>;
  entries: {path: string; kind: string}[];
  onSaved: () => void;
}

function OpenFile(props: OpenProps): JSX.Element {
  const {value, problem, reload} = useLoaded(props.path, () => read(props.path));
  if (problem) return <Problem text={problem} />;
  if (!value) return <Empty>Reading {props.path} …</Empty>;
  return <Workbench key={`${value.etag}`} {...props} file={value} onReload={reload} />;
}

const FORM = "Form";

function Workbench({path, members, entries: all, file, onSaved, onReload}: OpenProps & {file: FileText; onReload: () => void}): JSX.Element {
  const {daemon, mayWrite, mayRun} = usePage();
  const kind = isData(path);
  const views = kind === "json" ? [FORM, "JSON"] : [kind ? kind.toUpperCase() : "Text"];
  const view = views.find((one) => one === members["view"]) ?? views[0] ?? FORM;
  const [text, setText] = useState(file.text);
  const [etag, setEtag] = useState(file.etag);
  const [saved, setSaved] = useState(file.text);
  const [conflict, setConflict] = useState<FileText | null>(null);
  const [chosen, setChosen] = useState(0);
  const [isRunning, setRunning] = useState(false);
  const [shown, setShown] = useState<{from: number; to: number; round: number} | null>(null);
  const known = useKnown(daemon);
  const {problems, note, validate} = useProblems(daemon, path, text);
  const marks = useMemo(() => problems.map((one): Mark => ({...rangeAt(text, one.path), severity: one.severity === "warning" ? "warning" : "error", text: one.text})), [problems, text]);
  const environments = all.filter((one) => one.kind === "environment").map((one) => one.path);
  const [environment, setEnvironment] = useState("");
  const isChanged = text !== saved;
  const undo = useUndo(text, setText);

  // With the page that is shown, not some time after it: what was typed just now would be lost.
  useLayoutEffect(() => {
    const leave = (event: BeforeUnloadEvent): void => {
      if (isChanged) event.preventDefault();
    };
    addEventListener("beforeunload", leave);
    return () => removeEventListener("beforeunload", leave);
  }, [isChanged]);

  const store = async (over: string | null = etag): Promise<void> => {
    try {
      setEtag(await save({path, text, etag: over}));
      setSaved(text);
      setConflict(null);
      onSaved();
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 412) throw error;
      setConflict({path, text: textAt(error.body, "text"), etag: textAt(error.body, "etag")});
    }
  };
  const jump = (to: Step[]): void => {
    if (view === FORM) {
      if (to[0] === "operations" && typeof to[1] === "number") setChosen(to[1]);
      return;
    }
    setShown({...rangeAt(text, to), round: Date.now()});
  };
  return (
    <div class="open-file">
      <header class="file-head">
        <h1>
          {baseName(path)} <small>{path}</small>
          {isChanged ? <em title="not saved"> ●</em> : null}
        </h1>
        <Tabs names={views} chosen={view} onChoose={(name) => amend({view: name})} label="Ways to edit" />
        <span class="grow" />
        {environments.length ? (
          <select aria-label="Environment" value={environment} onChange={(event) => setEnvironment(event.currentTarget.value)}>
            <option value="">no environment</option>
            {environments.map((one) => <option key={one} value={one}>{baseName(one)}</option>)}
          </select>
        ) : null}
        <Button onClick={() => validate(environment)}>Validate</Button>
        {mayRun ? (
          <>
            <Button kind="main" onClick={async () => go("run", {daemon, run: await tryOne(daemon, path, text, environment)})}>
              Try one
            </Button>
            <Button onClick={() => setRunning(true)}>Run…</Button>
          </>
        ) : null}
        {mayWrite ? (
          <>
            <Button onClick={undo.back} disabled={!undo.can}>
              Undo
            </Button>
            <Button onClick={() => store()} disabled={!isChanged && etag !== null}>
              Save
            </Button>
          </>
        ) : null}
      </header>
      <ProblemList problems={problems} note={note} onJump={jump} />
      {view === FORM ? (
        <DefinitionForm
          text={text}
          known={known}
          problems={problems}
          isReadOnly={!mayWrite}
          chosen={chosen}
          onChoose={setChosen}
          onChange={undo.change}
        />
      ) : (
        <EditorPane
          text={text}
          isJson={kind === "json"}
          isReadOnly={!mayWrite}
          label={`Text of ${path}`}
          marks={kind === "json" ? marks : []}
          known={known}
          shown={shown}
          onChange={setText}
          onSave={() => void store().catch(() => undefined)}
        />
      )}
      {conflict ? (
        <ConflictDialog
          theirs={conflict}
          mine={text}
          onClose={() => setConflict(null)}
          onKeepMine={() => store(conflict.etag)}
          onTakeTheirs={onReload}
        />
      ) : null}
      {isRunning ? (
        <RunDialog path={path} text={text} environment={environment} onClose={() => setRunning(false)} />
      ) : null}
    </div>
  );
}

interface Undo {
  can: boolean;
  back: () => void;
  change: (text: string) => void;
}

/** The texts before each change of the form: undoing gives their octets back. */
function useUndo(text: string, set: (text: string) => void): Undo {
  const [before, setBefore] = useState<string[]>([]);
  return {
    can: before.length > 0,
    back: () => {
      const last = before.at(-1);
      if (last === undefined) return;
      setBefore(before.slice(0, -1));
      set(last);
    },
    change: (changed) => {
      if (changed === text) return;
      setBefore([...before, text].slice(-200));
      set(changed);
    },
  };
}

interface Problems {
  problems: FormProblem[];
  note: string;
  validate: (environment: string) => Promise<void>;
}

const QUIET_MS = 400;

/** What the daemon says of a definition: soon after each change, and when it is asked for. */
function useProblems(daemon: string, path: string, text: string): Problems {
  const [found, set] = useState<{problems: FormProblem[]; note: string}>({problems: [], note: ""});
  const round = useRef(0);
  const validate = async (environment: string): Promise<void> => {
    round.current += 1;
    const mine = round.current;
    const answer = await problemsOf(daemon, path, text, environment);
    if (mine === round.current) set(answer);
  };
  useEffect(() => {
    const timer = setTimeout(() => void validate("").catch(() => undefined), QUIET_MS);
    return () => clearTimeout(timer);
    // What changes is the text; the rest is fixed for an open file.
  }, [text, daemon, path]);
  return {...found, validate};
}

async function problemsOf(daemon: string, path: string, text: string, environment: string): Promise<{problems: FormProblem[]; note: string}> {
  try {
    const params = await definitionOf(path, text, environment);
    const answer = await call(daemon, "ValidateTest", params);
    const problems = listAt(answer, "problems").map((one) => ({
      path: steps(textAt(one, "pointer")).filter((step) => step !== ""),
      text: textAt(one, "text"),
      severity: textAt(one, "severity"),
    }));
    return {problems, note: problems.length ? "" : "valid"};
  } catch (error) {
    if (error instanceof MethodRefused) {
      const problems = Object.entries(error.fields).flatMap(([place, texts]) =>
        texts.map((one) => ({path: steps(place.replace(/^params\.?/, "")), text: one, severity: "error"})),
      );
      if (problems.length) return {problems, note: ""};
    }
    const where = error instanceof Refused && isObject(error.body) && error.body["line"] ? ` (line ${String(error.body["line"])}, column ${String(error.body["column"])})` : "";
    return {problems: [{path: [], text: words(error) + where, severity: "error"}], note: ""};
  }
}

function ProblemList({problems, note, onJump}: {problems: readonly FormProblem[]; note: string; onJump: (path: Step[]) => void}): JSX.Element {
  if (!problems.length) {
    return (
      <p class="problem-list" role="status">
        {note ? <Verdict of="pass" text={note} /> : "…"}
      </p>
    );
  }
  return (
    <div role="status">
    <ul class="problem-list" aria-label="Problems">
      {problems.map((one, index) => (
        <li key={index}>
          <button type="button" class="link" onClick={() => onJump(one.path)}>
            <Verdict of={one.severity === "warning" ? "warning" : "error"} text={pathText(one.path)} />
          </button>{" "}
          {one.text}
        </li>
      ))}
    </ul>
    </div>
  );
}

function pathText(path: readonly Step[]): string {
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index ? `.${step}` : step)).join("") || "file";
}

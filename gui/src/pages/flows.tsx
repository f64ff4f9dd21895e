/** Flows of the embedded SCP: graph, form by node, text, check; the way of a traced call is lit. */

import type {JSX} from "preact";
import {useEffect, useMemo, useState} from "preact/hooks";
import {call, Refused} from "../core/api";
import {flowCatalogue, type FlowOperation} from "../core/catalogue";
import {rangeAt} from "../core/document";
import {isObject, type Json, listAt, objectAt, type Step, steps, textAt, write} from "../core/json";
import {amend, href} from "../core/router";
import {EditorPane} from "../editor/pane";
import {FlowCanvas} from "../flow/canvas";
import {FlowForm, NodeForm} from "../flow/forms";
import {addNode, type FlowGraph, type FlowNode, graphOf, type Lit, litBy, wire} from "../flow/graph";
import type {Spot} from "../flow/layout";
import type {FormProblem} from "../forms/wrong";
import {Button, Empty, Problem, Tabs, useLoaded, Verdict} from "../ui/parts";
import {usePage} from "./context";
import {baseName, entries, type FileText, read, save} from "./files";
import {ConflictDialog} from "./test_dialogs";

export function FlowsPage({members}: {members: Record<string, string>}): JSX.Element {
  const {daemon, session} = usePage();
  const files = useLoaded(session.workspace ? "files" : null, entries);
  const known = useLoaded(daemon, () => flowCatalogue(daemon));
  const flows = (files.value ?? []).filter((one) => one.kind === "flow");
  const traced = useTraced(members);
  const path = members["file"] ?? "";
  const document = traced && !path ? traced.document : null;
  return (
    <>
      <header class="file-head">
        <h1>Flows</h1>
        <select aria-label="Flow" value={path} onChange={(event) => amend({file: event.currentTarget.value})}>
          <option value="">{document ? `of the run: ${traced?.name ?? ""}` : "choose a flow"}</option>
          {flows.map((one) => <option key={one.path}>{one.path}</option>)}
        </select>
        {traced ? (
          <small>
            the way of a call of <a href={href("run", {run: members["run"], result: members["result"]})}>{members["run"] ?? `result ${members["result"] ?? ""}`}</a> is lit
          </small>
        ) : null}
      </header>
      <Problem text={files.problem || known.problem || (traced?.problem ?? "")} />
      {!known.value ? (
        <Empty>Asking the daemon what flow operations there are …</Empty>
      ) : path ? (
        <FlowFile key={path} path={path} known={known.value} lit={traced?.lit ?? null} />
      ) : document ? (
        <FlowEditor path="" text={document} known={known.value} lit={traced?.lit ?? null} isReadOnly onChange={() => undefined} />
      ) : (
        <Empty>{session.workspace ? "Choose a flow, or make one on the page of tests." : "There is no workspace."}</Empty>
      )}
    </>
  );
}

interface Traced {
  name: string;
  lit: Lit;
  document: string | null;
  problem: string;
}

/** The way of the first call of a run through a flow, and the flow if the definition has it. */
function useTraced(members: Record<string, string>): Traced | null {
  const {daemon} = usePage();
  const {run, result} = members;
  const isAsked = Boolean(run ?? result);
  const loaded = useLoaded(isAsked ? `${daemon} ${run ?? ""} ${result ?? ""}` : null, async () => {
    if (result) return call(daemon, "GetResult", {result_id: Number(result), definition: 1});
    return call(daemon, "QueryTest", {run_id: run ?? "", collect: 0});
  });
  if (!isAsked) return null;
  const paths = listAt(objectAt(loaded.value, "first_call_summary"), "flow_paths");
  const one = paths[Number(members["path"] ?? 0)];
  const flow = objectAt(objectAt(loaded.value, "definition"), "flow");
  return {
    name: textAt(one, "flow"),
    lit: litBy(listAt(one, "path")),
    document: "operations" in flow ? write(flow, 2) : null,
    problem: loaded.problem,
  };
}

interface FileProps {
  path: string;
  known: ReadonlyMap<string, FlowOperation>;
  lit: Lit | null;
}

function FlowFile(props: FileProps): JSX.Element {
  const {value, problem, reload} = useLoaded(props.path, () => read(props.path));
  if (problem) return <Problem text={problem} />;
  if (!value) return <Empty>Reading {props.path} …</Empty>;
  return <Saved key={value.etag} {...props} file={value} onReload={reload} />;
}

function Saved({path, known, lit, file, onReload}: FileProps & {file: FileText; onReload: () => void}): JSX.Element {
  const {mayWrite} = usePage();
  const [texts, setTexts] = useState([file.text]);
  const [saved, setSaved] = useState(file.text);
  const [etag, setEtag] = useState(file.etag);
  const [conflict, setConflict] = useState<FileText | null>(null);
  const text = texts.at(-1) ?? "";
  const store = async (over: string | null = etag): Promise<void> => {
    try {
      setEtag(await save({path, text, etag: over}));
      setSaved(text);
      setConflict(null);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 412) throw error;
      setConflict({path, text: textAt(error.body, "text"), etag: textAt(error.body, "etag")});
    }
  };
  return (
    <>
      {mayWrite ? (
        <div class="flow-tools">
          <Button onClick={() => setTexts(texts.slice(0, -1))} disabled={texts.length < 2}>
            Undo
          </Button>
          <Button kind="main" onClick={() => store()} disabled={text === saved}>
            Save {baseName(path)}
          </Button>
          {text === saved ? null : <em>not saved</em>}
        </div>
      ) : null}
      <FlowEditor
        path={path}
        text={text}
        known={known}
        lit={lit}
        isReadOnly={!mayWrite}
        onChange={(changed) => changed !== text && setTexts([...texts, changed].slice(-200))}
      />
      {conflict ? (
        <ConflictDialog theirs={conflict} mine={text} onClose={() => setConflict(null)} onKeepMine={() => store(conflict.etag)} onTakeTheirs={onReload} />
      ) : null}
    </>
  );
}

interface EditorProps extends FileProps {
  text: string;
  isReadOnly: boolean;
  onChange: (text: string) => void;
}

function FlowEditor({path, text, known, lit, isReadOnly, onChange}: EditorProps): JSX.Element {
  const {daemon} = usePage();
  const [view, setView] = useState("Graph");
  const [chosen, setChosen] = useState<number | null>(null);
  const [dragged, setDragged] = useState<Record<string, Spot>>(() => keptSpots(path));
  const graph = useMemo(() => graphOf(text), [text]);
  const checked = useChecked(daemon, text, graph !== null);
  const node = graph?.nodes.find((one) => one.id === chosen) ?? null;
  const wrong = new Set(checked.problems.flatMap((one) => nodeAt(graph, one.path)?.id ?? []));
  const drag = (id: number, spot: Spot): void => {
    const spots = {...dragged, [id]: spot};
    setDragged(spots);
    if (path) localStorage.setItem(`flow ${path}`, JSON.stringify(spots));
  };
  const add = (event: Event): void => {
    const select = event.currentTarget as HTMLSelectElement;
    const operation = known.get(select.value);
    select.value = "";
    if (!graph || !operation) return;
    const exits = Math.max(operation.exits[0]?.length ?? 0, listAt(operation.example, "exits").length);
    const made = addNode(text, graph, operation.type, operation.example, exits);
    onChange(made.text);
    setChosen(made.id);
  };
  return (
    <>
      <Tabs names={["Graph", "JSON"]} chosen={view} onChoose={setView} label="Ways to edit a flow" />
      <div role="status">
      <ul class="problem-list" aria-label="Problems">
        {checked.problems.length ? (
          checked.problems.map((one, index) => (
            <li key={index}>
              <button type="button" class="link" onClick={() => setChosen(nodeAt(graph, one.path)?.id ?? null)}>
                <Verdict of={one.severity} text={one.path.join(".") || "flow"} />
              </button>{" "}
              {one.text}
            </li>
          ))
        ) : (
          <li>{checked.isDone ? <Verdict of="pass" text="valid" /> : "…"}</li>
        )}
      </ul>
      </div>
      {view === "JSON" || !graph ? (
        <EditorPane
          text={text}
          isJson
          isReadOnly={isReadOnly}
          label={`Text of ${path}`}
          marks={checked.problems.map((one) => ({...rangeAt(text, one.path), severity: one.severity === "warning" ? ("warning" as const) : ("error" as const), text: one.text}))}
          onChange={onChange}
        />
      ) : (
        <div class="flow-panes">
          <div class="scroll" tabIndex={0} role="region" aria-label="Graph">
            {isReadOnly ? null : (
              <select class="add" aria-label="Add an operation" onChange={add} value="">
                <option value="">+ operation …</option>
                {[...known.values()].map((one) => (
                  <option key={one.type} title={one.summary}>
                    {one.type}
                  </option>
                ))}
              </select>
            )}
            <FlowCanvas
              graph={graph}
              known={known}
              chosen={chosen}
              lit={lit}
              wrong={wrong}
              dragged={dragged}
              isReadOnly={isReadOnly}
              onChoose={setChosen}
              onDrag={drag}
              onWire={(from, exit, target) => onChange(wire(text, graph, from, exit, target))}
            />
          </div>
          {node ? (
            <NodeForm graph={graph} node={node} text={text} problems={checked.problems} known={known} isReadOnly={isReadOnly} onChange={onChange} onRemoved={() => setChosen(null)} />
          ) : (
            <FlowForm text={text} problems={checked.problems} isReadOnly={isReadOnly} onChange={onChange} />
          )}
        </div>
      )}
    </>
  );
}

function keptSpots(path: string): Record<string, Spot> {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(`flow ${path}`) ?? "{}");
    return isObject(found) ? (found as unknown as Record<string, Spot>) : {};
  } catch {
    return {};
  }
}

function nodeAt(graph: FlowGraph | null, path: readonly Step[]): FlowNode | null {
  if (path[0] !== "operations") return null;
  return graph?.nodes.find((one) => one.key === String(path[1])) ?? null;
}

const QUIET_MS = 300;

function useChecked(daemon: string, text: string, isFlow: boolean): {problems: FormProblem[]; isDone: boolean} {
  const [found, set] = useState<{problems: FormProblem[]; isDone: boolean}>({problems: [], isDone: false});
  useEffect(() => {
    let isWanted = true;
    if (!isFlow) {
      set({problems: [{path: [], text: "this is no JSON object", severity: "error"}], isDone: true});
      return;
    }
    const timer = setTimeout(() => {
      call(daemon, "CheckFlow", `{"flow":${text}}`).then(
        (answer) => isWanted && set({problems: listAt(answer, "problems").map(problemOf), isDone: true}),
        (error: unknown) => isWanted && set({problems: [{path: [], text: String(error), severity: "error"}], isDone: true}),
      );
    }, QUIET_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [daemon, text, isFlow]);
  return found;
}

function problemOf(one: Json): FormProblem {
  const path = steps(textAt(one, "pointer")).filter((step) => step !== "");
  return {path, text: textAt(one, "text"), severity: textAt(one, "severity")};
}

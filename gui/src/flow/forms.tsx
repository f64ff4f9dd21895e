/** Forms of a flow: of one operation, and of the flow itself. */

import type {JSX} from "preact";
import {type FlowOperation, memberOf} from "../core/catalogue";
import {octetsAt, renameAt, setAt} from "../core/document";
import {type Json, type JsonObject, parse} from "../core/json";
import {type Edits, Members} from "../forms/field";
import {type FormProblem, wrongIn} from "../forms/wrong";
import {Button} from "../ui/parts";
import {dropExit, exitName, type FlowGraph, type FlowNode, pathOf, removeNode, wire} from "./graph";

function editsOf(text: string, problems: readonly FormProblem[], isReadOnly: boolean, onChange: (text: string) => void): Edits {
  let document: Json = {};
  try {
    document = parse(text);
  } catch {
    // Shown as a text then.
  }
  return {
    document,
    isReadOnly,
    wrong: wrongIn(document, problems),
    set: (at, value) => onChange(setAt(text, at, value)),
    rename: (at, name) => onChange(renameAt(text, at, name)),
  };
}

interface NodeProps {
  graph: FlowGraph;
  node: FlowNode;
  text: string;
  problems: readonly FormProblem[];
  known: ReadonlyMap<string, FlowOperation>;
  isReadOnly: boolean;
  onChange: (text: string) => void;
  onRemoved: () => void;
}

export function NodeForm({graph, node, text, problems, known, isReadOnly, onChange, onRemoved}: NodeProps): JSX.Element {
  const operation = known.get(node.type);
  const path = pathOf(graph, node);
  const edits = editsOf(text, problems, isReadOnly, onChange);
  const most = Math.max(0, ...(operation?.exits ?? []).map((one) => one.length));
  const mayHaveMore = !operation?.exits.length || node.exits.length < most;
  return (
    <section class="node-form" aria-label={`Operation ${node.id}`}>
      <h3>
        {node.id} {node.type}
      </h3>
      {operation ? <p class="help">{operation.summary}</p> : <p class="problem">no type of the daemon</p>}
      {"config" in node.raw ? (
        <Members members={operation?.config ?? []} path={[...path, "config"]} edits={edits} />
      ) : isReadOnly || !operation?.config.length ? null : (
        <Button kind="small" onClick={() => edits.set([...path, "config"], (operation.example["config"] ?? {}) as JsonObject)}>
          + config
        </Button>
      )}
      <h4>Exits</h4>
      <p class="help">{operation?.exitRule}</p>
      {node.exits.map((target, exit) => {
        const name = exitName(operation?.exits ?? [], exit, node.exits.length);
        return (
          <label key={exit} class="exit" title={operation?.exitHelp[name] ?? ""}>
            <span>
              {exit} {name}
            </span>
            <select
              value={target === null ? "" : String(target)}
              disabled={isReadOnly}
              onChange={(event) => onChange(wire(text, graph, node, exit, event.currentTarget.value ? Number(event.currentTarget.value) : null))}
            >
              <option value="">nothing</option>
              {graph.nodes.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.id} {one.type}
                </option>
              ))}
            </select>
          </label>
        );
      })}
      {isReadOnly ? null : (
        <p class="flow-tools">
          {mayHaveMore ? (
            <Button kind="small" onClick={() => onChange(wire(text, graph, node, node.exits.length, null))}>
              + exit
            </Button>
          ) : null}
          {node.exits.length ? (
            <Button kind="small" onClick={() => onChange(dropExit(text, graph, node))}>
              − exit
            </Button>
          ) : null}
          <Button
            kind="danger"
            onClick={() => {
              onChange(removeNode(text, graph, node));
              onRemoved();
            }}
          >
            Remove
          </Button>
        </p>
      )}
      <details>
        <summary>As it stands in the file</summary>
        <pre class="document">{octetsAt(text, path)}</pre>
      </details>
    </section>
  );
}

/** Members of a flow beside its operations (docs/reference/flows.md). */
const TRIGGER = {service_key: {type: "integer"}, called_prefix: {type: "string"}, calling_prefix: {type: "string"}, default: {type: "boolean"}};
const FLOW_MEMBERS = [
  memberOf("name", {type: "string", help: "the name in counters and traces"}),
  memberOf("comment", {type: "string"}),
  memberOf("triggers", {type: "array", help: "which calls it serves", items: {type: "sequence", members: TRIGGER}}),
  memberOf("announcements", {type: "object", help: "message ids by set, then entry"}),
  memberOf("pattern_syntax", {type: "string", choices: ["acs", "regex"], default: "acs"}),
];

interface FlowProps {
  text: string;
  problems: readonly FormProblem[];
  isReadOnly: boolean;
  onChange: (text: string) => void;
}

export function FlowForm({text, problems, isReadOnly, onChange}: FlowProps): JSX.Element {
  const edits = editsOf(text, problems, isReadOnly, onChange);
  return (
    <section class="node-form" aria-label="Flow">
      <h3>The flow</h3>
      <p class="help">Choose an operation to see its form.</p>
      <Members members={FLOW_MEMBERS} path={[]} edits={edits} hidden={["operations"]} />
    </section>
  );
}

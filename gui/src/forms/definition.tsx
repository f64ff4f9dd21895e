/** A definition as a form: its operations as a list, the chosen one in detail. */

import type {JSX} from "preact";
import {useMemo, useState} from "preact/hooks";
import type {Known} from "../editor/complete";
import {memberFor, type Operation, operationFor} from "../core/catalogue";
import {insertAt, moveAt, renameAt, setAt} from "../core/document";
import {isObject, type Json, type JsonObject, listAt, parse, type Step, textAt} from "../core/json";
import {Empty, Verdict} from "../ui/parts";
import {type Edits, MemberField, Members} from "./field";
import {TestsGrid} from "./tests_grid";
import {type FormProblem, wrongIn} from "./wrong";

interface Props {
  text: string;
  known: Known | null;
  problems: readonly FormProblem[];
  isReadOnly: boolean;
  chosen: number;
  onChoose: (index: number) => void;
  onChange: (text: string) => void;
}

const SHOWN_ELSEWHERE = ["operations"];

export function DefinitionForm({text, known, problems, isReadOnly, chosen, onChoose, onChange}: Props): JSX.Element {
  const document = useMemo(() => read(text), [text]);
  const wrong = useMemo(() => wrongIn(document, problems), [document, problems]);
  if (!known) return <Empty>Asking the daemon what operations there are …</Empty>;
  if (!document) return <Empty>This is no JSON object yet: mend it as a text first.</Empty>;
  const edits: Edits = {
    document,
    isReadOnly,
    wrong,
    set: (path, value) => onChange(setAt(text, path, value)),
    rename: (path, name) => onChange(renameAt(text, path, name)),
  };
  const operations = listAt(document, "operations");
  const insert = (operation: Operation): void => {
    const at = operations.length ? Math.min(chosen, operations.length - 1) + 1 : 0;
    onChange(insertAt(text, ["operations"], at, newEntry(operation)));
    onChoose(at);
  };
  return (
    <div class="definition">
      <section class="steps" aria-label="Operations">
        <Steps
          operations={operations}
          known={known}
          problems={problems}
          chosen={chosen}
          isReadOnly={isReadOnly}
          onChoose={onChoose}
          onMove={(from, to) => {
            onChange(moveAt(text, ["operations"], from, to));
            onChoose(to);
          }}
          onRemove={(index) => edits.set(["operations", index], undefined)}
        />
        {isReadOnly ? null : <Palette known={known} onInsert={insert} />}
      </section>
      <section class="detail-form" aria-label="Operation">
        {operations[chosen] === undefined ? (
          <Empty>Choose an operation from the palette to begin.</Empty>
        ) : (
          <OperationForm index={chosen} known={known} edits={edits} problems={problems} />
        )}
        <details open={!operations.length}>
          <summary>The whole test: name, distribution, variables, gateways …</summary>
          <Members members={known.members} path={[]} edits={edits} hidden={SHOWN_ELSEWHERE} />
        </details>
      </section>
    </div>
  );
}

function read(text: string): JsonObject | null {
  try {
    const found = parse(text.trim() ? text : "{}");
    return isObject(found) ? found : null;
  } catch {
    return null;
  }
}

/** Returns a new entry: what the catalogue has as an example, else the bare type. */
export function newEntry(operation: Operation): JsonObject {
  return "type" in operation.example ? operation.example : {type: operation.type};
}

interface StepsProps {
  operations: readonly Json[];
  known: Known;
  problems: readonly FormProblem[];
  chosen: number;
  isReadOnly: boolean;
  onChoose: (index: number) => void;
  onMove: (from: number, to: number) => void;
  onRemove: (index: number) => void;
}

function Steps({operations, known, problems, chosen, isReadOnly, onChoose, onMove, onRemove}: StepsProps): JSX.Element {
  const [dragged, setDragged] = useState<number | null>(null);
  const last = operations.length - 1;
  return (
    <ol class="step-list">
      {operations.map((one, index) => {
        const type = textAt(one, "type");
        const operation = operationFor(known.operations, type);
        const wrong = problems.find((problem) => problem.path[0] === "operations" && problem.path[1] === index);
        const family = operation?.family ?? "unknown";
        return (
          <li
            key={index}
            class={`step f-${family}${index === chosen ? " chosen" : ""}${wrong ? ` p-${wrong.severity}` : ""}`}
            draggable={!isReadOnly}
            onDragStart={() => setDragged(index)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={() => {
              if (dragged !== null && dragged !== index) onMove(dragged, index);
              setDragged(null);
            }}
          >
            <button
              type="button"
              class="step-name"
              aria-current={index === chosen ? "step" : undefined}
              onClick={() => onChoose(index)}
            >
              <span class="index">{index}</span>
              <span class="way" aria-hidden="true">
                {family === "outbound" ? "→" : family === "inbound" ? "←" : "·"}
              </span>
              <span class="unseen">{family}</span>
              {shortName(type)}
              {textAt(one, "label") ? <small>{textAt(one, "label")}:</small> : null}
              {wrong ? <Verdict of={wrong.severity} text="" /> : null}
            </button>
            {isReadOnly ? null : (
              <span class="step-tools">
                <button type="button" class="button b-small" aria-label={`Move operation ${index} up`} disabled={index === 0} onClick={() => onMove(index, index - 1)}>
                  ↑
                </button>
                <button type="button" class="button b-small" aria-label={`Move operation ${index} down`} disabled={index === last} onClick={() => onMove(index, index + 1)}>
                  ↓
                </button>
                <button type="button" class="button b-small" aria-label={`Remove operation ${index}`} onClick={() => onRemove(index)}>
                  −
                </button>
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function shortName(type: string): string {
  const parts = type.split(".");
  return parts.length > 2 ? `${parts.slice(2).join(".")}` : type;
}

const MOST_OFFERED = 60;

export function Palette({known, onInsert}: {known: Known; onInsert: (operation: Operation) => void}): JSX.Element {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const matching = [...known.operations.values()].filter((one) => {
    const all = `${one.type} ${one.summary} ${one.family}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
  // What is called so comes before what only speaks of it: Enter takes the first.
  const found = wanted.length ? matching.sort((one, other) => rankOf(one, wanted) - rankOf(other, wanted)) : matching;
  return (
    <div class="palette">
      <label>
        Add an operation
        <input
          type="search"
          placeholder="InitialDP, rest, wait …"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && found[0]) onInsert(found[0]);
          }}
        />
      </label>
      <ul>
        {found.slice(0, MOST_OFFERED).map((one) => (
          <li key={one.type}>
            <button type="button" class={`offer f-${one.family}`} title={one.summary} onClick={() => onInsert(one)}>
              <b>{one.type}</b> <small>{one.summary}</small>
            </button>
          </li>
        ))}
      </ul>
      <small>
        {found.length} of {known.operations.size}
      </small>
    </div>
  );
}

function rankOf(operation: Operation, wanted: readonly string[]): number {
  const type = operation.type.toLowerCase();
  const text = wanted.join(" ");
  if (type === text) return 0;
  if (type.endsWith(`.${text}`)) return 1;
  return wanted.every((word) => type.includes(word)) ? 2 : 3;
}

interface OperationFormProps {
  index: number;
  known: Known;
  edits: Edits;
  problems: readonly FormProblem[];
}

function OperationForm({index, known, edits, problems}: OperationFormProps): JSX.Element {
  const path: Step[] = ["operations", index];
  const entry = listAt(edits.document, "operations")[index];
  const operation = operationFor(known.operations, textAt(entry, "type"));
  const members = operation?.attributes ?? [];
  const tests = memberFor(members, "tests");
  const has = (name: string): boolean => isObject(entry) && name in entry;
  const here = problems.filter((problem) => problem.path[0] === "operations" && problem.path[1] === index);
  return (
    <>
      <h3>
        <span class="index">{index}</span> {textAt(entry, "type")}
      </h3>
      {operation ? <p class="help">{operation.summary}</p> : <p class="problem">no type of the daemon</p>}
      {here.map((problem, at) => (
        <p key={at} class="problem">
          <Verdict of={problem.severity} text="" /> {problem.path.slice(2).join(".")} {problem.text}
        </p>
      ))}
      {has("arguments") && operation?.args ? (
        <MemberField name="arguments" member={operation.args} path={[...path, "arguments"]} edits={edits} />
      ) : null}
      {has("tests") || (tests && operation?.family === "inbound") ? (
        <TestsGrid path={[...path, "tests"]} member={tests} edits={edits} />
      ) : null}
      <Members
        members={members}
        path={path}
        edits={edits}
        hidden={["type", ...(has("arguments") && operation?.args ? ["arguments"] : []), "tests"]}
      />
      {!has("arguments") && operation?.args && !edits.isReadOnly ? (
        <button type="button" class="button b-small" onClick={() => edits.set([...path, "arguments"], {})}>
          + arguments
        </button>
      ) : null}
    </>
  );
}

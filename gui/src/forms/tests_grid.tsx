/** The checks of what is received: a line for each place, its comparison and value. */

import type {JSX} from "preact";
import type {Member} from "../core/catalogue";
import {isObject, type Json, type Step, valueAt, write} from "../core/json";
import {Columns, Verdict} from "../ui/parts";
import {type Edits, Members, typed} from "./field";
import {keyOf} from "./wrong";

interface Props {
  path: readonly Step[]; // of the array
  member: Member | null;
  edits: Edits;
}

/** Kinds of checks, and what each of them compares with (docs/reference/operations.md, Tests). */
const KINDS: Record<string, readonly string[]> = {
  string: ["value"],
  integer: ["value"],
  number: ["value", "tolerance"],
  regex: ["pattern"],
  exists: ["value"],
  defined: ["value"],
  boolean: ["value"],
  timestamp: ["value", "tolerance_s", "min", "max"],
  size: ["value", "min", "max"],
  len: ["value", "min", "max"],
  ordered_str_array: ["value"],
  range: ["min", "max"],
  in: ["value"],
};
const PLAIN = ["kpath", "type", "value", "pattern", "min", "max", "tolerance", "tolerance_s"];

export function TestsGrid({path, member, edits}: Props): JSX.Element {
  const found = valueAt(edits.document, path);
  const list = Array.isArray(found) ? found : [];
  const add = (): void => edits.set([...path, list.length], {kpath: "", value: ""});
  return (
    <table class="tests">
      <caption>Checks of what is received</caption>
      <Columns names={["place", "must be", "value", "more", <span class="unseen">remove</span>]} />
      <tbody>
        {list.map((one, index) => (
          <TestRow key={index} test={one} path={[...path, index]} member={member} edits={edits} />
        ))}
      </tbody>
      {edits.isReadOnly ? null : (
        <tfoot>
          <tr>
            <td colSpan={5}>
              <button type="button" class="button b-small" onClick={add}>
                + check
              </button>
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

interface RowProps {
  test: Json;
  path: readonly Step[];
  member: Member | null;
  edits: Edits;
}

function TestRow({test, path, member, edits}: RowProps): JSX.Element {
  const one = isObject(test) ? test : {};
  const type = typeof one["type"] === "string" ? one["type"] : "string";
  const isAbsent = (type === "exists" || type === "defined") && isFalse(one["value"]);
  const set = (name: string, value: Json | undefined): void => edits.set([...path, name], value);
  const kinds = Object.keys(KINDS);
  const compared = KINDS[type] ?? ["value"];
  const shown = compared.filter((name, index) => index === 0 || name in one || compared.length === 2);
  const rest = Object.keys(one).filter((name) => !PLAIN.includes(name) || (name in one && !known(name, compared)));
  const wrong = ["", ...Object.keys(one)].flatMap((name) => edits.wrong?.get(keyOf(name ? [...path, name] : path)) ?? []);
  return (
    <tr class={wrong.length ? "invalid" : undefined}>
      <td>
        <input
          aria-label="Place"
          class={isAbsent ? "absent" : ""}
          title={isAbsent ? "must not be there" : ""}
          value={text(one["kpath"])}
          readOnly={edits.isReadOnly}
          onChange={(event) => set("kpath", event.currentTarget.value)}
        />
        {wrong.map((problem, index) => (
          <p key={index} class="problem">
            <Verdict of={problem.severity === "warning" ? "warning" : "error"} text={problem.text} />
          </p>
        ))}
      </td>
      <td>
        <select
          aria-label="Kind of check"
          value={type}
          disabled={edits.isReadOnly}
          onChange={(event) => set("type", event.currentTarget.value)}
        >
          {(kinds.includes(type) ? kinds : [...kinds, type]).map((kind) => <option key={kind}>{kind}</option>)}
        </select>
      </td>
      <td>
        {shown.map((name) => (
          <label key={name} class="compared">
            {shown.length > 1 ? name : <span class="unseen">{name}</span>}
            <input
              aria-label={name}
              value={text(one[name])}
              readOnly={edits.isReadOnly}
              onChange={(event) => set(name, typed(event.currentTarget.value, one[name] ?? 0))}
            />
          </label>
        ))}
      </td>
      <td>
        <Members members={member?.items?.members ?? []} path={path} edits={edits} hidden={PLAIN.filter((name) => !rest.includes(name))} />
      </td>
      <td>
        {edits.isReadOnly ? null : (
          <button type="button" class="button b-small" aria-label="Remove the check" onClick={() => edits.set(path, undefined)}>
            −
          </button>
        )}
      </td>
    </tr>
  );
}

function known(name: string, compared: readonly string[]): boolean {
  return name === "kpath" || name === "type" || compared.includes(name);
}

function isFalse(value: Json | undefined): boolean {
  return value === 0 || value === false || value === "0" || value === "false";
}

function text(value: Json | undefined): string {
  return value === undefined ? "" : typeof value === "string" ? value : write(value);
}

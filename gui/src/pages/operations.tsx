/** The catalogue of operations: search, help, example, and a way into the test one is working at. */

import type {JSX} from "preact";
import {catalogue, type Member, type Operation} from "../core/catalogue";
import {insertAt} from "../core/document";
import {listAt, parse, textAt, write} from "../core/json";
import {amend, go, href} from "../core/router";
import {newEntry} from "../forms/definition";
import {Button, Columns, Empty, Problem, useLoaded} from "../ui/parts";
import {usePage} from "./context";
import {entries, read, save} from "./files";

const MOST = 120;

export function OperationsPage({members}: {members: Record<string, string>}): JSX.Element {
  const {daemon} = usePage();
  const {value, problem} = useLoaded(daemon, () => catalogue(daemon));
  const text = members["text"] ?? "";
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [...(value?.values() ?? [])];
  const found = all.filter((one) => {
    const words = `${one.type} ${one.summary} ${one.family}`.toLowerCase();
    return wanted.every((word) => words.includes(word));
  });
  const chosen = value?.get(members["type"] ?? "") ?? null;
  return (
    <>
      <h1>Operations</h1>
      <input
        type="search"
        aria-label="Search operations"
        placeholder="InitialDP, Diameter, balance …"
        value={text}
        onInput={(event) => amend({text: event.currentTarget.value})}
      />{" "}
      <output>
        {found.length} of {all.length}
      </output>
      <Problem text={problem} />
      {value || problem ? null : <Empty>Asking the daemon …</Empty>}
      <div class="catalogue">
        <ul class="scroll" aria-label="Types">
          {found.slice(0, MOST).map((one) => (
            <li key={one.type}>
              <a href={href("operations", {...members, type: one.type})} aria-current={one === chosen ? "true" : undefined} class={`offer f-${one.family}`}>
                <b>{one.type}</b> <small>{one.summary}</small>
              </a>
            </li>
          ))}
          {found.length > MOST ? <li>… and {found.length - MOST} more: say more of it</li> : null}
        </ul>
        {chosen ? <Help operation={chosen} /> : <Empty>Choose a type.</Empty>}
      </div>
    </>
  );
}

function Help({operation}: {operation: Operation}): JSX.Element {
  const errors = listAt(operation.raw, "errors").map(String);
  const variants = listAt(operation.raw, "variants").map(String);
  return (
    <article class="help-page" aria-label={operation.type}>
      <h2>{operation.type}</h2>
      <p>
        {operation.summary} <small>({operation.family})</small>
      </p>
      {variants.length ? <p>In {variants.join(", ")}.</p> : null}
      {errors.length ? <p>Errors: {errors.join(", ")}.</p> : null}
      <Insert operation={operation} />
      <h3>Example</h3>
      <pre class="document" tabIndex={0}>{write(newEntry(operation), 2)}</pre>
      {operation.args ? <MemberTable title="Arguments" members={operation.args.members} /> : null}
      <MemberTable title="Members" members={operation.attributes} />
    </article>
  );
}

function MemberTable({title, members}: {title: string; members: readonly Member[]}): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <Columns names={["name", "value", "forms", "meaning"]} />
        <tbody>
          {members.map((one) => (
            <tr key={one.name}>
              <td>
                <code>{one.name}</code>
                {one.required ? <em title="required">*</em> : null}
              </td>
              <td>
                {one.type}
                {one.names.length ? <small> {one.names.map(([number, name]) => `${number} ${name}`).join(", ")}</small> : null}
                {one.choices.length ? <small> {one.choices.join(", ")}</small> : null}
                {one.members.length ? <small> {one.members.map((inner) => inner.name).join(", ")}</small> : null}
              </td>
              <td>
                <small>{one.keys.filter((key) => key !== one.name).map((key) => key.replace(one.name, "")).join(" ")}</small>
              </td>
              <td>
                {one.help}
                {one.unit ? ` (${one.unit})` : ""}
                {one.variants.length ? <small> only {one.variants.join(", ")}</small> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Puts an entry at the end of a test of the workspace, and opens that. */
function Insert({operation}: {operation: Operation}): JSX.Element | null {
  const {mayWrite} = usePage();
  const files = useLoaded(mayWrite ? "files" : null, entries);
  const tests = (files.value ?? []).filter((one) => one.kind === "definition" && one.path.endsWith(".json"));
  if (!mayWrite || !tests.length) return null;
  const last = localStorage.getItem("test") ?? "";
  const insert = async (): Promise<void> => {
    const select = document.querySelector<HTMLSelectElement>("#insert-into");
    const file = await read(select?.value ?? "");
    const count = listAt(parse(file.text), "operations").length;
    await save({...file, text: insertAt(file.text, ["operations"], count, newEntry(operation))});
    go("tests", {file: file.path});
  };
  return (
    <p>
      <label>
        Insert into{" "}
        <select id="insert-into" defaultValue={tests.some((one) => one.path === last) ? last : textAt(tests[0], "path")}>
          {tests.map((one) => <option key={one.path}>{one.path}</option>)}
        </select>
      </label>{" "}
      <Button onClick={insert}>Insert</Button>
    </p>
  );
}

/** A field of a form for one member, by what the catalogue says of it. */

import type {ComponentChildren, JSX} from "preact";
import {useId, useState} from "preact/hooks";
import {type Member, memberFor, memberOf, spellings} from "../core/catalogue";
import {Exact, isObject, type Json, parse, type Step, valueAt, write} from "../core/json";
import {Verdict} from "../ui/parts";
import {keyOf, type Wrong} from "./wrong";

/** How a form changes the document: a value at a path, undefined to take it out; another name. */
export interface Edits {
  document: Json;
  isReadOnly: boolean;
  wrong?: Wrong;
  set: (path: readonly Step[], value: Json | undefined) => void;
  rename: (path: readonly Step[], name: string) => void;
}

interface MembersProps {
  members: readonly Member[];
  path: readonly Step[];
  edits: Edits;
  hidden?: readonly string[];
  isFree?: boolean; // names are the user's: none of them is unknown
}

/** The members that an object has, those that it may have as a list to add from. */
export function Members({members, path, edits, hidden = [], isFree = false}: MembersProps): JSX.Element {
  const here = valueAt(edits.document, path);
  const present = isObject(here) ? Object.keys(here).filter((key) => !hidden.includes(key)) : [];
  const absent = members.filter(
    (one) => !hidden.includes(one.name) && !present.some((key) => spellings(one).includes(key)),
  );
  return (
    <div class="members">
      {present.map((key) => (
        <MemberField
          key={key}
          name={key}
          member={memberFor(members, key) ?? (isFree ? ANY : null)}
          path={[...path, key]}
          edits={edits}
        />
      ))}
      {absent.length && !edits.isReadOnly ? <Add members={absent} path={path} edits={edits} /> : null}
    </div>
  );
}

const ANY = memberOf("", {});

function Add({members, path, edits}: {members: readonly Member[]; path: readonly Step[]; edits: Edits}): JSX.Element {
  const add = (event: Event): void => {
    const select = event.currentTarget as HTMLSelectElement;
    const member = members.find((one) => spellings(one).includes(select.value));
    if (member) edits.set([...path, select.value], firstValue(member, select.value));
    select.value = "";
  };
  const sorted = [...members].sort((one, other) => Number(other.required) - Number(one.required));
  return (
    <select class="add" aria-label="Add a member" onChange={add} value="">
      <option value="">+ member …</option>
      {sorted.map((one) => {
        const key = preferred(one);
        return (
          <option key={key} value={key} title={one.help}>
            {key}
            {one.required ? " (required)" : ""}
          </option>
        );
      })}
    </select>
  );
}

/** Numbers are mostly given as digits, enumerations by their number. */
function preferred(member: Member): string {
  return spellings(member).find((key) => key.endsWith("_digits")) ?? member.name;
}

export function firstValue(member: Member, key: string): Json {
  if (/_(digits|hex)$/.test(key)) return "";
  if (member.names[0]) return key.endsWith("_name") ? member.names[0][1] : Number(member.names[0][0]);
  if (member.default !== undefined && member.default !== null) return member.default as Json;
  if (member.choices[0] !== undefined) return member.choices[0];
  switch (member.type) {
    case "integer":
    case "number":
      return member.minimum !== null && member.minimum > 0 ? member.minimum : 0;
    case "boolean":
      return true;
    case "array":
      return [];
    case "sequence":
    case "object":
    case "choice":
      return {};
    case "null":
      return 1;
    default:
      return "";
  }
}

interface FieldProps {
  name: string;
  member: Member | null; // null: nobody knows it; it is shown, and kept
  path: readonly Step[];
  edits: Edits;
}

export function MemberField({name, member, path, edits}: FieldProps): JSX.Element {
  const id = useId();
  const value = valueAt(edits.document, path);
  const remove = (): void => edits.set(path, undefined);
  const wrong = edits.wrong?.get(keyOf(path)) ?? [];
  const others = member ? spellings(member).filter((key) => key !== name) : [];
  const label: ComponentChildren = (
    <>
      {others.length && !edits.isReadOnly ? (
        <select
          class="spelling"
          aria-label={`Form of ${name}`}
          value={name}
          onChange={(event) => edits.rename(path, event.currentTarget.value)}
        >
          {[name, ...others].map((key) => <option key={key}>{key}</option>)}
        </select>
      ) : (
        <label for={id}>{name}</label>
      )}
      {member?.required ? <em title="required">*</em> : null}
      {member ? null : <em class="unknown">not known</em>}
    </>
  );
  return (
    <div class={`member${wrong.length ? " invalid" : ""}`}>
      <div class="member-name">
        {label}
        {edits.isReadOnly ? null : (
          <button type="button" class="button b-small" aria-label={`Remove ${name}`} onClick={remove}>
            −
          </button>
        )}
      </div>
      <div class="member-value">
        <Value id={id} name={name} member={member} value={value} path={path} edits={edits} />
        {wrong.map((one, index) => (
          <p key={index} class="problem">
            <Verdict of={one.severity === "warning" ? "warning" : "error"} text={one.text} />
          </p>
        ))}
        {member?.help ? <small>{member.help}{member.unit ? `, in ${member.unit}` : ""}</small> : null}
      </div>
    </div>
  );
}

interface ValueProps extends FieldProps {
  id: string;
  value: Json | undefined;
}

function Value({id, name, member, value, path, edits}: ValueProps): JSX.Element {
  if (isObject(value)) {
    return (
      <fieldset aria-label={name}>
        <Members members={member?.members ?? []} path={path} edits={edits} isFree={member !== null && !member.members.length} />
        {member?.members.length || edits.isReadOnly ? null : <AddFree path={path} edits={edits} />}
      </fieldset>
    );
  }
  if (Array.isArray(value)) return <List name={name} member={member} value={value} path={path} edits={edits} />;
  if (member && typeof value !== "string" && member.names.length && typeof value === "number") {
    return <Enumeration id={id} name={name} member={member} value={value} path={path} edits={edits} />;
  }
  if (member?.names.length && typeof value === "string" && member.names.some(([, one]) => one === value)) {
    return <Enumeration id={id} name={name} member={member} value={value} path={path} edits={edits} />;
  }
  if (member?.choices.length && typeof value === "string" && member.choices.includes(value)) {
    return (
      <select
        id={id}
        aria-label={name}
        value={value}
        disabled={edits.isReadOnly}
        onChange={(event) => edits.set(path, event.currentTarget.value)}
      >
        {member.choices.map((one) => <option key={one}>{one}</option>)}
      </select>
    );
  }
  if (typeof value === "boolean") {
    return (
      <input
        id={id}
        aria-label={name}
        type="checkbox"
        checked={value}
        disabled={edits.isReadOnly}
        onChange={(event) => edits.set(path, event.currentTarget.checked)}
      />
    );
  }
  return <Scalar id={id} name={name} value={value} path={path} edits={edits} />;
}

function Enumeration({id, name, member, value, path, edits}: ValueProps): JSX.Element {
  const isName = typeof value === "string";
  const names = member?.names ?? [];
  const isKnown = names.some(([number, one]) => (isName ? one === value : Number(number) === value));
  return (
    <select
      id={id}
      aria-label={name}
      value={String(value)}
      disabled={edits.isReadOnly}
      onChange={(event) => edits.set(path, isName ? event.currentTarget.value : Number(event.currentTarget.value))}
    >
      {isKnown ? null : <option value={String(value)}>{String(value)}</option>}
      {names.map(([number, one]) => (
        <option key={number} value={isName ? one : number}>
          {number} {one}
        </option>
      ))}
    </select>
  );
}

/** Returns what was typed: JSON where the value was no text, else the text itself. */
export function typed(text: string, was: Json | undefined): Json {
  if (typeof was === "string") return text;
  try {
    const found = parse(text);
    return found === null || typeof found !== "object" || found instanceof Exact ? found : text;
  } catch {
    return text;
  }
}

/** A field keeps what is being typed until it is left: the page may be drawn again meanwhile. */
function Scalar({id, name, value, path, edits}: Omit<ValueProps, "member">): JSX.Element {
  const [draft, setDraft] = useState<string | null>(null);
  const shown = typeof value === "string" ? value : write(value ?? null);
  const text = draft ?? shown;
  // By the value, not by the draft: another element would lose the focus.
  const isLong = shown.length > 60 || shown.includes("\n");
  const input = (event: Event): void => setDraft((event.currentTarget as HTMLInputElement | HTMLTextAreaElement).value);
  const change = (event: Event): void => {
    const field = event.currentTarget as HTMLInputElement | HTMLTextAreaElement;
    if (field.value !== shown) edits.set(path, typed(field.value, value));
  };
  const leave = (): void => setDraft(null);
  const kind = typeof value === "string" ? "text" : value === null ? "null" : "number";
  const title = kind === "text" ? "a text" : "a number; what is no number becomes a text";
  if (isLong) {
    return (
      <textarea
        id={id}
        aria-label={name}
        rows={3}
        value={text}
        readOnly={edits.isReadOnly}
        title={title}
        onInput={input}
        onChange={change}
        onBlur={leave}
      />
    );
  }
  return (
    <input
      id={id}
      aria-label={name}
      class={kind}
      inputMode={kind === "number" ? "decimal" : "text"}
      value={text}
      readOnly={edits.isReadOnly}
      title={title}
      onInput={input}
      onChange={change}
      onBlur={leave}
    />
  );
}

interface ListProps extends FieldProps {
  value: Json[];
}

function List({name, member, value, path, edits}: ListProps): JSX.Element {
  const items = member?.items ?? null;
  const add = (): void => edits.set([...path, value.length], items ? firstValue(items, "") : nextLike(value));
  return (
    <fieldset class="list" aria-label={name}>
      {value.map((_, index) => (
        <MemberField key={index} name={`[${index}]`} member={items} path={[...path, index]} edits={edits} />
      ))}
      {edits.isReadOnly ? null : (
        <button type="button" class="button b-small" onClick={add}>
          + element
        </button>
      )}
    </fieldset>
  );
}

function nextLike(value: readonly Json[]): Json {
  const last = value.at(-1);
  return isObject(last) ? {} : Array.isArray(last) ? [] : "";
}

/** Members of an object whose names are the user's: variables, headers, AVPs. */
function AddFree({path, edits}: {path: readonly Step[]; edits: Edits}): JSX.Element {
  const [name, setName] = useState("");
  const add = (): void => {
    if (name) edits.set([...path, name], "");
    setName("");
  };
  return (
    <span class="add-free">
      <input
        aria-label="Name of a new member"
        placeholder="name"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") add();
        }}
      />
      <button type="button" class="button b-small" disabled={!name} onClick={add}>
        + member
      </button>
    </span>
  );
}

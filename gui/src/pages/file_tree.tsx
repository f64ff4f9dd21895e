/** The files of the workspace as a tree, with what can be done to them. */

import type {JSX} from "preact";
import {useState} from "preact/hooks";
import {post} from "../core/api";
import {go, href} from "../core/router";
import {Button, Dialog, Field, Problem} from "../ui/parts";
import {usePage} from "./context";
import {type Entry, isData, read, save} from "./files";
import {GitPanel} from "./git";

interface Props {
  entries: readonly Entry[];
  chosen: string;
  problem: string;
  onChanged: () => void;
}

const SIGNS: Record<string, string> = {folder: "▸", definition: "≡", flow: "⌥", environment: "⚙"};

export function FileTree({entries, chosen, problem, onChanged}: Props): JSX.Element {
  const {mayWrite} = usePage();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [wanted, setWanted] = useState("");
  const [dialog, setDialog] = useState<"" | "new" | "change">("");
  const toggle = (path: string): void => {
    const changed = new Set(closed);
    if (!changed.delete(path)) changed.add(path);
    setClosed(changed);
  };
  const seen = entries.filter((one) => {
    if (wanted) return one.kind !== "folder" && one.path.toLowerCase().includes(wanted.toLowerCase());
    const parts = one.path.split("/");
    return !parts.slice(0, -1).some((_, index) => closed.has(parts.slice(0, index + 1).join("/")));
  });
  return (
    <nav class="files" aria-label="Files">
      <div class="file-tools">
        <input
          type="search"
          placeholder="find a file"
          aria-label="Find a file"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        {mayWrite ? (
          <>
            <Button kind="small" onClick={() => setDialog("new")}>
              New…
            </Button>
            <Button kind="small" onClick={() => setDialog("change")} disabled={!chosen}>
              File…
            </Button>
          </>
        ) : null}
      </div>
      <Problem text={problem} />
      <ul>
        {seen.map((one) => {
          const depth = wanted ? 0 : one.path.split("/").length - 1;
          const name = wanted ? one.path : (one.path.split("/").at(-1) ?? one.path);
          const sign = one.kind === "folder" && !closed.has(one.path) ? "▾" : (SIGNS[one.kind] ?? "·");
          return (
            <li key={one.path} style={{paddingLeft: `${depth * 0.9}em`}}>
              {one.kind === "folder" ? (
                <button type="button" class="link" aria-expanded={!closed.has(one.path)} onClick={() => toggle(one.path)}>
                  <i aria-hidden="true">{sign}</i> {name}
                </button>
              ) : (
                <a
                  href={one.kind === "flow" ? href("flows", {file: one.path}) : href("tests", {file: one.path})}
                  aria-current={one.path === chosen ? "page" : undefined}
                  title={`${one.path}: ${one.kind}`}
                >
                  <i aria-hidden="true">{sign}</i> {name.replace(/\.json$/, "")}
                </a>
              )}
            </li>
          );
        })}
      </ul>
      <GitPanel chosen={chosen} round={entries} />
      {dialog === "new" ? <NewFile near={chosen} onClose={() => setDialog("")} onChanged={onChanged} /> : null}
      {dialog === "change" ? <ChangeFile path={chosen} onClose={() => setDialog("")} onChanged={onChanged} /> : null}
    </nav>
  );
}

const EMPTY_TEST = '{\n  "name": NAME,\n  "operations": []\n}\n';
const EMPTY_FLOW =
  '{\n  "name": NAME,\n  "triggers": [{"service_key": 1}],\n  "operations": {\n' +
  '    "1": {"id": 1, "type": "Start", "base_node": 1, "exits": [2]},\n' +
  '    "2": {"id": 2, "type": "ReleaseCall", "base_node": 2, "config": {"cause": 31}, "exits": []}\n  }\n}\n';
const EMPTY_ENVIRONMENT = '{\n  "vars": {},\n  "gateways": {}\n}\n';

interface DialogProps {
  onClose: () => void;
  onChanged: () => void;
}

function NewFile({near, onClose, onChanged}: DialogProps & {near: string}): JSX.Element {
  const folder = near.includes("/") ? near.slice(0, near.lastIndexOf("/") + 1) : "";
  const [kind, setKind] = useState("test");
  const [name, setName] = useState("");
  const path = folder + (name.includes(".") || kind === "folder" ? name : `${name}${kind === "environment" ? ".env" : ""}.json`);
  const make = async (): Promise<void> => {
    if (kind === "folder") {
      await post("/api/file/folder", {path});
    } else {
      const text = {test: EMPTY_TEST, flow: EMPTY_FLOW}[kind] ?? EMPTY_ENVIRONMENT;
      await save({path, text: text.replace("NAME", () => JSON.stringify(name.replace(/\..*$/, ""))), etag: null});
      go(kind === "flow" ? "flows" : "tests", {file: path});
    }
    onChanged();
    onClose();
  };
  return (
    <Dialog title="New" onClose={onClose}>
      <Field label="What">
        {(id) => (
          <select id={id} value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            <option value="test">a test</option>
            <option value="flow">a flow</option>
            <option value="environment">an environment: variables and gateways</option>
            <option value="folder">a folder</option>
          </select>
        )}
      </Field>
      <Field label="Name" help={name ? path : "such as busy_caller; .json is put behind it"}>
        {(id) => <input id={id} value={name} onInput={(event) => setName(event.currentTarget.value)} />}
      </Field>
      <footer>
        <Button kind="main" onClick={make} disabled={!name.trim()}>
          Make it
        </Button>
      </footer>
    </Dialog>
  );
}

function ChangeFile({path, onClose, onChanged}: DialogProps & {path: string}): JSX.Element {
  const [to, setTo] = useState(path);
  const done = (): void => {
    onChanged();
    onClose();
  };
  const move = async (): Promise<void> => {
    await post("/api/file/move", {from: path, to});
    go("tests", {file: to});
    done();
  };
  const copy = async (): Promise<void> => {
    const file = await read(path);
    await save({path: to, text: file.text, etag: null});
    go("tests", {file: to});
    done();
  };
  const remove = async (): Promise<void> => {
    const file = await read(path);
    await post("/api/file/delete", {path, etag: file.etag});
    go("tests");
    done();
  };
  return (
    <Dialog title={path} onClose={onClose}>
      <Field label="Path" help={isData(to) ? "" : "a test ends in .json, .yaml or .toml"}>
        {(id) => <input id={id} value={to} onInput={(event) => setTo(event.currentTarget.value)} />}
      </Field>
      <footer>
        <Button kind="main" onClick={move} disabled={!to || to === path}>
          Move
        </Button>
        <Button onClick={copy} disabled={!to || to === path}>
          Copy
        </Button>
        <Button kind="danger" onClick={remove}>
          Delete
        </Button>
      </footer>
    </Dialog>
  );
}

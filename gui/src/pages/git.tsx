/** What git says of the workspace: status, differences, a commit. Pushing is somebody else's work. */

import type {JSX} from "preact";
import {useState} from "preact/hooks";
import {get, post, query} from "../core/api";
import {textAt} from "../core/json";
import {Button, Dialog, Field, Problem, useLoaded} from "../ui/parts";
import {usePage} from "./context";
import {git} from "./files";

export function GitPanel({chosen, round}: {chosen: string; round: unknown}): JSX.Element | null {
  const {mayWrite} = usePage();
  const [isOpen, setOpen] = useState(false);
  const [message, setMessage] = useState("");
  const [looked, setLooked] = useState("");
  const state = useLoaded(`git ${String(Array.isArray(round) ? round.length : 0)}`, git);
  const path = looked || chosen;
  const diff = useLoaded(isOpen && path ? `diff ${path}` : null, async () =>
    textAt(await get(`/api/git/diff?${query({path})}`), "diff"),
  );
  const found = state.value;
  if (!found?.isRepository) return null;
  const commit = async (): Promise<void> => {
    await post("/api/git/commit", {message, paths: found.files.map((one) => one.path)});
    setMessage("");
    setOpen(false);
    state.reload();
  };
  return (
    <div class="git">
      <button
        type="button"
        class="link"
        onClick={() => {
          state.reload();
          setOpen(true);
        }}
      >
        git: {found.branch}, {found.files.length} changed
      </button>
      {isOpen ? (
        <Dialog title={`Changes on ${found.branch}`} onClose={() => setOpen(false)}>
          <ul class="changes">
            {found.files.map((one) => (
              <li key={one.path}>
                <button type="button" class="link" onClick={() => setLooked(one.path)}>
                  <code>{one.status}</code> {one.path}
                </button>
              </li>
            ))}
          </ul>
          <Problem text={state.problem || diff.problem} />
          {path ? (
            <pre class="diff" tabIndex={0}>
              {(diff.value ?? "").split("\n").map((line, index) => (
                <span key={index} class={line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : ""}>
                  {line}
                  {"\n"}
                </span>
              ))}
            </pre>
          ) : null}
          {mayWrite && found.files.length ? (
            <>
              <Field label="Message">
                {(id) => <input id={id} value={message} onInput={(event) => setMessage(event.currentTarget.value)} />}
              </Field>
              <footer>
                <Button kind="main" onClick={commit} disabled={!message.trim()}>
                  Commit all
                </Button>
              </footer>
            </>
          ) : null}
        </Dialog>
      ) : null}
    </div>
  );
}

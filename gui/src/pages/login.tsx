/** The way in where there are users; without users the address that was printed is the way. */

import type {JSX} from "preact";
import {useState} from "preact/hooks";
import {post} from "../core/api";
import {Button, Field} from "../ui/parts";

export function LoginPage({hasUsers, problem, onIn}: {hasUsers: boolean; problem: string; onIn: () => void}): JSX.Element {
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  const enter = async (): Promise<void> => {
    await post("/api/enter", {user, password});
    onIn();
  };
  if (!hasUsers) {
    return (
      <main class="login">
        <h1>tsvc</h1>
        <p>This browser has no session: open the address that <code>tsvc gui</code> printed when it was started. It works once.</p>
        <p class="empty">{problem}</p>
      </main>
    );
  }
  return (
    <main class="login">
      <h1>tsvc</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          document.querySelector<HTMLButtonElement>("#enter")?.click();
        }}
      >
        <Field label="User">
          {(id) => <input id={id} autoComplete="username" value={user} onInput={(event) => setUser(event.currentTarget.value)} />}
        </Field>
        <Field label="Password">
          {(id) => (
            <input
              id={id}
              type="password"
              autoComplete="current-password"
              value={password}
              onInput={(event) => setPassword(event.currentTarget.value)}
            />
          )}
        </Field>
        <Button kind="main" id="enter" onClick={enter}>
          Enter
        </Button>
        <button type="submit" class="unseen" tabIndex={-1}>
          Enter
        </button>
      </form>
    </main>
  );
}

/** Small parts that all pages are made of. Colour never stands alone: a sign or a word is with it. */

import type {ComponentChildren, JSX} from "preact";
import {useEffect, useId, useRef, useState} from "preact/hooks";
import {words} from "../core/api";

const SIGNS: Record<string, string> = {
  pass: "✓",
  passed: "✓",
  fail: "✗",
  failed: "✗",
  abort: "⊘",
  aborted: "⊘",
  cancelled: "◼",
  running: "▶",
  halted: "‖",
  lost: "?",
  error: "✗",
  warning: "!",
};

/** A verdict or state, as a word with a sign and a colour. */
export function Verdict({of, text}: {of: string; text?: string}): JSX.Element {
  return (
    <span class={`verdict v-${of}`}>
      <span aria-hidden="true">{SIGNS[of] ?? "·"}</span> {text ?? of}
    </span>
  );
}

export function Light({state}: {state: string}): JSX.Element {
  const sign = state === "up" ? "●" : state === "down" ? "○" : "◐";
  return (
    <span class={`light l-${state}`} title={state}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{state}</span>
    </span>
  );
}

/** What went wrong, said to those who don't look at the place too. */
export function Problem({text}: {text: string}): JSX.Element | null {
  return text ? (
    <p class="problem" role="alert">
      {text}
    </p>
  ) : null;
}

export function Bar({share, label}: {share: number; label: string}): JSX.Element {
  const percent = Math.max(0, Math.min(100, share * 100));
  return <progress class="bar" max={100} value={percent} aria-label={label} />;
}

interface ButtonProps {
  children: ComponentChildren;
  onClick: () => unknown;
  kind?: "main" | "danger" | "plain" | "small";
  disabled?: boolean;
  title?: string;
  pressed?: boolean;
  id?: string;
}

/** A button that shows what its work failed with, and takes no second click meanwhile. */
export function Button({children, onClick, kind = "plain", disabled, title, pressed, id}: ButtonProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const click = (): void => {
    setProblem("");
    let made: unknown;
    try {
      made = onClick();
    } catch (error) {
      setProblem(words(error));
      return;
    }
    if (!(made instanceof Promise)) return;
    setBusy(true);
    made.then(
      () => setBusy(false),
      (error: unknown) => {
        setBusy(false);
        setProblem(words(error));
      },
    );
  };
  return (
    <>
      <button
        type="button"
        id={id}
        class={`button b-${kind}`}
        disabled={disabled === true || isBusy}
        title={title}
        aria-pressed={pressed}
        onClick={click}
      >
        {children}
      </button>
      <Problem text={problem} />
    </>
  );
}

interface TabsProps {
  names: readonly string[];
  chosen: string;
  onChoose: (name: string) => void;
  label: string;
  notes?: Record<string, string | number>;
}

/** Tabs as the ARIA practices have them: arrows move, one of them is in the order of Tab. */
export function Tabs({names, chosen, onChoose, label, notes = {}}: TabsProps): JSX.Element {
  const key = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const next = names[(names.indexOf(chosen) + step + names.length) % names.length];
    if (next === undefined) return;
    onChoose(next);
    const list = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]");
    list[names.indexOf(next)]?.focus();
    event.preventDefault();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={key}>
      {names.map((name) => (
        <button
          type="button"
          key={name}
          role="tab"
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {name}
          {notes[name] ? <span class="badge">{notes[name]}</span> : null}
        </button>
      ))}
    </div>
  );
}

interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
}

/** A modal dialogue; Escape closes it, and the focus goes back to where it was. */
export function Dialog({title, children, onClose}: DialogProps): JSX.Element {
  const made = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    made.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={made} aria-labelledby={id} onCancel={cancel}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="button b-small" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface FieldProps {
  label: string;
  help?: string;
  children: (id: string) => ComponentChildren;
}

/** A labelled field; the help is read with it. */
export function Field({label, help, children}: FieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {help ? <small id={`${id}-help`}>{help}</small> : null}
    </div>
  );
}

export function Facts({of}: {of: readonly (readonly [string, ComponentChildren])[]}): JSX.Element {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The heads of a table's columns; `numbers`: those that stand over numbers. */
export function Columns({
  names,
  numbers = [],
}: {
  names: readonly ComponentChildren[];
  numbers?: readonly string[];
}): JSX.Element {
  return (
    <thead>
      <tr>
        {names.map((name, index) => (
          <th scope="col" key={index} class={numbers.some((one) => one === name) ? "number" : undefined}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export function Empty({children}: {children: ComponentChildren}): JSX.Element {
  return <p class="empty">{children}</p>;
}

export interface Loaded<T> {
  value: T | null;
  problem: string;
  reload: () => void;
}

/** Loads something whenever its key changes; an answer that was overtaken is not shown. */
export function useLoaded<T>(key: string | null, load: () => Promise<T>): Loaded<T> {
  const [state, set] = useState<{key: string | null; value: T | null; problem: string}>({
    key: null,
    value: null,
    problem: "",
  });
  const [round, again] = useState(0);
  const loader = useRef(load);
  loader.current = load;
  useEffect(() => {
    if (key === null) return;
    let isWanted = true;
    loader.current().then(
      (value) => isWanted && set({key, value, problem: ""}),
      (error: unknown) => isWanted && set({key, value: null, problem: words(error)}),
    );
    return () => {
      isWanted = false;
    };
  }, [key, round]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : null,
    problem: isCurrent ? state.problem : "",
    reload: () => again((before) => before + 1),
  };
}

/** CodeMirror: a chunk of its own, loaded when the first text is edited. */

import {autocompletion, type CompletionContext, type CompletionResult, startCompletion} from "@codemirror/autocomplete";
import {json} from "@codemirror/lang-json";
import {HighlightStyle, syntaxHighlighting} from "@codemirror/language";
import {type Diagnostic, lintGutter, setDiagnostics} from "@codemirror/lint";
import {Compartment, EditorState} from "@codemirror/state";
import {EditorView, keymap} from "@codemirror/view";
import {tags} from "@lezer/highlight";
import {basicSetup} from "codemirror";
import {type Known, offersAt} from "./complete";

export interface Mark {
  from: number;
  to: number;
  severity: "error" | "warning";
  text: string;
}

export interface Editor {
  text: () => string;
  setText: (text: string) => void;
  setMarks: (marks: readonly Mark[]) => void;
  /** Offers what could not be offered when it was asked for, as nothing was known. */
  complete: () => void;
  show: (from: number, to: number) => void;
  focus: () => void;
  destroy: () => void;
}

interface Options {
  parent: HTMLElement;
  text: string;
  isJson: boolean;
  isReadOnly: boolean;
  label: string;
  known: () => Known | null;
  onChange: (text: string) => void;
  onSave: () => void;
}

const COLORS = HighlightStyle.define([
  {tag: tags.propertyName, color: "var(--code-name)"},
  {tag: tags.string, color: "var(--code-text)"},
  {tag: tags.number, color: "var(--code-number)"},
  {tag: [tags.bool, tags.null], color: "var(--code-word)"},
  {tag: tags.comment, color: "var(--faint)"},
]);

export function makeEditor(options: Options): Editor {
  const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";
  const language = new Compartment();
  let missed: EditorState | null = null;
  const complete = (context: CompletionContext): CompletionResult | null => {
    const known = options.known();
    missed = known ? null : context.state;
    if (!known || !options.isJson) return null;
    const before = context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos);
    if (!context.explicit && !/[\w."_]/.test(before)) return null;
    const found = offersAt(context.state.doc.toString(), context.pos, known);
    if (!found) return null;
    return {
      from: found.from,
      to: found.to,
      filter: true,
      options: found.options.map((one) => ({
        label: JSON.stringify(one.label),
        displayLabel: one.label,
        detail: one.detail,
        ...(one.info ? {info: one.info} : {}),
        apply: one.apply,
      })),
    };
  };
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        keymap.of([
          {key: "Mod-s", run: () => (options.onSave(), true), preventDefault: true},
          {key: "Mod-Space", run: startCompletion},
        ]),
        basicSetup,
        lintGutter(),
        language.of(options.isJson ? json() : []),
        autocompletion({override: [complete], activateOnTyping: true, activateOnTypingDelay: 40, interactionDelay: 0}),
        syntaxHighlighting(COLORS),
        EditorState.readOnly.of(options.isReadOnly),
        EditorView.contentAttributes.of({"aria-label": options.label, tabindex: "0"}),
        EditorView.lineWrapping,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    setText: (text) => {
      if (text !== view.state.doc.toString()) {
        view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}});
      }
    },
    setMarks: (marks) => {
      const size = view.state.doc.length;
      const found: Diagnostic[] = marks.map((mark) => ({
        from: Math.min(mark.from, size),
        to: Math.min(mark.to, size),
        severity: mark.severity,
        message: mark.text,
      }));
      view.dispatch(setDiagnostics(view.state, found));
    },
    complete: () => {
      const isThere = missed && view.hasFocus && missed.doc.eq(view.state.doc) && missed.selection.eq(view.state.selection);
      missed = null;
      if (isThere) startCompletion(view);
    },
    show: (from, to) => {
      view.dispatch({selection: {anchor: from, head: to}, effects: EditorView.scrollIntoView(from, {y: "center"})});
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

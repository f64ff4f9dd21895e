/** A text that is edited: CodeMirror when it is there, and until then what it will show. */

import type {JSX} from "preact";
import {useEffect, useLayoutEffect, useRef, useState} from "preact/hooks";
import type {Known} from "./complete";
import type {Editor, Mark} from "./editor";

interface Props {
  text: string;
  isJson: boolean;
  isReadOnly?: boolean;
  label: string;
  marks?: readonly Mark[];
  known?: Known | null;
  shown?: {from: number; to: number; round: number} | null;
  onChange: (text: string) => void;
  onSave?: () => void;
}

export function EditorPane(props: Props): JSX.Element {
  const {text, isJson, isReadOnly = false, label, marks = [], known = null, shown = null} = props;
  const box = useRef<HTMLDivElement>(null);
  const made = useRef<Editor | null>(null);
  const newest = useRef(props);
  const [isLoaded, setLoaded] = useState(false);
  newest.current = props;

  useEffect(() => {
    let isWanted = true;
    void import("./editor").then(({makeEditor}) => {
      const parent = box.current;
      if (!isWanted || !parent) return;
      made.current = makeEditor({
        parent,
        text: newest.current.text,
        isJson,
        isReadOnly,
        label,
        known: () => newest.current.known ?? null,
        onChange: (changed) => newest.current.onChange(changed),
        onSave: () => newest.current.onSave?.(),
      });
      setLoaded(true);
    });
    return () => {
      isWanted = false;
      made.current?.destroy();
      made.current = null;
      setLoaded(false);
    };
  }, [isJson, isReadOnly, label]);

  // Before the next key, not after the next frame: a text of one key ago would take back what has
  // been typed since, be told as a change, and so go on for ever.
  useLayoutEffect(() => made.current?.setText(text), [text, isLoaded]);
  useLayoutEffect(() => made.current?.setMarks(marks), [marks, isLoaded]);
  useEffect(() => {
    if (known && isLoaded) made.current?.complete();
  }, [known, isLoaded]);
  useEffect(() => {
    if (shown && isLoaded) made.current?.show(shown.from, shown.to);
  }, [shown, isLoaded]);

  return (
    <div class="editor" ref={box}>
      {isLoaded ? null : <pre class="document">{text}</pre>}
    </div>
  );
}

/** One message: its decoded tree and its octets, each showing where it is in the other. */

import type {JSX} from "preact";
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import {shown} from "../core/format";
import {type Message, type Node, spanOf, treeOf, valueOf, ways} from "./model";

interface Props {
  message: Message;
  path: string; // of the value that is looked at
  wanted?: {path: string; expected: string} | null; // what a failed check wanted there
  onPath: (path: string) => void;
}

const MOST_OCTETS = 4096; // shown at once
const WIDTH = 16;

export function MessageView({message, path, wanted = null, onPath}: Props): JSX.Element {
  const span = path ? spanOf(message, path) : null;
  return (
    <div class="message-view">
      <Tree message={message} path={path} wanted={wanted} onPath={onPath} />
      <Octets message={message} span={span} path={path} onPath={onPath} />
    </div>
  );
}

function Tree({message, path, wanted, onPath}: Required<Props>): JSX.Element {
  const nodes = useMemo(() => treeOf(message), [message]);
  const open = useMemo(() => new Set(ways(path)), [path]);
  const box = useRef<HTMLUListElement>(null);
  useEffect(() => {
    box.current?.querySelector("[aria-selected=true]")?.scrollIntoView({block: "nearest"});
  }, [path, message]);
  return (
    <ul class="tree" role="tree" aria-label="Decoded message" ref={box} onKeyDown={treeKeys}>
      {nodes.map((node, index) => (
        <Branch
          key={node.path}
          node={node}
          depth={1}
          chosen={path}
          open={open}
          wanted={wanted}
          isFirst={index === 0}
          onPath={onPath}
        />
      ))}
    </ul>
  );
}

/** Arrows go from one item to the next that is seen; right opens, left closes. */
function treeKeys(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement;
  const items = [...list.querySelectorAll<HTMLElement>("[role=treeitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const item = items[at];
  if (!item) return;
  const isOpen = item.getAttribute("aria-expanded");
  if (event.key === "ArrowDown") items[at + 1]?.focus();
  else if (event.key === "ArrowUp") items[at - 1]?.focus();
  else if (event.key === "ArrowRight" && isOpen === "false") toggle(item);
  else if (event.key === "ArrowLeft" && isOpen === "true") toggle(item);
  else if (event.key === "Enter" || event.key === " ") item.querySelector<HTMLElement>(".item")?.click();
  else return;
  event.preventDefault();
}

function toggle(item: HTMLElement): void {
  item.querySelector<HTMLElement>(".twist")?.click();
}

interface BranchProps {
  node: Node;
  depth: number;
  chosen: string;
  open: ReadonlySet<string>;
  wanted: {path: string; expected: string} | null;
  isFirst: boolean;
  onPath: (path: string) => void;
}

function Branch(props: BranchProps): JSX.Element {
  const {node, depth, chosen, open, wanted, isFirst, onPath} = props;
  const [choice, setChoice] = useState<boolean | null>(null);
  const isLeaf = !node.children.length;
  const isOpen = choice ?? (depth < 4 || open.has(node.path));
  const isWrong = wanted?.path === node.path;
  useEffect(() => {
    if (open.has(node.path)) setChoice(null);
  }, [open, node.path]);
  return (
    <li
      role="treeitem"
      aria-level={depth}
      aria-selected={chosen === node.path}
      aria-expanded={isLeaf ? undefined : isOpen}
      tabIndex={chosen ? (chosen === node.path ? 0 : -1) : isFirst && depth === 1 ? 0 : -1}
    >
      <span class={`item${isWrong ? " wrong" : ""}`} onClick={() => onPath(node.path)}>
        {isLeaf ? (
          <span class="twist" />
        ) : (
          <span
            class="twist"
            aria-hidden="true"
            onClick={(event) => {
              event.stopPropagation();
              setChoice(!isOpen);
            }}
          >
            {isOpen ? "▾" : "▸"}
          </span>
        )}
        <b>{node.name}</b>
        {isLeaf ? <code>{shown(node.value)}</code> : null}
        {isWrong ? <em>expected {wanted.expected}</em> : null}
      </span>
      {!isLeaf && isOpen ? (
        <ul role="group">
          {node.children.map((child) => (
            <Branch {...props} key={child.path} node={child} depth={depth + 1} isFirst={false} />
          ))}
        </ul>
      ) : null}
    </li>
  );
}

interface OctetsProps {
  message: Message;
  span: {path: string; start: number; length: number} | null;
  path: string;
  onPath: (path: string) => void;
}

function Octets({message, span, path, onPath}: OctetsProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const size = message.hex.length / 2;
  const from = span && span.start >= MOST_OCTETS ? Math.max(0, span.start - WIDTH * 8) & ~(WIDTH - 1) : 0;
  const to = Math.min(size, from + MOST_OCTETS);
  useEffect(() => {
    box.current?.querySelector("[data-lit]")?.scrollIntoView({block: "nearest"});
  }, [span?.path, message]);
  const rows: JSX.Element[] = [];
  for (let at = from; at < to; at += WIDTH) {
    rows.push(<OctetRow key={at} message={message} at={at} to={Math.min(to, at + WIDTH)} span={span} onPath={onPath} />);
  }
  const where = span ? `octets ${span.start} to ${span.start + Math.max(span.length, 1) - 1} of ${size}` : `${size} octets`;
  return (
    <div class="octets">
      <p class="where" aria-live="polite">
        {span ? (
          <>
            <code>{path}</code> {span.length ? where : `has no octets of its own, after octet ${span.start} of ${size}`}
            {span.path !== path ? <> (those of <code>{span.path}</code>)</> : null}
          </>
        ) : (
          where
        )}
      </p>
      <div class="hex" ref={box} tabIndex={0} role="region" aria-label="Octets of the message">
        {from > 0 ? <p>… {from} octets before</p> : null}
        {rows}
        {to < size ? <p>… {size - to} octets more</p> : null}
      </div>
    </div>
  );
}

interface OctetRowProps {
  message: Message;
  at: number;
  to: number;
  span: {start: number; length: number} | null;
  onPath: (path: string) => void;
}

function OctetRow({message, at, to, span, onPath}: OctetRowProps): JSX.Element {
  const octets: JSX.Element[] = [];
  let text = "";
  for (let index = at; index < to; index += 1) {
    const hex = message.hex.slice(index * 2, index * 2 + 2);
    const code = Number.parseInt(hex, 16);
    text += code > 32 && code < 127 ? String.fromCharCode(code) : "·";
    const isLit = span !== null && index >= span.start && index < span.start + span.length;
    octets.push(
      <span
        key={index}
        data-octet={index}
        {...(isLit ? {"data-lit": ""} : {})}
        onClick={() => {
          const found = valueOf(message, index);
          if (found) onPath(found.path);
        }}
      >
        {hex}
      </span>,
    );
  }
  return (
    <div class="octet-row">
      <i>{at.toString(16).padStart(4, "0")}</i>
      <code class="octet-columns">{octets}</code>
      <code class="ascii">{text}</code>
    </div>
  );
}

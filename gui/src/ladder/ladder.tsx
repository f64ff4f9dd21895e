/** The ladder: a lane per node, an arrow per message; only the rows that are seen are in the page. */

import type {JSX} from "preact";
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {below, type Message, ROW, tops, visible} from "./model";
import {depthOf, heightOfRow, type Range, recordAt, type Row} from "./portions";

interface Props {
  rows: readonly Row[];
  perRecord: number; // height of a record that is not there yet, pixels
  lifelines: readonly string[];
  chosen: number | null; // index of a message
  marked: ReadonlySet<number>; // messages that failed checks are about
  onChoose: (index: number) => void;
  onRange: (from: number, to: number) => void; // seconds
  onSee: (missing: Range | null) => void; // records that are seen and not there yet
}

const GUTTER = 84; // pixels for times

export function Ladder({rows, perRecord, lifelines, chosen, marked, onChoose, onRange, onSee}: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({top: 0, height: 600, width: 600});
  const places = useMemo(() => tops(rows.map((row) => heightOfRow(row, perRecord))), [rows, perRecord]);
  const total = places.at(-1) ?? 0;
  const now = useRef({rows, places, perRecord, anchor: {record: 0, depth: 0}});

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let frame = 0;
    const look = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const state = now.current;
        state.anchor = anchorAt(state.rows, state.places, state.perRecord, element.scrollTop);
        setView({top: element.scrollTop, height: element.clientHeight, width: element.clientWidth});
      });
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, {passive: true});
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
      cancelAnimationFrame(frame);
    };
  }, []);

  // Messages that come, and take another height than was thought, don't move what is looked at.
  useLayoutEffect(() => {
    const element = box.current;
    const {anchor} = now.current;
    Object.assign(now.current, {rows, places, perRecord});
    if (!element) return;
    const top = depthOf(rows, places, anchor.record, perRecord) + anchor.depth;
    if (Math.abs(top - element.scrollTop) <= 1) return;
    element.scrollTop = top;
    setView((before) => ({...before, top: element.scrollTop}));
  }, [rows, places, perRecord]);

  const at = useMemo(() => rows.findIndex((row) => isOf(row, chosen)), [rows, chosen]);
  const isThere = at >= 0 && !rows[at]?.gap;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || at < 0 || chosen === null) return;
    const top = depthOf(rows, places, chosen, perRecord);
    const bottom = top + (isThere ? (places[at + 1] ?? top) - top : perRecord);
    const before = element.scrollTop;
    if (top < before) element.scrollTop = top - ROW;
    else if (bottom > before + element.clientHeight) element.scrollTop = bottom - element.clientHeight + ROW;
    now.current.anchor = anchorAt(rows, places, perRecord, element.scrollTop);
    // The chosen row is brought into view, not followed while one scrolls.
  }, [chosen, isThere]);

  const lanes = lanesOf(lifelines, view.width);
  const [first, last] = visible(places, view.top, view.height);
  const seen = missingIn(rows, places, perRecord, view, [first, last]);
  useEffect(() => onSee(seen), [seen?.from, seen?.next]);

  // A range of time: from one time to another, by dragging.
  const begun = useRef<number | null>(null);
  const drag = (t: number, isEnd: boolean): void => {
    const from = begun.current;
    begun.current = isEnd ? null : t;
    if (isEnd && from !== null && from !== t) onRange(Math.min(from, t), Math.max(from, t));
  };

  const move = (event: KeyboardEvent): void => {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10}[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? rows.length - 1 : step ? at + step : null;
    if (next === null) return;
    event.preventDefault();
    const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
    if (!row) return;
    // Of records that are not there yet, the one that is nearest.
    const isUp = event.key === "End" || (step ?? 0) < 0;
    onChoose(row.gap ? (isUp ? row.gap.next - 1 : row.gap.from) : row.message.index);
  };

  const count = useMemo(() => rows.filter((row) => row.message).length, [rows]);
  return (
    <div class="ladder">
      <div class="lanes" aria-hidden="true">
        {lifelines.map((name) => (
          <span key={name} style={{left: `${lanes.get(name) ?? 0}px`}}>
            {name}
          </span>
        ))}
      </div>
      <div
        class="rows"
        ref={box}
        role="listbox"
        aria-label={`Messages, ${count}`}
        tabIndex={0}
        aria-activedescendant={isThere ? `message-${chosen}` : undefined}
        onKeyDown={move}
      >
        <div class="inside" style={{height: `${total}px`}}>
          {lifelines.map((name) => (
            <i key={name} class="line" style={{left: `${lanes.get(name) ?? 0}px`}} />
          ))}
          {rows.slice(first, last).map((row, index) =>
            row.gap ? null : (
              <Arrow
                key={row.message.index}
                message={row.message}
                top={places[first + index] ?? 0}
                lanes={lanes}
                isChosen={row.message.index === chosen}
                isMarked={marked.has(row.message.index)}
                onChoose={onChoose}
                onDrag={drag}
              />
            ),
          )}
        </div>
      </div>
      <p class="missing" role="status">
        {seen ? "reading …" : ""}
      </p>
    </div>
  );
}

/** Whether a row has a record. */
function isOf(row: Row, record: number | null): boolean {
  if (record === null) return false;
  return row.gap ? record >= row.gap.from && record < row.gap.next : row.message.index === record;
}

/** Returns what stands at the upper edge: a record, and how much of it is above. */
function anchorAt(rows: readonly Row[], places: readonly number[], perRecord: number, top: number): {record: number; depth: number} {
  const row = rows[below(places, top)];
  if (!row) return {record: 0, depth: 0};
  const record = recordAt(row, top - (places[below(places, top)] ?? 0), perRecord);
  return {record, depth: top - depthOf(rows, places, record, perRecord)};
}

/** Returns the records of the first gap among some rows that are in view, or next to it. */
function missingIn(
  rows: readonly Row[],
  places: readonly number[],
  perRecord: number,
  view: {top: number; height: number},
  [first, last]: [number, number],
): Range | null {
  for (let at = first; at < last; at += 1) {
    const row = rows[at];
    if (!row?.gap) continue;
    const depth = view.top - (places[at] ?? 0);
    return {from: recordAt(row, depth, perRecord), next: recordAt(row, depth + view.height, perRecord) + 1};
  }
  return null;
}

/** Returns where lifelines stand: those of the tester on the left, the peers on the right. */
function lanesOf(lifelines: readonly string[], width: number): Map<string, number> {
  const room = Math.max(160, width - GUTTER - 60);
  const step = lifelines.length > 1 ? room / (lifelines.length - 1) : 0;
  return new Map(lifelines.map((name, index) => [name, GUTTER + 10 + index * step]));
}

interface ArrowProps {
  message: Message;
  top: number;
  lanes: Map<string, number>;
  isChosen: boolean;
  isMarked: boolean;
  onChoose: (index: number) => void;
  onDrag: (t: number, isEnd: boolean) => void;
}

function Arrow({message, top, lanes, isChosen, isMarked, onChoose, onDrag}: ArrowProps): JSX.Element {
  const [from, to] = [lanes.get(message.from) ?? 0, lanes.get(message.to) ?? 0];
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  const names = ["message", message.isSent ? "sent" : "received"];
  if (message.isFailure || isMarked) names.push("bad");
  return (
    <div
      id={`message-${message.index}`}
      class={names.join(" ")}
      role="option"
      aria-selected={isChosen}
      style={{top: `${top}px`}}
      onClick={() => onChoose(message.index)}
    >
      <time
        title="drag to another time: only what is between them is shown"
        onPointerDown={() => onDrag(message.t, false)}
        onPointerUp={() => onDrag(message.t, true)}
      >
        {message.t.toFixed(4)}
      </time>
      <span class="unseen">
        {" "}
        s, {message.from} to {message.to}
        {isMarked ? ", a check failed" : ""}:{" "}
      </span>
      <span class={`arrow ${from <= to ? "to-right" : "to-left"}`} style={{left: `${left}px`, width: `${right - left}px`}}>
        <b>
          {isMarked ? "✗ " : ""}
          {message.label}
        </b>
      </span>
      {message.details.map((detail, index) => (
        <span
          key={index}
          class="detail"
          style={{left: `${left + 14}px`, top: `${ROW + index * 17}px`, maxWidth: `${Math.max(120, right - left - 24)}px`}}
        >
          <b>{detail.name}</b> {detail.facts.join(", ")}
        </span>
      ))}
    </div>
  );
}

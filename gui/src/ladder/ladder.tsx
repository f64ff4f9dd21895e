/** The ladder: a lane per node, an arrow per message; only the rows that are seen are in the page. */

import type {JSX} from "preact";
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {type Message, ROW, tops, visible} from "./model";

interface Props {
  messages: readonly Message[];
  lifelines: readonly string[];
  chosen: number | null; // index of a message
  marked: ReadonlySet<number>; // messages that failed checks are about
  onChoose: (index: number) => void;
}

const GUTTER = 84; // pixels for times

export function Ladder({messages, lifelines, chosen, marked, onChoose}: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({top: 0, height: 600, width: 600});
  const places = useMemo(() => tops(messages), [messages]);
  const total = places.at(-1) ?? 0;

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let frame = 0;
    const look = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
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

  useLayoutEffect(() => {
    const element = box.current;
    const at = messages.findIndex((one) => one.index === chosen);
    if (!element || at < 0) return;
    const [top, bottom] = [places[at] ?? 0, places[at + 1] ?? 0];
    if (top < element.scrollTop) element.scrollTop = top - ROW;
    else if (bottom > element.scrollTop + element.clientHeight) {
      element.scrollTop = bottom - element.clientHeight + ROW;
    }
    // The chosen row is brought into view, not followed while one scrolls.
  }, [chosen, messages]);

  const lanes = lanesOf(lifelines, view.width);
  const [first, last] = visible(places, view.top, view.height);
  const move = (event: KeyboardEvent): void => {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10}[event.key];
    const at = messages.findIndex((one) => one.index === chosen);
    const next =
      event.key === "Home" ? 0 : event.key === "End" ? messages.length - 1 : step ? at + step : null;
    if (next === null) return;
    event.preventDefault();
    const message = messages[Math.max(0, Math.min(messages.length - 1, next))];
    if (message) onChoose(message.index);
  };

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
        aria-label={`Messages, ${messages.length}`}
        tabIndex={0}
        aria-activedescendant={chosen === null ? undefined : `message-${chosen}`}
        onKeyDown={move}
      >
        <div class="inside" style={{height: `${total}px`}}>
          {lifelines.map((name) => (
            <i key={name} class="line" style={{left: `${lanes.get(name) ?? 0}px`}} />
          ))}
          {messages.slice(first, last).map((message, index) => (
            <Row
              key={message.index}
              message={message}
              top={places[first + index] ?? 0}
              lanes={lanes}
              isChosen={message.index === chosen}
              isMarked={marked.has(message.index)}
              onChoose={onChoose}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Returns where lifelines stand: those of the tester on the left, the peers on the right. */
function lanesOf(lifelines: readonly string[], width: number): Map<string, number> {
  const room = Math.max(160, width - GUTTER - 60);
  const step = lifelines.length > 1 ? room / (lifelines.length - 1) : 0;
  return new Map(lifelines.map((name, index) => [name, GUTTER + 10 + index * step]));
}

interface RowProps {
  message: Message;
  top: number;
  lanes: Map<string, number>;
  isChosen: boolean;
  isMarked: boolean;
  onChoose: (index: number) => void;
}

function Row({message, top, lanes, isChosen, isMarked, onChoose}: RowProps): JSX.Element {
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
      <time>{message.t.toFixed(4)}</time>
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

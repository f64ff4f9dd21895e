/** Reads a long trace: what is looked at first, then what is needed, one portion after the other. */

import {useEffect, useRef, useState} from "preact/hooks";
import {words} from "../core/api";
import {isObject, type JsonObject, listAt} from "../core/json";
import {type Message, messageOf} from "./model";
import {added, FIRST, type Need, NOTHING, type Portions, wanted} from "./portions";

/** Asks GetTrace for a part of this trace, in the form json. Errors: Refused. */
export type Ask = (part: JsonObject) => Promise<JsonObject>;

export const BEGINNING = {
  from: 0,
  count: FIRST,
  fields: ["instance_id", "state", "reason", "duration", "check_log", "messages", "lifelines", "portion"],
};
const MOST_WHOLE = 256; // messages in full that are kept beside the first ones
const FEW = 8; // records that are asked for in full at once: one goes on to the next

export interface Reading {
  portions: Portions;
  problem: string;
  /** Says what is to be there. */
  need: (need: Partial<Need>) => void;
  wholes: ReadonlyMap<number, Message>; // messages in full, by their index
  /** Has a message in full. */
  look: (message: Message) => void;
}

/** Reads on from the first portion, for as long as somebody looks. */
export function useReading(first: JsonObject, ask: Ask): Reading {
  const [portions, setPortions] = useState(() => added(NOTHING, first));
  const [wholes, setWholes] = useState<ReadonlyMap<number, Message>>(new Map());
  const [problem, setProblem] = useState("");
  const now = useRef({portions, need: {seen: null, until: -1} as Need, isBusy: false, isOver: false, asked: -1});
  useEffect(() => {
    const state = now.current;
    state.isOver = false;
    return () => {
      state.isOver = true;
    };
  }, []);

  const read = async (): Promise<void> => {
    const state = now.current;
    if (state.isBusy) return;
    state.isBusy = true;
    try {
      for (let next = wanted(state.portions, state.need); next; next = wanted(state.portions, state.need)) {
        const part = {from: next.from, count: next.next - next.from, summary: 1, fields: ["messages", "lifelines", "portion"]};
        const content = await ask(part);
        if (state.isOver) return;
        state.portions = added(state.portions, content);
        setPortions(state.portions);
        setProblem("");
      }
    } catch (error) {
      if (!state.isOver) setProblem(words(error));
    } finally {
      state.isBusy = false;
    }
  };

  const look = (message: Message): void => {
    const state = now.current;
    if (message.isWhole || wholes.has(message.index) || state.asked === message.index) return;
    state.asked = message.index;
    ask({from: message.index, count: FEW, fields: ["messages"]}).then(
      (content) => {
        if (state.isOver) return;
        const fresh = listAt(content, "messages").filter(isObject).map(messageOf);
        setWholes((before) => new Map([...before, ...fresh.map((one) => [one.index, one] as const)].slice(-MOST_WHOLE)));
      },
      (error: unknown) => {
        if (!state.isOver) setProblem(words(error));
      },
    ).finally(() => {
      if (state.asked === message.index) state.asked = -1;
    });
  };

  return {
    portions,
    problem,
    need: (some) => {
      Object.assign(now.current.need, some);
      void read();
    },
    wholes,
    look,
  };
}

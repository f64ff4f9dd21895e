/**
 * The SharedWorker: one EventSource for all tabs of a browser. A tab is gone when the lock is free
 * that it held, however it ended.
 */

import {down, keyOf, nothing, take, type TopicState, topicOf} from "./feedline";
import {isObject, type Json, type JsonObject, objectAt, parse, textAt} from "./json";

/** What of a SharedWorker's scope is used: TypeScript's DOM library has it not. */
declare const self: {onconnect: (event: MessageEvent) => void};

/** What tabs say. */
export interface ToWorker {
  csrf: string;
  lock: string;
  topics: string[]; // keys: all that the tab wants
}

/** What tabs hear. */
export interface FromWorker {
  states: TopicState[];
  streams: number; // EventSources that were opened and are not closed
}

interface Tab {
  port: MessagePort;
  topics: Set<string>;
}

const tabs = new Map<string, Tab>();
const states = new Map<string, TopicState>();
let csrf = "";
let source: EventSource | null = null;
let viewer = "";
let streams = 0;
let asked = "";
let retry = 0;

self.onconnect = (event) => {
  const port = event.ports[0];
  if (!port) return;
  port.onmessage = (message: MessageEvent<ToWorker>) => hear(port, message.data);
};

function hear(port: MessagePort, said: ToWorker): void {
  csrf = said.csrf;
  const known = tabs.get(said.lock);
  const before = known?.topics ?? new Set<string>();
  const tab = {port, topics: new Set(said.topics)};
  tabs.set(said.lock, tab);
  if (!known) void navigator.locks.request(said.lock, () => forget(said.lock));
  const fresh = [...tab.topics].filter((key) => !before.has(key));
  tell(tab, fresh.map((key) => states.get(key)).filter((state) => state !== undefined));
  settle();
}

function forget(lock: string): void {
  tabs.delete(lock);
  settle();
}

function tell(tab: Tab, some: TopicState[]): void {
  tab.port.postMessage({states: some, streams} satisfies FromWorker);
}

function wanted(): Set<string> {
  return new Set([...tabs.values()].flatMap((tab) => [...tab.topics]));
}

/** Opens and closes the stream and tells the server what is looked at, as the tabs want it. */
function settle(): void {
  const keys = wanted();
  for (const key of states.keys()) if (!keys.has(key)) states.delete(key);
  if (!keys.size) {
    source?.close();
    if (source) streams -= 1;
    source = null;
    viewer = "";
    return;
  }
  if (!source) open();
  else if (viewer) void subscribe();
}

function open(): void {
  source = new EventSource("/api/feed");
  streams += 1;
  source.addEventListener("hello", (event) => {
    viewer = textAt(parse(event.data as string), "viewer");
    asked = "";
    void subscribe();
  });
  source.addEventListener("state", (event) => {
    // Plain numbers: what goes from here to tabs is cloned, and a feed has counts and times only.
    const data = JSON.parse(event.data as string) as Json;
    if (isObject(data)) receive(data);
  });
  source.onerror = () => {
    for (const state of states.values()) lose(state, "the GUI's server does not answer");
    if (source?.readyState !== EventSource.CLOSED) return;
    // Refused for good, as a browser sees it: the server was restarted, or has no session of ours.
    source.close();
    source = null;
    viewer = "";
    streams -= 1;
    clearTimeout(retry);
    retry = Number(setTimeout(settle, 1000));
  };
}

async function subscribe(): Promise<void> {
  const keys = [...wanted()].sort();
  const body = JSON.stringify({viewer, topics: keys.map(topicOf)});
  if (body === asked) return;
  asked = body;
  const headers = {"Content-Type": "application/json", "X-TSVC-CSRF": csrf};
  try {
    const response = await fetch("/api/feed", {method: "POST", headers, body, credentials: "same-origin"});
    if (response.ok) return;
    const problem = textAt(parse(await response.text()), "problem");
    for (const key of keys) lose(stateOf(key), problem);
  } catch {
    for (const key of keys) lose(stateOf(key), "the GUI's server does not answer");
  }
  asked = "";
  setTimeout(settle, 1000);
}

function stateOf(key: string): TopicState {
  let state = states.get(key);
  if (!state) {
    state = nothing(topicOf(key));
    states.set(key, state);
  }
  return state;
}

function receive(data: JsonObject): void {
  const topic = objectAt(data, "topic");
  const run = topic["run"];
  const daemon = textAt(topic, "daemon");
  const key = keyOf(typeof run === "string" ? {daemon, run} : {daemon});
  if (!wanted().has(key)) return;
  const state = stateOf(key);
  take(state, data);
  publish(state);
}

function lose(state: TopicState, problem: string): void {
  if (state.isOver || state.isLost) return;
  down(state, state.isUp ? state.at || Date.now() / 1000 : state.since, problem);
  publish(state);
}

function publish(state: TopicState): void {
  const key = keyOf(state.topic);
  for (const tab of tabs.values()) if (tab.topics.has(key)) tell(tab, [state]);
}

/** A tab's part of the feed: hooks that give the newest state of a topic. */

import {useEffect, useState} from "preact/hooks";
import {csrfToken} from "./api";
import {keyOf, type Topic, type TopicState} from "./feedline";
import type {FromWorker, ToWorker} from "./worker";

declare const WORKER_URL: string;

type Listener = (state: TopicState) => void;

const listeners = new Map<string, Set<Listener>>();
const newest = new Map<string, TopicState>();
const lock = `tsvc-${crypto.randomUUID()}`;
let port: MessagePort | null = null;
let isAnnounced = false;

/** How many streams the browser has open; the journeys look at it. */
export const facts = {streams: 0};

interface PolicyFactory {
  createPolicy(name: string, rules: {createScriptURL: (url: string) => string}): {createScriptURL(url: string): string};
}

/** Returns the worker's address as the browser wants it: only this one can be made. */
function workerUrl(): string {
  const factory = (window as unknown as {trustedTypes?: PolicyFactory}).trustedTypes;
  if (!factory) return WORKER_URL;
  const createScriptURL = (url: string): string => {
    if (url !== WORKER_URL) throw new TypeError(`${url} is no script of ours`);
    return url;
  };
  return factory.createPolicy("tsvc", {createScriptURL}).createScriptURL(WORKER_URL);
}

function connect(): MessagePort {
  if (port) return port;
  const worker = new SharedWorker(workerUrl(), {name: "tsvc"});
  port = worker.port;
  port.onmessage = (event: MessageEvent<FromWorker>) => {
    facts.streams = event.data.streams;
    document.documentElement.dataset["streams"] = String(facts.streams);
    for (const state of event.data.states) {
      const key = keyOf(state.topic);
      newest.set(key, state);
      for (const listener of listeners.get(key) ?? []) listener(state);
    }
  };
  return port;
}

function announce(): void {
  if (isAnnounced) return;
  isAnnounced = true;
  queueMicrotask(() => {
    isAnnounced = false;
    const said: ToWorker = {csrf: csrfToken(), lock, topics: [...listeners.keys()]};
    connect().postMessage(said);
  });
}

/** Keeps the lock that says that this tab lives. */
export function live(): void {
  void navigator.locks.request(lock, () => new Promise(() => undefined));
}

function listen(key: string, listener: Listener): () => void {
  const known = listeners.get(key) ?? new Set();
  known.add(listener);
  listeners.set(key, known);
  announce();
  return () => {
    known.delete(listener);
    if (!known.size && listeners.get(key) === known) {
      listeners.delete(key);
      newest.delete(key);
      announce();
    }
  };
}

/** Returns the newest state of a topic, as a new object at each change; null before the first. */
export function useTopic(topic: Topic | null): TopicState | null {
  const key = topic ? keyOf(topic) : "";
  const [state, set] = useState<TopicState | null>(null);
  useEffect(() => {
    set(newest.get(key) ?? null);
    if (!key) return;
    return listen(key, set);
  }, [key]);
  return state && keyOf(state.topic) === key ? state : null;
}

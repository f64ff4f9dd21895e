// What journeys have in common: a way to ask the test for what a browser can't do, and checks that say
// what they saw. A journey is a function by its name in `journeys` of its script; host.mjs plays them.

import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {createInterface} from "node:readline";

export const GUARD_MS = 60_000;

const lines = createInterface({input: process.stdin})[Symbol.asyncIterator]();

/** Returns what the test says next, undefined when it has gone. */
export async function line() {
  const {value, done} = await lines.next();
  return done ? undefined : JSON.parse(value);
}

/** Asks the test to do something; returns what came of it. */
export async function ask(what, members = {}) {
  console.log(`? ${JSON.stringify({do: what, ...members})}`);
  const answer = await line();
  if (answer === undefined) throw new Error("the test has gone");
  return answer;
}

export function note(what, value) {
  console.log(`# ${what}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
}

/** Waits until a function gives something true, and returns it. */
export async function until(what, look, most = GUARD_MS) {
  const begun = performance.now();
  let last;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
      last = found;
    } catch (error) {
      last = error;
    }
    if (performance.now() - begun > most) throw new Error(`${what}: not within ${most} ms; last: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Calls a method of a daemon by the GUI's server, with the page's own session. */
export async function call(page, daemon, method, params = {}) {
  const found = await page.evaluate(
    async ([daemon, method, params]) => {
      const session = await (await fetch("/api/session")).json();
      const headers = {"Content-Type": "application/json", "X-TSVC-CSRF": session.csrf};
      const body = JSON.stringify({daemon, method, params});
      return (await fetch("/api/call", {method: "POST", headers, body})).json();
    },
    [daemon, method, params],
  );
  assert.ok(found.result, JSON.stringify(found));
  return found.result;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("../../../gui/node_modules/axe-core/axe.min.js"), "utf8");

/** Returns the findings of axe that are serious or critical, each with the places; of these rules alone if they are given. */
export async function serious(page, rules) {
  await page.evaluate(`if (!globalThis.axe) { window.module = undefined; window.exports = undefined; ${AXE} }; undefined`);
  const options = {resultTypes: ["violations"], ...(rules && {runOnly: {type: "rule", values: rules}})};
  const found = await page.evaluate((given) => globalThis.axe.run(document, given), options);
  const looked = [...found.violations, ...found.passes, ...found.incomplete];
  assert.ok(looked.some((one) => one.id === "color-contrast"), "colours were not looked at");
  return found.violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target.join(" ")} ${node.html.slice(0, 120)}`).join(" | ")}`);
}

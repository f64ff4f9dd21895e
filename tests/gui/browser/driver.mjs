// What journeys have in common: a browser, a way to ask the test for what a browser can't do, and
// checks that say what they saw. A journey is a function by its name: `node authoring.mjs try_one`.

import assert from "node:assert/strict";
import {mkdirSync, readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";
import {createInterface} from "node:readline";
import {chromium} from "../../../gui/node_modules/playwright-core/index.mjs";
import puppeteer from "../../../gui/node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const GUARD_MS = 20_000;

const lines = createInterface({input: process.stdin})[Symbol.asyncIterator]();

async function line() {
  const {value, done} = await lines.next();
  if (done) throw new Error("the test has gone");
  return JSON.parse(value);
}

/** Asks the test to do something; returns what came of it. */
export async function ask(what, members = {}) {
  console.log(`? ${JSON.stringify({do: what, ...members})}`);
  return line();
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

/** Opens a browser context that has a session; the problems that pages tell are in `problems`. */
async function open(given, options = {}) {
  const browser = await chromium.launch({executablePath: given.chromium, headless: true, args: FLAGS});
  const context = await browser.newContext({viewport: {width: 1400, height: 900}, acceptDownloads: true, ...options});
  context.setDefaultTimeout(GUARD_MS);
  const problems = [];
  const debuggers = new Map();
  context.on("page", (page) => {
    const attached = (async () => {
      const devtools = await context.newCDPSession(page);
      await devtools.send("Debugger.enable");
      return devtools;
    })();
    attached.catch(() => undefined);
    debuggers.set(page, attached);
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) problems.push(message.text());
    });
    page.on("dialog", (dialog) => {
      problems.push(`a dialogue: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  const page = await context.newPage();
  if (given.enter) await page.goto(given.enter);
  const base = given.base;
  const go = async (hash, on = page) => {
    await on.goto(`${base}/${hash}`);
    await on.waitForSelector("main");
  };
  const shot = async (name, on = page) => {
    if (!given.shots) return;
    mkdirSync(given.shots, {recursive: true});
    await on.screenshot({path: join(given.shots, `${name}.png`)});
  };
  return {given, browser, context, page, base, go, shot, problems, debuggers};
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

/** Returns the findings of axe that are serious or critical, each with the places. */
export async function serious(page) {
  await page.evaluate(`window.module = undefined; window.exports = undefined; ${AXE}; undefined`);
  const found = await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ["violations"]}));
  return found.violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target.join(" ")} ${node.html.slice(0, 120)}`).join(" | ")}`);
}

/** Tells where each page of a journey hangs, with the functions that it is in, and ends. */
async function hanging(stage) {
  if (!stage) console.log("# the browser does not begin");
  for (const page of stage?.context.pages() ?? []) {
    console.log(`# hangs at ${page.url()}`);
    const seen = (async () => {
      const devtools = await stage.debuggers.get(page);
      const paused = new Promise((resolve) => devtools.once("Debugger.paused", resolve));
      await devtools.send("Debugger.pause");
      const {callFrames} = await paused;
      return callFrames.map((one) => `${one.functionName} ${one.url}:${one.location.lineNumber}:${one.location.columnNumber}`).join("\n");
    })();
    const patience = new Promise((resolve) => setTimeout(resolve, 5000, "it does nothing, or is gone"));
    console.log(`# ${await Promise.race([seen.catch(String), patience])}`);
  }
  process.exit(1);
}

export async function main(journeys) {
  const name = process.argv[2];
  const given = await line();
  if (given.firefox) {
    // A Firefox as Debian has it speaks WebDriver BiDi, which playwright-core does not with it.
    const browser = await puppeteer.launch({browser: "firefox", executablePath: given.firefox, headless: true});
    try {
      await journeys[name]({given, page: await browser.newPage()});
      console.log("= done");
    } finally {
      await browser.close();
    }
    process.exit(0);
  }
  let stage;
  // A page that never answers would keep a journey until it is killed, without a word of where.
  setTimeout(() => hanging(stage), given.told_after_ms).unref();
  stage = await open(given, given.options);
  try {
    await journeys[name](stage);
    assert.deepEqual(stage.problems, []);
    console.log("= done");
  } catch (error) {
    console.log(`# at ${stage.page.url()}`);
    console.log(`# pages said: ${JSON.stringify(stage.problems)}`);
    if (given.shots) await stage.shot(`failed-${name}`).catch(() => undefined);
    console.error(error);
    process.exitCode = 1;
  }
  await stage.browser.close();
  process.exit();
}

// Plays journeys until the test has gone: one after the other, as many as there are in one browser, each
// in a context of its own, which has no cookie, no storage and no cache of another. With a journey that
// fails the browser ends, so that nothing is left of it for the next.

import assert from "node:assert/strict";
import {mkdirSync} from "node:fs";
import {join} from "node:path";
import {GUARD_MS, line} from "./driver.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

async function launch(path) {
  const {chromium} = await import("../../../gui/node_modules/playwright-core/index.mjs");
  return chromium.launch({executablePath: path, headless: true, args: FLAGS});
}

/** Opens a browser context that has a session; the problems that pages tell are in `problems`. */
async function open(browser, given) {
  const context = await browser.newContext({viewport: {width: 1400, height: 900}, acceptDownloads: true, ...given.options});
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

/** A Firefox as Debian has it speaks WebDriver BiDi, which playwright-core does not with it. */
async function inFirefox(journey, given) {
  const {default: puppeteer} = await import("../../../gui/node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js");
  const browser = await puppeteer.launch({browser: "firefox", executablePath: given.firefox, headless: true});
  try {
    await journey({given, page: await browser.newPage()});
  } finally {
    await browser.close();
  }
}

let browser;

async function inChromium(journey, given) {
  let stage;
  // A page that never answers would keep a journey until it is killed, without a word of where.
  const late = setTimeout(() => hanging(stage), given.told_after_ms);
  try {
    if (!browser?.isConnected()) browser = await launch(given.chromium);
    stage = await open(browser, given);
    await journey(stage);
    assert.deepEqual(stage.problems, []);
    await stage.context.close();
    clearTimeout(late);
  } catch (error) {
    console.log(`# at ${stage?.page.url()}`);
    console.log(`# pages said: ${JSON.stringify(stage?.problems)}`);
    if (given.shots) await stage?.shot(`failed-${given.name}`).catch(() => undefined);
    throw error;
  }
}

try {
  for (let given = await line(); given; given = await line()) {
    const {journeys} = await import(`./${given.script}`);
    await (given.firefox ? inFirefox : inChromium)(journeys[given.name], given);
    console.log("= done");
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
await browser?.close();
process.exit();

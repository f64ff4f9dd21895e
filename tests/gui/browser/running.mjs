// Journeys of those who run loads: charts and steering, other people's runs, a daemon that dies,
// comparing, suites, many tabs.

import assert from "node:assert/strict";
import {GUARD_MS, ask, call, note, until} from "./driver.mjs";

const RATE = {type: "linear", total: 1000000, backlog: 2000, cps: 500};
const QUICK = [{type: "wait", arguments: {seconds: 0.01}}, {type: "pass"}];

async function dd(page, name) {
  return page.locator(".facts div", {has: page.locator("dt", {hasText: new RegExp(`^${name}$`)})}).locator("dd").innerText();
}

const number = (text) => Number(text.replace("−", "-").replace(/[^\d.-]/g, ""));

async function sums(page) {
  const found = /(\d+) started, (\d+) finished, (\d+) failed, (\d+) aborted/.exec(await page.locator(".sums").innerText());
  return found.slice(1).map(Number);
}

/** Journey 5: 500 a second, slower by the slider, paused, cancelled; every number is the daemon's. */
async function steering({page, go, shot, given}) {
  const run = "steered";
  const query = (members = {}) => call(page, "local", "QueryTest", {run_id: run, collect: 0, ...members});
  await call(page, "local", "ExecuteTest", {run_id: run, operations: QUICK, distribution: RATE});
  await go(`#/run?run=${run}`);
  await page.waitForSelector("figure");
  await until("starts", async () => number((await dd(page, "started")).split(" of ")[0]) > 500 * given.seconds);
  await shot("load");
  // The rate: by the number beside the slider, and the daemon is asked for it.
  const begun = performance.now();
  await page.getByLabel("Rate per second").fill("200");
  await page.getByRole("button", {name: "Set"}).click();
  await until("200 a second", async () => /^200 \//.test(await dd(page, "asked / achieved")), 2000 + given.slack);
  note("asked 200 after ms", Math.round(performance.now() - begun));
  assert.equal((await query()).plan.current_cps, 200);
  const slider = page.getByRole("slider");
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await until("another rate by the slider", async () => (await query()).plan.current_cps > 200);
  // A pause: nothing starts.
  await page.getByRole("button", {name: "Pause"}).click();
  await until("paused", async () => (await query()).rate.paused === 1);
  const paused = (await query()).counts.started;
  await page.getByRole("button", {name: "Go on"}).waitFor();
  await new Promise((resolve) => setTimeout(resolve, given.pause * 1000));
  assert.equal((await query()).counts.started, paused);
  await page.getByRole("button", {name: "Go on"}).click();
  await until("it goes on", async () => (await query()).counts.started > paused);
  await page.getByRole("button", {name: "Cancel", exact: true}).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", {name: "Cancel the run"}).click();
  await page.waitForSelector("h1 .v-cancelled");
  const whole = await query();
  assert.equal(whole.completed, 1);
  const {counts, buckets} = whole;
  const of = (name) => buckets.reduce((sum, one) => sum + one[name], 0);
  await until("the charts' sums", async () => (await sums(page))[0] === counts.started);
  assert.deepEqual(await sums(page), [counts.started, of("num_calls_finished"), counts.failed, counts.aborted]);
  assert.equal(of("num_calls_started"), counts.started);
  assert.equal(number(await dd(page, "cancelled")), counts.cancelled);
  assert.equal(number(await dd(page, "passed")), counts.passed);
}

/** Journey 6: a run that the command line started is watched; the command line collects it. */
async function watching({page, go}) {
  const run = await ask("start");
  await go(`#/run?run=${encodeURIComponent(run)}`);
  await page.waitForSelector(".facts");
  await ask("finish");
  await page.waitForSelector("h1 .v-pass");
  // It is over, and nobody here has collected it: its name is in use until the owner asks.
  const {tests} = await call(page, "local", "QueryAllTests");
  assert.ok(tests.some((one) => one.run_id === run && one.completed === 1), JSON.stringify(tests));
  const refused = await page.evaluate(async (run_id) => {
    const session = await (await fetch("/api/session")).json();
    const headers = {"Content-Type": "application/json", "X-TSVC-CSRF": session.csrf};
    const params = {run_id, operations: [{type: "pass"}]};
    const body = JSON.stringify({daemon: "local", method: "ExecuteTest", params});
    return (await fetch("/api/call", {method: "POST", headers, body})).json();
  }, run);
  assert.equal(refused.error.code, 2001);
  assert.equal((await ask("collect")).verdict, "pass");
  const after = await call(page, "local", "QueryAllTests");
  assert.ok(!after.tests.some((one) => one.run_id === run));
  assert.equal(await page.locator("h1 .v-pass").count(), 1);
  // The command line itself: watched from its beginning to its end, it gets what it waits for.
  const own = await ask("command");
  await go(`#/run?run=${encodeURIComponent(own)}`);
  await page.waitForSelector(".facts");
  assert.equal(await ask("ended"), 0);
  await page.waitForSelector("h1 .v-pass");
}

/** Journey 7: the daemon dies and comes back while somebody looks. */
async function restart({page, go, shot, given}) {
  await call(page, "local", "ExecuteTest", {run_id: "dies", operations: QUICK, distribution: {...RATE, cps: 50}});
  await go("#/run?run=dies");
  await until("starts", async () => number((await dd(page, "started")).split(" of ")[0]) > 20);
  await ask("kill");
  let begun = performance.now();
  await page.getByText("disconnected since").first().waitFor({timeout: 3000 + given.slack});
  note("disconnected after ms", Math.round(performance.now() - begun));
  const shown = await dd(page, "started");
  await shot("disconnected");
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.equal(await dd(page, "started"), shown, "a value was invented");
  await ask("restart");
  begun = performance.now();
  await page.locator("h1 .v-lost").waitFor({timeout: 5000 + given.slack});
  note("live again after ms", Math.round(performance.now() - begun));
  assert.equal(await dd(page, "started"), shown);
  await until("up", async () => (await page.locator(".head .l-up").count()) === 1);
}

/** Journey 8: two results of the archive; differences as their own numbers say. */
async function comparing({page, go, shot}) {
  const load = {type: "linear", total: 60, backlog: 50, cps: 60};
  const slow = (seconds) => [{type: "wait", arguments: {seconds}}, {type: "pass"}];
  for (const [name, seconds] of [["one", 0.01], ["two", 0.05]]) {
    await call(page, "local", "ExecuteTest", {run_id: name, name: "compared", operations: slow(seconds), distribution: load});
    await call(page, "local", "QueryTest", {run_id: name, wait_s: 20});
  }
  await go("#/history?name=compared");
  const boxes = page.getByRole("checkbox");
  await boxes.nth(1).waitFor();
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByRole("button", {name: /^Compare/}).click();
  await page.waitForSelector("[data-delta=response_p99_ms]");
  const place = new URLSearchParams(page.url().split("?")[1]);
  const [a, b] = await Promise.all(["a", "b"].map((name) => call(page, "local", "GetResult", {result_id: Number(place.get(name))})));
  assert.deepEqual([a.run_id, b.run_id], ["one", "two"]);
  const delta = b.latency.response.p99_ms - a.latency.response.p99_ms;
  const text = await page.locator("[data-delta=response_p99_ms]").innerText();
  note("delta", `${text} of ${delta}`);
  assert.ok(Math.abs(number(text) - delta) <= Math.abs(delta) * 0.005 + 0.05, `${text} for ${delta}`);
  assert.match(text, delta > 0 ? /▼ \+/ : /▲ −/);
  assert.equal(await page.locator("figure").count(), 2);
  await page.getByText("/operations/0/arguments/seconds").waitFor();
  await shot("compare");
}

/** Journey 10: a suite of fifty of which three fail; JUnit as the command line writes it. */
async function suite({page, go, shot}) {
  await go("#/suite?folder=fifty");
  await page.getByRole("button", {name: "Run 50"}).click();
  const status = page.getByRole("status");
  await until("all have run", async () => /47 passed/.test(await status.innerText()) && /3 did not/.test(await status.innerText()), 60000);
  await page.getByRole("button", {name: "JUnit"}).isEnabled();
  await shot("suite");
  const download = page.waitForEvent("download");
  await page.getByRole("button", {name: "JUnit"}).click();
  const parts = [];
  for await (const part of await (await download).createReadStream()) parts.push(part);
  await ask("junit", {text: Buffer.concat(parts).toString()});
  const before = (await call(page, "local", "DescribeService")).counters.runs_started;
  await page.getByRole("button", {name: "Run failed (3)"}).click();
  await until("three more", async () => (await call(page, "local", "DescribeService")).counters.runs_started >= before + 3);
  await page.getByRole("button", {name: "Run failed (3)"}).waitFor();
  await until("they are over", async () => /47 passed/.test(await status.innerText()) && /3 did not/.test(await status.innerText()));
  assert.equal((await call(page, "local", "DescribeService")).counters.runs_started, before + 3);
}

/** Journey 15: eight tabs of one browser by one stream; after a sleep the gap is a gap. */
async function tabs({page, context, go, given}) {
  await call(page, "local", "ExecuteTest", {run_id: "tabs", operations: QUICK, distribution: {...RATE, cps: 20}});
  const pages = [page];
  while (pages.length < 8) pages.push(await context.newPage());
  for (const one of pages) await go("#/run?run=tabs", one);
  const value = async (one) => number((await dd(one, "started")).split(" of ")[0]);
  for (const one of pages) await one.waitForSelector(".facts");
  const first = await Promise.all(pages.map(value));
  await until("all are live", async () => (await Promise.all(pages.map(value))).every((now, index) => now > first[index] + 20));
  const streams = await Promise.all(pages.map((one) => one.evaluate(() => document.documentElement.dataset.streams)));
  assert.deepEqual(new Set(streams), new Set(["1"]));
  // A tab that is closed is forgotten; the others go on.
  await pages.pop().close();
  const second = await Promise.all(pages.map(value));
  await until("the others go on", async () => (await Promise.all(pages.map(value))).every((now, index) => now > second[index]));
  // The machine sleeps: nothing comes, then all of it.
  await ask("sleep", {seconds: given.sleep});
  await until("live again", async () => (await Promise.all(pages.map(value))).every((now, index) => now > second[index] + 40));
  const whole = await call(page, "local", "CancelTest", {run_id: "tabs"});
  await until("the same sums", async () => (await sums(page))[0] === whole.counts.started);
  // In the chart of what was looked at there is a hole as long as the sleep.
  const figure = page.locator("figure", {hasText: "Lateness"});
  await figure.getByRole("button", {name: "table"}).click();
  const rows = await figure.locator("tbody tr").evaluateAll((all) => all.map((one) => [...one.cells].map((cell) => cell.textContent)));
  const holes = rows.filter(([, ...cells]) => cells.every((cell) => cell === "–"));
  assert.ok(holes.length >= 1, JSON.stringify(rows));
}

/** A smoke test in Firefox: the pages come up, a test runs, its ladder is there, a feed is live. */
async function smoke({given, page}) {
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.setDefaultTimeout(GUARD_MS);
  await page.goto(given.enter);
  await page.waitForSelector(".gateways li");
  await page.goto(`${given.base}/#/tests?file=extension_dialing.json`);
  await page.waitForSelector(".problem-list .v-pass");
  await page.locator("::-p-xpath(//button[text()='Try one'])").click();
  await page.waitForSelector("h1 .v-pass");
  await page.waitForSelector(".message");
  await page.goto(`${given.base}/#/tests?file=extension_dialing.json&view=JSON`);
  await page.waitForSelector(".cm-content");
  await page.goto(`${given.base}/#/flows?file=flows/extension_dialing.json`);
  await page.waitForSelector(".flow .node");
  assert.deepEqual(problems, []);
}

export const journeys = {steering, watching, restart, comparing, suite, tabs, smoke};

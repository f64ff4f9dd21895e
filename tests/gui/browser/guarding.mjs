// Journeys of those who mean no good, and of those who may only look.

import assert from "node:assert/strict";
import {ask, call, serious, until} from "./driver.mjs";

/** Journey 13: what is markup elsewhere is text here, wherever it comes from. */
async function hostile({page, go, shot, given}) {
  const {evil} = given;
  const pages = [
    "#/overview",
    "#/tests",
    `#/tests?file=${encodeURIComponent(given.file)}`,
    `#/tests?file=${encodeURIComponent(given.file)}&view=JSON`,
    `#/flows?file=${encodeURIComponent(given.flow)}`,
    `#/flows?run=${encodeURIComponent(evil)}`,
    "#/suite",
    `#/suite?folder=${encodeURIComponent(evil)}&text=${encodeURIComponent(evil)}`,
    "#/history",
    `#/history?text=${encodeURIComponent(evil)}`,
    `#/run?run=${encodeURIComponent(evil)}`,
    `#/run?result=${given.result}`,
    ...["Failures", "Slowest", "Operations", "Halted", "Problems", "Variables", "Definition"].map((tab) => `#/run?result=${given.result}&tab=${tab}`),
    `#/instance?result=${given.result}&instance=0`,
    `#/instance?run=${encodeURIComponent(evil)}&instance=${encodeURIComponent(evil)}`,
    `#/compare?a=${given.other}&b=${given.result}`,
    `#/operations?text=${encodeURIComponent(evil)}&type=${encodeURIComponent(evil)}`,
    `#/${encodeURIComponent(evil)}?daemon=${encodeURIComponent(evil)}`,
  ];
  // What a busy machine has not shown by then is looked at once more.
  const looks = [400, 4000, 20_000].flatMap((patience) => pages.map((hash) => [hash, patience]));
  const shown = new Set();
  for (const [hash, patience] of looks) {
    if (shown.size >= 8 && patience > 400) break;
    if (shown.has(hash)) continue;
    await go("#/overview");
    await go(hash);
    await page.waitForTimeout(patience);
    const found = await page.evaluate((text) => ({
      ran: globalThis.evil === 1 || document.title === "evil",
      marked: document.querySelectorAll("img, iframe, main script, main style, object, embed").length,
      shown: document.body.innerText.includes(text) || [...document.querySelectorAll("input, textarea")].some((one) => one.value.includes(text)),
    }), evil);
    assert.ok(!found.ran, `${hash}: it ran`);
    assert.equal(found.marked, 0, `${hash}: it became an element`);
    if (found.shown) shown.add(hash);
  }
  assert.ok(shown.size >= 8, `the text was to be seen on ${shown.size} pages only`);
  await shot("hostile");
  // The octets of what was received show it too, as text.
  await go(`#/instance?result=${given.result}&instance=0`);
  await page.locator(".message").first().waitFor();
  for (const row of await page.locator(".message").all()) await row.click();
  assert.deepEqual(await serious(page), []);
  // Reports are attachments: nothing of them is ever a page of ours.
  for (const format of ["html", "junit", "json", "csv"]) {
    const response = await page.request.get(`${given.base}/api/export?daemon=local&result=${given.result}&format=${format}`);
    assert.equal(response.status(), 200, format);
    assert.match(response.headers()["content-disposition"] ?? "", /^attachment/, format);
  }
}

/** Journey 13: other sites can't write, and names that are not ours are not answered. */
async function outside({page, context, given, problems}) {
  const before = (await call(page, "local", "DescribeService")).counters.runs_started;
  const other = await context.newPage();
  await other.goto(given.foreign);
  const said = await other.evaluate(async (base) => {
    const body = JSON.stringify({daemon: "local", method: "ExecuteTest", params: {run_id: "evil", operations: [{type: "pass"}]}});
    const found = [];
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
      try {
        const response = await fetch(`${base}/api/call`, {method: "POST", mode: "no-cors", credentials: "include", headers: {"Content-Type": type}, body});
        found.push(response.type);
      } catch (error) {
        found.push(String(error));
      }
    }
    return found;
  }, given.base);
  assert.equal(said.length, 3);
  await other.evaluate((base) => {
    const form = document.createElement("form");
    form.method = "POST";
    form.action = `${base}/api/leave`;
    document.body.append(form);
    form.submit();
  }, given.base);
  await other.waitForTimeout(500);
  assert.equal((await call(page, "local", "DescribeService")).counters.runs_started, before);
  // A page of ours in a frame of theirs.
  await other.goto(given.foreign);
  const framed = await other.evaluate(async (base) => {
    const frame = document.createElement("iframe");
    frame.src = base;
    document.body.append(frame);
    await new Promise((resolve) => (frame.onload = resolve));
    try {
      return frame.contentDocument !== null ? "readable" : "blocked";
    } catch {
      return "blocked";
    }
  }, given.base);
  assert.equal(framed, "blocked");
  const blocked = problems.splice(0);
  assert.ok(blocked.length && blocked.every((one) => one.includes("frame-ancestors")), blocked.join("\n"));
  await other.close();
}

/** Journey 14: a viewer sees everything and can change nothing, not by a request of his own either. */
async function viewer({page, go, given, base}) {
  await page.goto(base);
  await page.getByLabel("User").fill("vera");
  await page.getByLabel("Password").fill("vera");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".gateways li");
  for (const [hash, ready] of [
    ["#/tests?file=extension_dialing.json", ".problem-list .v-pass"],
    ["#/flows?file=flows/extension_dialing.json", ".flow .node"],
    ["#/suite", "main table td"],
    [`#/run?run=${encodeURIComponent(given.run)}`, ".facts"],
  ]) {
    await go(hash);
    await page.locator(ready).first().waitFor();
    for (const name of ["Try one", "Run…", "Save", "Cancel", "Pause", "New…", "Undo", "Insert", "Remove"]) {
      assert.equal(await page.getByRole("button", {name, exact: true}).count(), 0, `${hash}: ${name}`);
    }
  }
  await go("#/tests?file=extension_dialing.json");
  await page.locator(".step-name").first().waitFor();
  assert.equal(await page.locator(".detail-form input:not([readonly]):not([disabled])").count(), 0);
  const writes = await ask("writes");
  const refused = await page.evaluate(async (all) => {
    const session = await (await fetch("/api/session")).json();
    const headers = {"Content-Type": "application/json", "X-TSVC-CSRF": session.csrf};
    const found = [];
    for (const [path, body] of all) {
      found.push([path, (await fetch(path, {method: "POST", headers, body: JSON.stringify(body)})).status]);
    }
    return found;
  }, writes);
  for (const [path, status] of refused) assert.equal(status, 403, path);
  assert.equal(refused.length, writes.length);
  await until("still a viewer", async () => /viewer/.test(await page.locator(".user").innerText()));
}

export const journeys = {hostile, outside, viewer};

// A trace that is longer than a portion: what is looked at comes first, what is searched is all of it.

import assert from "node:assert/strict";
import {call, until} from "./driver.mjs";

const FIRST = 100; // records that come first

function whole(page, run) {
  return call(page, "local", "GetTrace", {run_id: run, instance: 0, format: "json"}).then(({content}) => content);
}

function output(page) {
  return page.locator(".filters output").innerText();
}

/** The end by a key, the middle by scrolling, all by a search: each is as GetTrace has it. */
async function portions({page, go}) {
  await go("#/overview");
  const {messages, check_log} = await whole(page, "long");
  const asked = [];
  page.on("request", (request) => {
    const body = request.postData() ?? "";
    if (body.includes('"GetTrace"')) asked.push(JSON.parse(body).params);
  });
  await go("#/instance?run=long&instance=0");
  await page.waitForSelector(".octets");
  assert.equal(await output(page), `${FIRST} of ${FIRST}, ${messages.length - FIRST} records to be read`);
  assert.equal(asked.length, 1);
  const list = page.getByRole("listbox");
  const chosen = page.locator(".message[aria-selected=true]");
  const isShown = async (index) => {
    await until(`message ${index}`, async () => (await chosen.getAttribute("id").catch(() => "")) === `message-${index}`);
    assert.ok((await chosen.textContent()).includes(messages[index].arrow.label));
    // In full: an octet leads to its value, whose name the tree has.
    await page.waitForSelector(".octets");
    const span = messages[index].spans[0];
    await page.locator(`[data-octet='${span.start}']`).click();
    await page.locator(".tree [aria-selected=true]").first().waitFor();
  };
  await list.focus();
  await page.keyboard.press("End");
  await isShown(messages.length - 1);
  assert.match(await output(page), /to be read$/);
  // To the middle, which is still missing; what stands there then is what belongs there.
  await list.evaluate((box) => (box.scrollTop = box.scrollHeight / 2));
  const rows = () => page.locator(".message").evaluateAll((all) => all.map((one) => [Number(one.id.split("-")[1]), one.textContent]));
  const middle = messages.length / 2;
  await until("rows in the middle", async () => (await rows()).some(([index]) => Math.abs(index - middle) < 50));
  for (const [index, text] of await rows()) assert.ok(text.includes(messages[index].arrow.label), text);
  await page.locator(".message").nth(12).click();
  const id = await chosen.getAttribute("id");
  assert.ok(Math.abs(Number(id.split("-")[1]) - middle) < 50, id);
  await isShown(Number(id.split("-")[1]));
  // A search goes through all that there is.
  const wanted = messages[777].otid ?? messages[777].dtid;
  await page.getByLabel("Text", {exact: true}).fill(wanted);
  const found = messages.filter((one) => one.hex.includes(wanted));
  await until("all are searched", async () => (await output(page)) === `${found.length} of ${messages.length}`);
  assert.ok(found.length > 0 && found.length < 10);
  await list.focus();
  await page.keyboard.press("Home");
  await isShown(messages.indexOf(found[0]));
  await page.getByLabel("Text", {exact: true}).fill("");
  await until("all of it", async () => (await output(page)) === `${messages.length} of ${messages.length}`);
  // A range of time, from one to another: messages and checks.
  await list.evaluate((box) => (box.scrollTop = 0));
  const time = (index) => page.locator(`#message-${index} time`);
  await time(2).hover();
  await page.mouse.down();
  await time(5).hover();
  await page.mouse.up();
  const [from, to] = [messages[2].t, messages[5].t];
  await until("four messages", async () => (await output(page)) === `4 of ${messages.length}`);
  const times = await page.locator(".checks tbody td:first-child").allInnerTexts();
  const within = check_log.filter((one) => one.t >= from && one.t <= to);
  assert.deepEqual(times, within.map((one) => one.t.toFixed(4)));
  assert.ok(within.length > 0);
  await page.getByRole("button", {name: "all times"}).click();
  await until("all of it again", async () => (await output(page)) === `${messages.length} of ${messages.length}`);
}

/** A check that failed far behind: its message is chosen, and in it the octets that say what came. */
async function failed({page, go}) {
  await go("#/overview");
  const {messages, check_log} = await whole(page, "wrong");
  const bad = check_log.find((one) => one.level === "fail");
  const expected = messages.findLast((one) => one.direction === "received" && one.t <= bad.t);
  await go("#/instance?run=wrong&instance=0");
  const chosen = page.locator(".message[aria-selected=true].bad");
  await chosen.waitFor();
  assert.equal(await chosen.getAttribute("id"), `message-${messages.indexOf(expected)}`);
  await page.waitForSelector("[data-lit]");
  const lit = await page.locator("[data-lit]").allInnerTexts();
  assert.equal(Number.parseInt(lit.join(""), 16), bad.got);
  assert.match(await page.locator(".tree .wrong em").first().innerText(), new RegExp(`expected ${bad.expected}`));
}

export const journeys = {portions, failed};

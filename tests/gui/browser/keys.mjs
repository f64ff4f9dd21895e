// Journey 12 without a mouse: Tab, arrows, Enter and what is typed.

import assert from "node:assert/strict";
import {ask, until} from "./driver.mjs";

/** Returns a function that goes on by Tab until something has the focus. */
function reaching(page) {
  return async (name, key = "Tab") => {
    for (let step = 0; step < 120; step += 1) {
      await page.keyboard.press(key);
      const here = await page.evaluate(() => {
        const active = document.activeElement;
        return active?.getAttribute("aria-label") ?? active?.labels?.[0]?.textContent ?? active?.textContent ?? "";
      });
      if (name.test(here.trim())) return;
    }
    throw new Error(`${name} is not reached by Tab`);
  };
}

/** Journey 2: a new file, its operations, a value; saved, tried. */
async function by_keys({page, go}) {
  await go("#/tests");
  const reach = reaching(page);
  await page.getByRole("button", {name: "New…"}).waitFor();
  await reach(/^New…$/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await reach(/^Name$/);
  await page.keyboard.type("by_keys");
  await reach(/^Make it$/);
  await page.keyboard.press("Enter");
  await page.getByPlaceholder("InitialDP, rest, wait …").waitFor();
  await reach(/^Add an operation/);
  for (const word of ["wait", "pass"]) {
    await page.keyboard.press("Control+a");
    await page.keyboard.type(word);
    await page.locator(".palette .offer b", {hasText: new RegExp(`^${word}$`)}).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", {name: word}).waitFor();
  }
  // The second one goes up, and the value of the other is typed.
  await reach(/^Move operation 1 up$/, "Shift+Tab");
  await page.keyboard.press("Enter");
  const order = () => page.locator(".step-name").allInnerTexts();
  await until("pass is the first", async () => /pass/.test((await order())[0]));
  await reach(/1.*wait/s, "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", {name: "wait"}).waitFor();
  await reach(/^seconds/);
  await page.keyboard.press("Control+a");
  await page.keyboard.type("0.125");
  await page.keyboard.press("Tab");
  await page.locator(".problem-list .v-pass").waitFor();
  await reach(/^Save$/);
  await page.keyboard.press("Enter");
  await until("the file is saved", async () => (await page.locator("h1 em").count()) === 0);
  const saved = JSON.parse(await ask("read", {path: "by_keys.json"}));
  assert.deepEqual(saved.operations.map((one) => one.type), ["pass", "wait"]);
  assert.equal(saved.operations[1].arguments.seconds, 0.125);
  await reach(/^Try one$/);
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1 .v-pass");
}

/** Journey 12: journeys 1, 3 and 4 by keyboard alone. */
async function keyboard({page, go}) {
  await go("#/tests");
  const reach = reaching(page);
  await page.getByRole("link", {name: "extension_dialing", exact: true}).first().waitFor();
  await reach(/^. ?extension_dialing$/);
  await page.keyboard.press("Enter");
  await page.getByRole("button", {name: "Try one"}).waitFor();
  await reach(/^Try one$/);
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1 .v-pass");
  await page.waitForSelector(".message");
  await reach(/^Messages/);
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowDown");
  const chosen = page.locator(".message[aria-selected=true]");
  assert.equal(await chosen.getAttribute("id"), "message-3");
  await reach(/Received ConnectToResource/);
  await page.keyboard.press("Enter");
  await until("its message", async () => /CTR/.test(await chosen.innerText()));
  // A tree of the message: arrows go down, right opens.
  await page.locator(".tree [role=treeitem][tabindex='0']").first().focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("role")), "treeitem");
  // Steering by keyboard: a run is begun in the dialogue and cancelled.
  await go("#/tests?file=extension_dialing.json");
  await page.getByRole("button", {name: "Run…"}).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.getByLabel("linear").focus();
  await page.keyboard.press("Space");
  await page.getByLabel("Calls in all").fill("100000");
  await page.getByRole("button", {name: "Run", exact: true}).focus();
  await page.keyboard.press("Enter");
  const cancel = page.getByRole("button", {name: "Cancel", exact: true});
  await cancel.waitFor();
  const slider = page.getByRole("slider");
  await slider.focus();
  await page.keyboard.press("Home");
  await until("a rate that was asked for", async () => /^0\.1/.test(await page.locator("dd", {hasText: "per s"}).innerText()));
  await cancel.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1 .v-cancelled");
}

export const journeys = {by_keys, keyboard};

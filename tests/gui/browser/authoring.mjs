// Journeys of those who write tests: try one, author by form, complete, find the wrong octet, flows.

import assert from "node:assert/strict";
import {ask, call, note, serious, until} from "./driver.mjs";

const SAMPLE = "extension_dialing.json";

/** Journey 1: a sample, Try one, a green verdict and the ladder of GetTrace. */
async function try_one({page, go, shot, given}) {
  await go("#/tests");
  let clicks = 0;
  const click = async (locator) => {
    clicks += 1;
    await locator.click();
  };
  await click(page.getByRole("link", {name: "extension_dialing", exact: true}).first());
  const begun = performance.now();
  await click(page.getByRole("button", {name: "Try one"}));
  await page.waitForSelector("h1 .v-pass");
  await page.waitForSelector(".message");
  const took = performance.now() - begun;
  note("verdict and ladder after ms", Math.round(took));
  assert.ok(clicks <= 3);
  const run = new URLSearchParams(page.url().split("?")[1]).get("run");
  const {content} = await call(page, "local", "GetTrace", {run_id: run, format: "ladder"});
  const rows = await page.locator(".message").evaluateAll((all) => all.map((one) => one.textContent));
  const trace = (await call(page, "local", "GetTrace", {run_id: run, format: "json"})).content;
  assert.equal(rows.length, trace.messages.length);
  trace.messages.forEach((message, index) => {
    assert.ok(rows[index].includes(message.arrow.label), rows[index]);
    assert.ok(content.includes(message.arrow.label));
    for (const detail of message.arrow.details) assert.ok(rows[index].includes(detail.name), rows[index]);
  });
  await shot("run");
  if (given.strict) assert.ok(took <= 5000, `${took} ms`);
}

/** Journey 2: an empty file becomes a test by the form alone. */
async function author({page, go, shot}) {
  await go("#/tests");
  await page.getByRole("button", {name: "New…"}).click();
  await page.getByLabel("Name").fill("by_form");
  await page.getByRole("button", {name: "Make it"}).click();
  const palette = page.getByPlaceholder("InitialDP, rest, wait …");
  for (const word of ["ssp_to_scp.InitialDP", "ssp_from_scp.RequestReportBCSMEvent", "ssp_from_scp.ConnectToResource"]) {
    await palette.fill(word);
    await page.locator(".palette .offer").first().click();
    await page.getByRole("heading", {name: word}).waitFor();
  }
  // InitialDP as the catalogue's example has it, with the numbers of the sample's flow.
  await page.locator(".step-name").first().click();
  const field = page.getByLabel("calledPartyNumber_digits", {exact: true});
  await field.fill("0800432900");
  await field.press("Tab");
  await page.getByText("The whole test").click();
  await page.locator("details select.add").last().selectOption("ssp_ac");
  await page.getByLabel("ssp_ac", {exact: true}).fill("camel2");
  await page.getByLabel("ssp_ac", {exact: true}).press("Tab");
  await page.locator(".step-name").nth(1).click();
  for (const name of ["Remove arguments"]) {
    const remove = page.getByRole("button", {name});
    if (await remove.count()) await remove.click();
  }
  await page.locator(".step-name").nth(2).click();
  if (await page.getByRole("button", {name: "Remove arguments"}).count()) {
    await page.getByRole("button", {name: "Remove arguments"}).click();
  }
  await page.locator(".problem-list .v-pass").waitFor();
  await shot("tests");
  await page.getByRole("button", {name: "Save"}).click();
  await until("the file is saved", async () => (await page.locator("h1 em").count()) === 0);
  const saved = await ask("read", {path: "by_form.json"});
  await page.reload();
  await page.locator(".step-name").nth(2).waitFor();
  await page.getByRole("tab", {name: "JSON"}).click();
  await page.locator(".cm-content").waitFor();
  const shown = await page.evaluate(async () => (await (await fetch("/api/file?path=by_form.json")).json()).text);
  assert.equal(shown, saved);
  assert.equal((await ask("validate", {path: "by_form.json"})).status, 0);
  await page.getByRole("button", {name: "Try one"}).click();
  const verdict = page.locator("h1 .verdict");
  await until("a verdict", async () => !/running/.test(await verdict.innerText()));
  const said = (await verdict.innerText()).replace(/\W/g, "");
  const known = await ask("run", {path: "by_form.json"});
  assert.equal(said, known.verdict);
}

/** Journey 3: completion of a type in JSON, and a squiggle at the pointer of a problem. */
async function complete({page, go, shot, given}) {
  await ask("write", {path: "typed.json", text: '{\n  "operations": [\n    {"type": ""}\n  ]\n}\n'});
  await go("#/tests?file=typed.json&view=JSON");
  await page.locator(".cm-content").waitFor();
  await page.locator(".problem-list .v-error").first().waitFor();
  await page.evaluate(() => {
    globalThis.shownAfter = 0;
    const seen = new MutationObserver(() => {
      if (!globalThis.shownAfter && document.querySelector(".cm-tooltip-autocomplete li")) {
        globalThis.shownAfter = performance.now() - globalThis.typedAt;
      }
    });
    seen.observe(document.body, {childList: true, subtree: true});
    addEventListener("keydown", () => (globalThis.typedAt = performance.now()), true);
  });
  await page.locator(".cm-line").nth(2).click();
  await page.keyboard.press("End");
  for (let step = 0; step < 2; step += 1) await page.keyboard.press("ArrowLeft");
  // Before the closing quote.
  await page.keyboard.type("inap.ssp", {delay: 30});
  await page.waitForSelector(".cm-tooltip-autocomplete li");
  const took = await page.evaluate(() => globalThis.shownAfter);
  note("completion after ms", Math.round(took));
  const offered = await page.locator(".cm-tooltip-autocomplete li").allInnerTexts();
  assert.ok(offered.some((one) => one.includes("inap.ssp_to_scp")), offered.join("\n"));
  await shot("completion");
  if (given.strict) assert.ok(took <= 200, `${took} ms`);
  await page.keyboard.press("Enter");
  const text = await page.locator(".cm-content").innerText();
  assert.match(text, /\{"type": "inap\.ssp_[a-z_]+\.\w+"\}/);
  // A wrong value: the squiggle is where ValidateTest points.
  const wrong = '{\n  "operations": [\n    {"type": "wait", "arguments": {"seconds": "soon"}}\n  ]\n}\n';
  await ask("write", {path: "wrong.json", text: wrong});
  await go("#/tests?file=wrong.json&view=JSON");
  await page.locator(".cm-lintRange-error").waitFor();
  const marked = await page.locator(".cm-lintRange-error").first().innerText();
  const params = JSON.parse(wrong);
  const {problems} = await call(page, "local", "ValidateTest", params);
  const value = problems[0].pointer.split("/").slice(1).reduce((at, step) => at?.[step], params);
  assert.equal(marked, JSON.stringify(value), problems[0].pointer);
  // In the form it stands at its field.
  await go("#/tests?file=wrong.json&view=Form");
  const field = page.locator(".member.invalid", {has: page.getByLabel("seconds", {exact: true})}).last();
  assert.ok((await field.locator("p.problem").last().innerText()).includes(problems[0].text));
}

/** What is typed stays, however slow the machine: on one 20 times slower, faster than it draws. */
async function typing({given, page, context, go}) {
  await ask("write", {path: "typed.json", text: '{"operations": []}\n'});
  await go("#/tests?file=typed.json&view=JSON");
  await page.locator(".cm-content").waitFor();
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  const devtools = await context.newCDPSession(page);
  const words = [];
  for (const rate of [5, 20]) {
    await devtools.send("Emulation.setCPUThrottlingRate", {rate});
    for (let round = 0; round < given.rounds; round += 1) {
      const word = `word_${rate}_${round} `;
      await page.keyboard.type(word);
      words.push(word);
    }
  }
  await devtools.send("Emulation.setCPUThrottlingRate", {rate: 1});
  const shown = await page.locator(".cm-content").innerText();
  assert.equal(shown.trim(), `${words.join("")}{"operations": []}`);
}

/** Journey 4: a red check, its message, its octets; they decode to the value that is shown. */
async function wrong_octet({page, go, shot}) {
  const test = JSON.parse(await ask("read", {path: SAMPLE}));
  test.name = "wrong";
  test.operations[3].arguments.collectedInfo.collectedDigits.maximumNbOfDigits = 7;
  await ask("write", {path: "wrong_octet.json", text: JSON.stringify(test, null, 2)});
  await go("#/tests?file=wrong_octet.json");
  await page.getByRole("button", {name: "Try one"}).click();
  await page.waitForSelector("h1 .v-fail");
  const row = page.locator(".checks tr.c-fail").first();
  await row.getByRole("button").click();
  const got = await row.locator("td").nth(4).innerText();
  await page.waitForSelector("[data-lit]");
  const lit = await page.locator("[data-lit]").allInnerTexts();
  assert.equal(Number.parseInt(lit.join(""), 16), Number(got));
  assert.equal(await page.locator(".tree [aria-selected=true] > .item code").first().innerText(), got);
  assert.match(await page.locator(".tree .wrong em").first().innerText(), /expected 7/);
  assert.ok(await page.locator(".message[aria-selected=true].bad").count());
  await shot("instance");
  // And back: an octet leads to its value.
  await page.locator("[data-octet='5']").click();
  assert.equal(await page.locator(".tree [aria-selected=true] > .item b").first().innerText(), "otid");
}

/** Journey 9: a node more, an exit wired, checked, run; its way is lit; undo gives the octets back. */
async function flow({page, go, shot}) {
  const path = "flows/extension_dialing.json";
  const before = await ask("read", {path});
  await go(`#/flows?file=${path}`);
  await page.locator(".flow .node").first().waitFor();
  await page.getByLabel("Add an operation").selectOption("ReleaseCall");
  await page.locator(".flow .node").nth(5).waitFor();
  const form = page.getByRole("region", {name: "Operation 6"});
  await form.waitFor();
  // What is wrong stands at its field, until it is right.
  const cause = form.getByLabel("cause", {exact: true});
  const right = await cause.inputValue();
  for (const value of ["999", right]) {
    await cause.fill(value);
    await cause.press("Tab");
    const isWrong = value !== right;
    await until(`${value} is judged`, async () => (await form.locator(".member.invalid p.problem").count()) === Number(isWrong));
  }
  // Exit 2 of the ExtensionDialing is wired to it, with the mouse.
  const port = page.locator(".flow .node").nth(1).locator(".port").nth(2);
  const target = page.locator(".flow .node").nth(5).locator("rect");
  const [from, to] = [await port.boundingBox(), await target.boundingBox()];
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + 40, to.y + 20, {steps: 8});
  await page.mouse.up();
  // Nothing leads to operation 5 now: the check says so, and it is removed.
  await page.locator(".problem-list").getByRole("button", {name: "operations.5"}).click();
  await page.getByRole("region", {name: "Operation 5"}).getByRole("button", {name: "Remove", exact: true}).click();
  await page.locator(".problem-list .v-pass").waitFor();
  await shot("flows");
  await page.getByRole("button", {name: /^Save/}).click();
  await until("saved", async () => (await ask("read", {path})) !== before);
  const changed = JSON.parse(await ask("read", {path}));
  assert.equal(changed.operations["2"].exits[2], 6);
  assert.equal(changed.operations["6"].type, "ReleaseCall");
  assert.equal(changed.operations["5"], undefined);
  // A call whose number matches nothing leaves by that exit.
  const test = JSON.parse(await ask("read", {path: "extension_dialing_no_match.json"}));
  test.flow = changed;
  await ask("write", {path: "through.json", text: JSON.stringify(test)});
  await go("#/tests?file=through.json");
  await page.getByRole("button", {name: "Try one"}).click();
  await page.waitForSelector(".flow-paths a");
  await page.waitForSelector("h1 .verdict:not(.v-running)");
  const taken = await page.locator(".flow-paths li").first().innerText();
  const run = new URLSearchParams(page.url().split("?")[1]).get("run");
  await go(`#/flows?file=${path}&run=${encodeURIComponent(run)}&path=0`);
  await page.locator(".flow .node.lit").first().waitFor();
  const lit = await page.locator(".flow .node.lit .type").allTextContents();
  note("way", taken);
  assert.deepEqual(lit.map((one) => one.trim()), ["Start", "ExtensionDialing", "ReleaseCall"]);
  assert.equal(await page.locator(".flow .node.lit").nth(2).getAttribute("aria-label"), "ReleaseCall 6, on the way of the call");
  // Undo, step by step, gives the octets back.
  await ask("write", {path, text: before});
  await go("#/overview");
  await go(`#/flows?file=${path}`);
  await page.getByLabel("Add an operation").selectOption("ReleaseCall");
  await page.locator(".flow .node").nth(5).waitFor();
  await page.getByRole("button", {name: "Undo"}).click();
  await until("undone", async () => (await page.locator(".flow .node").count()) === 5);
  assert.ok(await page.getByRole("button", {name: /^Save/}).isDisabled());
}

/** Journey 11: the file was changed on the disk meanwhile: both are shown, neither is lost. */
async function conflict({page, go, shot}) {
  const mine = '{"name": "mine", "operations": [{"type": "pass"}]}';
  const theirs = '{"name": "theirs", "operations": [{"type": "pass"}]}';
  for (const choice of ["mine", "theirs"]) {
    await ask("write", {path: "shared.json", text: '{"name": "first", "operations": [{"type": "pass"}]}'});
    await go("#/overview");
    await go("#/tests?file=shared.json&view=JSON");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(mine);
    await ask("write", {path: "shared.json", text: theirs});
    await page.getByRole("button", {name: "Save"}).click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    const texts = await dialog.locator("pre").allInnerTexts();
    assert.deepEqual(texts, [theirs, mine]);
    assert.equal(await ask("read", {path: "shared.json"}), theirs);
    await shot("conflict");
    if (choice === "mine") {
      await dialog.getByRole("button", {name: "Write mine over it"}).click();
      await until("written", async () => (await ask("read", {path: "shared.json"})) === mine);
    } else {
      const download = page.waitForEvent("download");
      await dialog.getByRole("button", {name: /Take the one/}).click();
      const stream = await (await download).createReadStream();
      const parts = [];
      for await (const part of stream) parts.push(part);
      assert.equal(Buffer.concat(parts).toString(), mine);
      await until("taken", async () => (await page.locator(".cm-content").innerText()).includes("theirs"));
      assert.equal(await ask("read", {path: "shared.json"}), theirs);
    }
  }
}

/** What is on each page when it is complete. */
const READY = {
  overview: "main table",
  tests: ".problem-list .v-pass",
  json: ".cm-content",
  flows: ".flow .node",
  suite: "main table td",
  history: "main table td",
  compare: "figure",
  operations: ".help-page table",
  run: "figure",
  instance: ".octets",
};

/** The rules of axe that look at colours, of those that it has by itself. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** Journey 12: axe on every page, light and dark; without a mouse; charts have tables. */
async function accessible({page, go, shot}) {
  const begun = await call(page, "local", "ExecuteTest", {
    run_id: "for axe",
    operations: [{type: "wait", arguments: {seconds: 0.02}}, {type: "fail"}],
    distribution: {type: "linear", total: 60, backlog: 10, cps: 30},
  });
  assert.ok(begun);
  await call(page, "local", "QueryTest", {run_id: "for axe", collect: 0, wait_s: 20});
  await call(page, "local", "ExecuteTest", {run_id: "axe again", ...JSON.parse(await ask("read", {path: SAMPLE}))});
  await call(page, "local", "QueryTest", {run_id: "axe again", collect: 0, wait_s: 20});
  const {results} = await call(page, "local", "ListResults", {limit: 2});
  const [b, a] = results.map((one) => one.result_id);
  const pages = {
    overview: "#/overview",
    tests: `#/tests?file=${SAMPLE}`,
    json: `#/tests?file=${SAMPLE}&view=JSON`,
    flows: "#/flows?file=flows/extension_dialing.json",
    suite: "#/suite",
    history: "#/history",
    compare: `#/compare?a=${a}&b=${b}`,
    operations: "#/operations?type=inap.ssp_to_scp.InitialDP",
    run: "#/run?run=for%20axe",
    instance: "#/instance?run=axe%20again&instance=0",
  };
  // In dark the document is the same one, and colours are all that can differ.
  for (const [scheme, rules] of [["light"], ["dark", COLOURS]]) {
    await page.emulateMedia({colorScheme: scheme});
    for (const [name, hash] of Object.entries(pages)) {
      await go(hash);
      await page.locator(READY[name]).first().waitFor();
      await shot(`${name}-${scheme}`);
      assert.deepEqual(await serious(page, rules), [], `${name}, ${scheme}`);
      assert.deepEqual(await skewed(page), [], `${name}, ${scheme}`);
    }
  }
  await themes(page);
  await page.setViewportSize({width: 420, height: 800});
  for (const [name, hash] of Object.entries(pages)) {
    await go(hash);
    await page.locator(READY[name]).first().waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await shot(`${name}-small`);
    assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the window`);
  }
  await page.setViewportSize({width: 1400, height: 900});
  await go("#/run?run=for%20axe");
  const table = page.getByRole("figure").first().getByRole("button", {name: "table"});
  await table.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("figure").first().getByRole("table").waitFor();
  assert.deepEqual(await skewed(page), [], "the chart as a table");
}

/** Returns the heads of columns that stand to another side than what is below them. */
async function skewed(page) {
  return page.evaluate(() => {
    const side = (cell) => (cell === undefined ? "nothing" : getComputedStyle(cell).textAlign);
    return [...document.querySelectorAll("table")].flatMap((table) => {
      const [row] = table.tBodies[0]?.rows ?? [];
      const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
      return heads.filter((head, at) => row && (side(head) === "right") !== (side(row.cells[at]) === "right")).map((head) => head.textContent);
    });
  });
}

/** Colours: of the system, as soon as it changes, or those that were chosen, from the first one on. */
async function themes(page) {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [light, dark] = ["rgb(255, 255, 255)", "rgb(21, 25, 30)"];
  for (const [scheme, colour] of [["dark", dark], ["light", light], ["dark", dark]]) {
    await page.emulateMedia({colorScheme: scheme});
    await until(`as the system: ${scheme}`, async () => (await paper()) === colour);
  }
  await page.getByLabel("Colours").selectOption("light");
  assert.equal(await paper(), light);
  await page.emulateMedia({colorScheme: "light"});
  await page.getByLabel("Colours").selectOption("dark");
  await page.reload();
  await page.getByLabel("Colours").waitFor();
  assert.equal(await paper(), dark);
  await page.getByLabel("Colours").selectOption("auto");
  assert.equal(await paper(), light);
  // Before it is known which one it is, nothing is painted over what the browser has for the system.
  const bare = await page.evaluate(() => {
    delete document.documentElement.dataset.theme;
    return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.documentElement).colorScheme];
  });
  assert.deepEqual(bare, ["rgba(0, 0, 0, 0)", "normal"]);
  await page.reload();
}

export const journeys = {try_one, author, complete, typing, wrong_octet, flow, conflict, accessible};

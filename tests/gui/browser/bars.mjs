// The bars of the GUI that only a browser can measure; each notes numbers, none is judged here.

import {createRequire} from "node:module";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {call, note, until} from "./driver.mjs";

const GUI = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "gui");

/** The first number of a run in progress, from the address on, in a browser that knows nothing. */
async function first_value({browser, context, base}) {
  const cookies = await context.cookies();
  const found = [];
  for (let round = 0; round < 5; round += 1) {
    const fresh = await browser.newContext();
    await fresh.addCookies(cookies);
    const page = await fresh.newPage();
    const begun = performance.now();
    await page.goto(`${base}/#/run?run=live`);
    await page.waitForFunction(() => {
      const text = document.querySelector(".facts dd")?.textContent ?? "";
      return Number(text.split(" of ")[0].replace(/\D/g, "")) > 0;
    });
    found.push(performance.now() - begun);
    await fresh.close();
  }
  note("first_value_ms", found);
}

/** Goes to an address and returns the time until something is so, in the page. */
function timed(page, hash, selector, pattern = "") {
  return page.evaluate(
    ([to, wanted, text]) =>
      new Promise((resolve) => {
        const begun = performance.now();
        const look = () => {
          const found = document.querySelector(wanted);
          if (found && new RegExp(text).test(found.textContent)) resolve(performance.now() - begun);
          else requestAnimationFrame(look);
        };
        if (to) addEventListener("hashchange", look, {once: true});
        else look();
        if (to) location.hash = to;
      }),
    [hash, selector, pattern],
  );
}

/** Scrolls the ladder from end to end and returns its frames and the most rows there were. */
function scrolled(page) {
  return page.evaluate(async () => {
    const box = document.querySelector(".rows");
    const frames = [];
    let most = 0;
    let last = performance.now();
    for (let step = 0; step <= 300; step += 1) {
      box.scrollTop = ((box.scrollHeight - box.clientHeight) * step) / 300;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      frames.push(now - last);
      last = now;
      most = Math.max(most, document.querySelectorAll(".message").length);
    }
    frames.sort((a, b) => a - b);
    return {p95: frames[Math.floor(frames.length * 0.95)], most};
  });
}

const ALL_READ = "^\\d+ of \\d+$";

/** A trace of ten thousand messages: opened, scrolled from end to end, looked into, searched. */
async function trace({page, go, given}) {
  let parts = 0;
  page.on("request", (request) => (parts += request.postData()?.includes('"GetTrace"') ? 1 : 0));
  await go("#/overview");
  const asked = performance.now();
  const {content} = await call(page, "local", "GetTrace", {run_id: given.run, instance: 0, format: "json", from: 0, count: 100, fields: ["portion"]});
  note("first_ms", performance.now() - asked);
  note("messages", content.portion.total);
  parts = 0;
  const address = `#/instance?run=${given.run}&instance=0`;
  note("open_ms", await timed(page, address, ".octets"));
  const once = await scrolled(page);
  await until("all of it is there", () => page.evaluate((all) => new RegExp(all).test(document.querySelector(".filters output").textContent), ALL_READ));
  const again = await scrolled(page);
  note("scroll_p95_ms", once.p95);
  note("again_p95_ms", again.p95);
  note("rows", Math.max(once.most, again.most));
  note("parts", parts);
  const chosen = [];
  for (const share of [0.5, 0.3, 0.7, 0.9, 0.4]) {
    await page.evaluate((to) => {
      const box = document.querySelector(".rows");
      box.scrollTop = box.scrollHeight * to;
    }, share);
    const id = await page.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return document.querySelectorAll(".message")[12].id;
    });
    chosen.push(
      await page.evaluate(
        (row) =>
          new Promise((resolve) => {
            const begun = performance.now();
            document.getElementById(row).click();
            const look = () => {
              const isChosen = document.querySelector(`#${row}[aria-selected=true]`);
              if (isChosen && document.querySelector(".octets")) resolve(performance.now() - begun);
              else requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
          }),
        id,
      ),
    );
  }
  note("chosen_ms", chosen.sort((a, b) => a - b)[2]);
  await go("#/overview");
  await timed(page, address, ".octets");
  const begun = performance.now();
  await page.getByLabel("Text", {exact: true}).fill("oAbandon");
  await timed(page, "", ".filters output", ALL_READ);
  note("searched_ms", performance.now() - begun);
}

const HOUR = 3600;
const HOURS = 8;
const A_FRAME = 12; // looks that come between two frames: a second of them is a day's minute

/** Eight hours of a run, as the SharedWorker would give them; the heap of the tab each hour. */
async function heap({context, go}) {
  const {build} = await import(createRequire(join(GUI, "package.json")).resolve("esbuild"));
  const made = await build({
    stdin: {contents: 'export * from "./src/core/feedline"', resolveDir: GUI, loader: "ts"},
    bundle: true,
    write: false,
    format: "iife",
    globalName: "Feedline",
  });
  // A script of the page has a scope of its own: what is used later goes to the window.
  await context.addInitScript(`${made.outputFiles[0].text}
    globalThis.Feedline = Feedline;
    globalThis.ports = [];
    globalThis.SharedWorker = class {
      constructor() {
        this.port = {postMessage: () => globalThis.ports.push(this.port), onmessage: null};
      }
    };`);
  const page = await context.newPage();
  await go("#/run?run=eight&daemon=local", page);
  await until("the page listens", () => page.evaluate(() => globalThis.ports.length));
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  const used = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const {metrics} = await session.send("Performance.getMetrics");
    return metrics.find((one) => one.name === "JSHeapUsedSize").value / 2 ** 20;
  };
  const found = [];
  for (let hour = 0; hour < HOURS; hour += 1) {
    await page.evaluate(
      async ([from, to, aFrame]) => {
        const begun = 1_700_000_000;
        globalThis.seen ??= Feedline.nothing({daemon: "local", run: "eight"});
        const bucket = (t, whole) => ({t, num_calls_started: 500, num_calls_finished: 500, failed: t % 7, aborted: 0, in_progress: whole, max_ms: 20 + (t % 13), p99_ms: 12 + (t % 5)});
        for (let t = from; t < to; t += 1) {
          const counts = {planned: t * 500, started: t * 500, finished: t * 500 - 5, passed: t * 490, failed: t * 10 - 5, aborted: 0, cancelled: 0, in_progress: 5};
          const percentiles = {count: t * 500, p50_ms: 10 + (t % 3), p99_ms: 15 + (t % 4)};
          const run = {
            run_id: "eight", name: "eight hours", type: "linear", completed: 0, state: "running", verdict: "fail",
            time_start: [begun, 0], counts, plan: {total: 20000000, seconds_left: 28800 - t, current_cps: 500},
            rate: {asked: 500, achieved: 500, planned: t * 500, started: t * 500, never_started: 0, paused: 0, limited_by: null, lateness_ms: {p50: 0.2, p99: 1 + (t % 3) / 10}},
            latency: {response: percentiles, service: percentiles}, bucket_s: 1,
            buckets: [...(t ? [bucket(t - 1, 5)] : []), bucket(t, 4)],
          };
          Feedline.take(globalThis.seen, {at: begun + t + 0.5, up: true, full: t === 0, run});
          if (t % 4 === 0) {
            const port = globalThis.ports.at(-1);
            port.onmessage({data: structuredClone({states: [globalThis.seen], streams: 1})});
          }
          if (t % aFrame === 0) await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      },
      [hour * HOUR, (hour + 1) * HOUR, A_FRAME],
    );
    found.push(await used());
  }
  note("heap_mib", found);
  note("points", await page.evaluate(() => globalThis.seen.buckets.t.length));
}

/** The history over a large archive: from a filter to its rows. */
async function history({page, go}) {
  const filters = ["", "?text=busy", "?name=of%20the%20archive", "?verdict=fail", "?text=000123"];
  await go("#/history");
  await page.locator("main table td").first().waitFor();
  const found = [];
  const asked = [];
  for (let round = 0; round < 5; round += 1) {
    for (const filter of filters) {
      await page.evaluate(() => (location.hash = "#/compare"));
      await page.getByText("Choose two results").waitFor();
      found.push(
        await page.evaluate(
          (hash) =>
            new Promise((resolve) => {
              const begun = performance.now();
              const look = () => {
                if (document.querySelector(".page-history table td") || document.querySelector(".page-history .empty")?.textContent.startsWith("No such")) resolve(performance.now() - begun);
                else requestAnimationFrame(look);
              };
              location.hash = hash;
              requestAnimationFrame(look);
            }),
          `#/history${filter}`,
        ),
      );
      asked.push(await page.evaluate(() => performance.getEntriesByType("resource").findLast((one) => one.name.endsWith("/api/call")).duration));
      await page.evaluate(() => performance.clearResourceTimings());
    }
  }
  note("history_ms", found);
  note("asked_ms", asked);
}

export const journeys = {first_value, trace, heap, history};

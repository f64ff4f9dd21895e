// Builds what the server sends into ../tsvc/gui/static: hashed names, a .gz beside each file, and
// the licences of what is not ours. --twice builds two times and compares; --tests bundles test/.

import {createHash} from "node:crypto";
import {existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {basename, dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {gzipSync} from "node:zlib";
import {build} from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const TARGET = join(HERE, "..", "tsvc", "gui", "static");

const COMMON = {
  absWorkingDir: HERE,
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  target: ["chrome115", "firefox128"],
  jsx: "automatic",
  jsxImportSource: "preact",
  metafile: true,
};

/** Builds everything into a folder that is emptied first; returns the packages that went in. */
async function buildInto(folder) {
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  const worker = await build({
    ...COMMON,
    entryPoints: {worker: "src/core/worker.ts"},
    format: "iife",
    outdir: folder,
    entryNames: "[name]-[hash]",
  });
  const workerName = basename(Object.keys(worker.metafile.outputs)[0]);
  const pages = await build({
    ...COMMON,
    entryPoints: {main: "src/main.tsx", style: "src/style.css"},
    format: "esm",
    splitting: true,
    outdir: folder,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    define: {WORKER_URL: JSON.stringify(`/static/${workerName}`)},
  });
  const names = Object.keys(pages.metafile.outputs).map((path) => basename(path));
  const named = (start, end) => names.find((name) => name.startsWith(start) && name.endsWith(end));
  let page = readFileSync(join(HERE, "src", "index.html"), "utf8");
  page = page.replace("{{style}}", `/static/${named("style-", ".css")}`);
  page = page.replace("{{main}}", `/static/${named("main-", ".js")}`);
  writeFileSync(join(folder, "index.html"), page);
  const inputs = [...Object.keys(worker.metafile.inputs), ...Object.keys(pages.metafile.inputs)];
  writeFileSync(join(folder, "THIRD_PARTY.txt"), licences(inputs));
  for (const name of readdirSync(folder).sort()) {
    if (!/\.(js|css|txt)$/.test(name)) continue;
    const octets = gzipSync(readFileSync(join(folder, name)), {level: 9});
    octets[9] = 255; // the system it was packed on, RFC 1952 2.3.1: unknown
    writeFileSync(join(folder, `${name}.gz`), octets);
  }
  return pages.metafile;
}

/** Returns the names, versions and licence texts of the packages that files came from. */
function licences(inputs) {
  const found = new Set();
  for (const path of inputs) {
    const match = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (match) found.add(match[1]);
  }
  const parts = [...found].sort().map((name) => {
    const folder = join(HERE, "node_modules", name);
    const {version, license} = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return parts.join(`\n${"-".repeat(72)}\n\n`);
}

/** Returns the octets of each file of a folder as one hash a file. */
function hashes(folder) {
  const hash = (name) => createHash("sha256").update(readFileSync(join(folder, name))).digest("hex");
  return readdirSync(folder).sort().map((name) => `${hash(name)}  ${name}`).join("\n");
}

/** Prints the octets, packed, of what a page loads at first and of what comes when it is wanted. */
function sizes(folder, metafile) {
  const packed = (path) => readFileSync(join(folder, `${basename(path)}.gz`)).length;
  const outputs = metafile.outputs;
  const main = Object.keys(outputs).find((path) => basename(path).startsWith("main-"));
  const first = new Set();
  const follow = (path) => {
    if (first.has(path)) return;
    first.add(path);
    for (const one of outputs[path].imports) if (one.kind === "import-statement") follow(one.path);
  };
  follow(main);
  const style = Object.keys(outputs).find((path) => path.endsWith(".css"));
  const sum = [...first, style].reduce((total, path) => total + packed(path), 0);
  console.log(`first load ${(sum / 1024).toFixed(1)} KiB packed`);
  for (const path of Object.keys(outputs)) {
    if (first.has(path) || path === style || packed(path) < 4096) continue;
    console.log(`  later ${basename(path)} ${(packed(path) / 1024).toFixed(1)} KiB packed`);
  }
}

async function buildTests() {
  const folder = join(HERE, "build", "test");
  rmSync(folder, {recursive: true, force: true});
  const names = readdirSync(join(HERE, "test")).filter((name) => /\.(test|script)\.ts$/.test(name));
  await build({
    ...COMMON,
    minify: false,
    platform: "node",
    target: "node18",
    mainFields: ["module", "main"], // as for browsers
    format: "esm",
    entryPoints: names.map((name) => join("test", name)),
    outdir: folder,
    outExtension: {".js": ".mjs"},
  });
}

if (!existsSync(join(HERE, "node_modules"))) {
  console.error("the packages are missing: npm ci");
  process.exit(1);
}
if (process.argv.includes("--tests")) {
  await buildTests();
} else if (process.argv.includes("--twice")) {
  const [one, two] = [1, 2].map(() => mkdtempSync(join(tmpdir(), "tsvc-gui-")));
  await buildInto(one);
  await buildInto(two);
  const same = hashes(one) === hashes(two);
  for (const folder of [one, two]) rmSync(folder, {recursive: true});
  console.log(same ? "two builds are equal" : "two builds differ");
  process.exit(same ? 0 : 1);
} else {
  sizes(TARGET, await buildInto(TARGET));
}

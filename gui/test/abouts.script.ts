/**
 * Reads traces as GetTrace gives them, a list of contents, and writes for each check which message
 * it is about and which octets are shown for it: what tests/gui/test_ladder_model.py judges.
 */

import {readFileSync} from "node:fs";
import {isObject, parse} from "../src/core/json";
import {aboutWhat, receivedOf} from "../src/ladder/about";
import {spanOf, traceOf} from "../src/ladder/model";

const contents = parse(readFileSync(0, "utf8"));
if (!Array.isArray(contents)) throw new TypeError("not a list of traces");
const found = contents.filter(isObject).map((content) => {
  const trace = traceOf(content);
  const received = receivedOf(trace.messages, trace.checks);
  return trace.checks.map((check) => {
    const about = aboutWhat(received, check);
    const message = about === null ? undefined : trace.messages[about.message];
    const span = message && about?.path ? spanOf(message, about.path) : null;
    const octets = span && message ? message.hex.slice(span.start * 2, (span.start + span.length) * 2) : null;
    return {message: about?.message ?? null, path: about?.path ?? null, octets, span: span?.path ?? null};
  });
});
process.stdout.write(JSON.stringify(found));

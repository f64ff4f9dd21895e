/** The archive: filtered, a page at a time; two of its results can be compared. */

import type {JSX} from "preact";
import {useState} from "preact/hooks";
import {call, query} from "../core/api";
import {clock, count, duration, wall} from "../core/format";
import {isObject, type JsonObject, listAt, numberAt, objectAt, textAt} from "../core/json";
import {amend, go, href} from "../core/router";
import {Button, Columns, Empty, Field, Problem, useLoaded, Verdict} from "../ui/parts";
import {usePage} from "./context";

const PAGE = 50;

export function HistoryPage({members}: {members: Record<string, string>}): JSX.Element {
  const {daemon} = usePage();
  const [chosen, setChosen] = useState<number[]>([]);
  const filter = {
    text: members["text"] ?? "",
    name: members["name"] ?? "",
    verdict: members["verdict"] ?? "",
    from: members["from"] ?? "",
    to: members["to"] ?? "",
    before: members["before"] ?? "",
  };
  const key = `${daemon} ${JSON.stringify(filter)}`;
  const {value, problem} = useLoaded(key, () => call(daemon, "ListResults", paramsOf(filter)));
  const results = listAt(value, "results").filter(isObject);
  const choose = (id: number): void => {
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2));
  };
  const [first, second] = [...chosen].sort((a, b) => a - b);
  const last = numberAt(results.at(-1), "result_id");
  const set = (name: string) => (event: Event) => {
    amend({[name]: (event.currentTarget as HTMLInputElement).value, before: null});
  };
  return (
    <>
      <h1>History</h1>
      <div class="fields" role="search" aria-label="Filter results">
        <Field label="In run, name or client">
          {(id) => <input id={id} type="search" value={filter.text} onChange={set("text")} />}
        </Field>
        <Field label="Name of the definition">
          {(id) => <input id={id} type="search" value={filter.name} onChange={set("name")} />}
        </Field>
        <Field label="Verdict">
          {(id) => (
            <select id={id} value={filter.verdict} onChange={set("verdict")}>
              <option value="">any</option>
              {["pass", "fail", "abort", "cancelled"].map((one) => <option key={one}>{one}</option>)}
            </select>
          )}
        </Field>
        <Field label="Began from">{(id) => <input id={id} type="datetime-local" value={filter.from} onChange={set("from")} />}</Field>
        <Field label="Began before">{(id) => <input id={id} type="datetime-local" value={filter.to} onChange={set("to")} />}</Field>
        <Button
          kind="main"
          disabled={first === undefined || second === undefined}
          onClick={() => go("compare", {daemon, a: first, b: second})}
        >
          Compare {chosen.length} of 2
        </Button>
      </div>
      <Problem text={problem} />
      {value ? (
        results.length ? (
          <ResultTable results={results} chosen={chosen} onChoose={choose} />
        ) : (
          <Empty>No such result.</Empty>
        )
      ) : problem ? null : (
        <Empty>Reading the archive …</Empty>
      )}
      <p class="pages">
        {filter.before ? <a href={href("history", {...members, before: null})}>Latest</a> : null}
        {results.length === PAGE ? <a href={href("history", {...members, before: last})}>Older</a> : null}
      </p>
    </>
  );
}

function paramsOf(filter: Record<string, string>): JsonObject {
  const params: JsonObject = {limit: PAGE};
  for (const name of ["text", "name", "verdict"]) if (filter[name]) params[name] = filter[name];
  for (const name of ["from", "to"]) {
    const seconds = new Date(filter[name] ?? "").getTime() / 1000;
    if (Number.isFinite(seconds)) params[name] = seconds;
  }
  if (filter["before"]) params["before"] = Number(filter["before"]);
  return params;
}

interface TableProps {
  results: JsonObject[];
  chosen?: readonly number[];
  onChoose?: (id: number) => void;
}

const FORMATS = ["html", "junit", "gtest", "csv", "pcap", "json"];

export function ResultTable({results, chosen = [], onChoose}: TableProps): JSX.Element {
  const {daemon} = usePage();
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Results">
      <table>
        <Columns
          names={[...(onChoose ? ["compare"] : []), "run", "verdict", "began", "took", "passed", "failed", "client", ...(onChoose ? ["export"] : [])]}
          numbers={["took", "passed", "failed"]}
        />
        <tbody>
          {results.map((one) => {
            const id = numberAt(one, "result_id") ?? 0;
            const run = textAt(one, "run_id");
            const counts = objectAt(one, "counts");
            const isLost = textAt(one, "state") === "lost";
            const name = textAt(one, "name") || run;
            return (
              <tr key={id}>
                {onChoose ? (
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Compare ${name}, result ${id}`}
                      checked={chosen.includes(id)}
                      onChange={() => onChoose(id)}
                    />
                  </td>
                ) : null}
                <td>
                  {isLost ? name : <a href={href("run", {daemon, result: id})}>{name}</a>} <small>{run}</small>
                </td>
                <td>
                  <Verdict of={isLost ? "lost" : textAt(one, "verdict")} />
                </td>
                <td>{clock(wall(one, "time_start"))}</td>
                <td class="number">{duration(numberAt(one, "duration"))}</td>
                <td class="number">{count(numberAt(counts, "passed"))}</td>
                <td class="number">{count((numberAt(counts, "failed") ?? 0) + (numberAt(counts, "aborted") ?? 0))}</td>
                <td>{textAt(one, "client")}</td>
                {onChoose ? (
                  <td class="exports">
                    {FORMATS.map((format) => (
                      <a key={format} href={`/api/export?${query({daemon, result: id, format, name})}`} download aria-label={`${format} of result ${id}`}>
                        {format}
                      </a>
                    ))}
                  </td>
                ) : null}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

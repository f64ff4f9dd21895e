/** Two results side by side: verdicts, numbers, charts over each other, what differs. */

import type {JSX} from "preact";
import {useMemo} from "preact/hooks";
import {Chart, type ChartData} from "../charts/chart";
import {type BUCKET_COLUMNS, fold, noBuckets, perSecond} from "../charts/series";
import {call} from "../core/api";
import {brief, clock, shown, wall} from "../core/format";
import {isObject, type Json, type JsonObject, listAt, numberAt, objectAt, textAt} from "../core/json";
import {href} from "../core/router";
import {Columns, Empty, Problem, useLoaded, Verdict} from "../ui/parts";
import {usePage} from "./context";

export function ComparePage({members}: {members: Record<string, string>}): JSX.Element {
  const {daemon} = usePage();
  const [a, b] = [Number(members["a"]), Number(members["b"])];
  const isAsked = a > 0 && b > 0;
  const key = isAsked ? `${daemon} ${a} ${b}` : null;
  const compared = useLoaded(key, () => call(daemon, "CompareResults", {a, b}));
  const whole = useLoaded(key, () =>
    Promise.all([call(daemon, "GetResult", {result_id: a}), call(daemon, "GetResult", {result_id: b})]),
  );
  if (!isAsked) {
    return (
      <>
        <h1>Compare</h1>
        <Empty>
          Choose two results in the <a href={href("history")}>history</a>.
        </Empty>
      </>
    );
  }
  if (compared.problem) return <Problem text={compared.problem} />;
  if (!compared.value) return <Empty>Comparing …</Empty>;
  const found = compared.value;
  return (
    <>
      <h1>Compare</h1>
      <Heads found={found} a={a} b={b} />
      <Metrics found={found} />
      {whole.value ? <Overlaid a={whole.value[0]} b={whole.value[1]} /> : null}
      <Operations found={found} />
      <Thresholds found={found} />
      <Failures found={found} />
      <FirstCheck found={found} a={a} b={b} />
      <Definitions found={found} />
    </>
  );
}

function Heads({found, a, b}: {found: JsonObject; a: number; b: number}): JSX.Element {
  const {daemon} = usePage();
  return (
    <div class="both heads">
      {([["a", a], ["b", b]] as const).map(([name, id]) => {
        const one = objectAt(found, name);
        return (
          <section key={name} aria-label={`Result ${name}`}>
            <h2>
              {name}: <Verdict of={textAt(one, "verdict")} /> <a href={href("run", {daemon, result: id})}>{textAt(one, "name") || textAt(one, "run_id")}</a>
            </h2>
            <p>
              {textAt(one, "run_id")}, {clock(wall(one, "time_start"))}
            </p>
          </section>
        );
      })}
      {numberAt(objectAt(found, "verdict"), "is_worse") ? (
        <p class="notice">
          <Verdict of="fail" text="b is worse" />
        </p>
      ) : null}
    </div>
  );
}

function Metrics({found}: {found: JsonObject}): JSX.Element {
  return (
    <table>
      <caption>Numbers</caption>
      <Columns names={["metric", "a", "b", "Δ", "Δ %"]} numbers={["a", "b", "Δ", "Δ %"]} />
      <tbody>
        {listAt(found, "metrics").map((one) => (
          <tr key={textAt(one, "name")}>
            <td>
              {textAt(one, "name")} <small>{textAt(one, "unit")}</small>
            </td>
            <td class="number">{brief(numberAt(one, "a"))}</td>
            <td class="number">{brief(numberAt(one, "b"))}</td>
            <td class="number" data-delta={textAt(one, "name")}>
              <Delta one={one} of={numberAt(one, "delta")} />
            </td>
            <td class="number">
              <Delta one={one} of={numberAt(one, "percent")} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Delta({one, of}: {one: Json; of: number | null}): JSX.Element {
  const better = textAt(one, "better");
  if (of === null || of === 0) return <>{brief(of)}</>;
  const isGood = (better === "lower" && of < 0) || (better === "higher" && of > 0);
  const sign = of > 0 ? "+" : "−";
  const text = `${sign}${brief(Math.abs(of))}`;
  if (!better) return <>{text}</>;
  return (
    <span class={isGood ? "good" : "worse"} title={isGood ? "better" : "worse"}>
      {isGood ? "▲" : "▼"} {text}
    </span>
  );
}

function Overlaid({a, b}: {a: JsonObject; b: JsonObject}): JSX.Element {
  const charts = useMemo(() => [overlaid(a, b, "started", "Rate", "started per second"), overlaid(a, b, "p99_ms", "Duration of those that ended, p99", "ms")], [a, b]);
  return (
    <div class="charts">
      {charts.map((data) => (
        <Chart key={data.title} data={data} sync="compare" />
      ))}
    </div>
  );
}

function overlaid(a: JsonObject, b: JsonObject, name: (typeof BUCKET_COLUMNS)[number], title: string, unit: string): ChartData {
  const both = [a, b].map((one) => {
    const buckets = noBuckets();
    fold(buckets, one, true);
    const values = name === "p99_ms" ? buckets.columns[name] : perSecond(buckets, name);
    return new Map(buckets.t.map((t, index) => [t, values[index] ?? null]));
  });
  const t = [...new Set(both.flatMap((one) => [...one.keys()]))].sort((one, other) => one - other);
  return {
    title,
    unit,
    t,
    lines: both.map((one, index) => ({
      name: index ? "b" : "a",
      values: t.map((at) => one.get(at) ?? null),
      color: index ? "line-2" : "line-1",
      ...(index ? {dash: [4, 3]} : {}),
    })),
  };
}

function Operations({found}: {found: JsonObject}): JSX.Element | null {
  const list = listAt(found, "operations");
  if (!list.length) return null;
  return (
    <table>
      <caption>Waiting for peers, p99 in ms</caption>
      <Columns names={["op", "name", "a", "b", "Δ %"]} numbers={["op", "a", "b", "Δ %"]} />
      <tbody>
        {list.map((one, index) => (
          <tr key={index}>
            <td class="number">{numberAt(one, "op")}</td>
            <td>{textAt(one, "name")}</td>
            <td class="number">{brief(numberAt(one, "a_p99_ms"))}</td>
            <td class="number">{brief(numberAt(one, "b_p99_ms"))}</td>
            <td class="number">{brief(numberAt(one, "percent"))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Thresholds({found}: {found: JsonObject}): JSX.Element | null {
  const list = listAt(found, "thresholds").filter(isObject);
  if (!list.length) return null;
  const met = (value: Json | undefined): JSX.Element | string =>
    typeof value === "boolean" ? <Verdict of={value ? "pass" : "fail"} text={value ? "met" : "missed"} /> : "–";
  return (
    <table>
      <caption>Thresholds</caption>
      <Columns names={["threshold", "a", "b"]} />
      <tbody>
        {list.map((one, index) => (
          <tr key={index}>
            <td>
              {textAt(one, "metric")} {textAt(one, "op")} {shown(one["value"])}
            </td>
            <td>{met(one["a"])}</td>
            <td>{met(one["b"])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Failures({found}: {found: JsonObject}): JSX.Element | null {
  const list = listAt(found, "failures");
  if (!list.length) return null;
  return (
    <table>
      <caption>Failures by cause</caption>
      <Columns names={["state", "op", "cause", "a", "b"]} numbers={["a", "b"]} />
      <tbody>
        {list.map((one, index) => (
          <tr key={index}>
            <td>
              <Verdict of={textAt(one, "state")} />
            </td>
            <td>{numberAt(one, "op") ?? "–"}</td>
            <td>{textAt(one, "cause")}</td>
            <td class="number">{numberAt(one, "a")}</td>
            <td class="number">{numberAt(one, "b")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FirstCheck({found, a, b}: {found: JsonObject; a: number; b: number}): JSX.Element {
  const {daemon} = usePage();
  const check = found["check"];
  if (!isObject(check)) return <p>The first instances were judged alike, check by check.</p>;
  const side = (name: "a" | "b", id: number): JSX.Element => {
    const one = check[name];
    return (
      <section>
        <h3>{name}</h3>
        {isObject(one) ? (
          <p>
            <Verdict of={textAt(one, "level")} text={textAt(one, "text")} />
            {"expected" in one ? <> expected <code>{shown(one["expected"])}</code>, got <code>{shown(one["got"])}</code></> : null}
          </p>
        ) : (
          <p>nothing</p>
        )}
        <a href={href("instance", {daemon, result: id, instance: 0})}>the instance</a>
      </section>
    );
  };
  return (
    <>
      <h2>First check that differs, number {numberAt(check, "index")}</h2>
      <div class="both">
        {side("a", a)}
        {side("b", b)}
      </div>
    </>
  );
}

function Definitions({found}: {found: JsonObject}): JSX.Element {
  const list = listAt(found, "definition").filter(isObject);
  if (!list.length) return <p>The definitions are the same.</p>;
  return (
    <table>
      <caption>Where the definitions differ</caption>
      <Columns names={["place", "a", "b"]} />
      <tbody>
        {list.map((one) => (
          <tr key={textAt(one, "pointer")}>
            <td>
              <code>{textAt(one, "pointer")}</code>
            </td>
            <td>
              <code>{shown(one["a"])}</code>
            </td>
            <td>
              <code>{shown(one["b"])}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The flow as a picture: nodes that can be dragged, exits that can be drawn to another node. */

import type {JSX} from "preact";
import {useRef, useState} from "preact/hooks";
import type {FlowOperation} from "../core/catalogue";
import {exitName, type FlowGraph, type FlowNode, type Lit} from "./graph";
import {HEIGHT, layOut, type Spot, widthFor} from "./layout";

interface Props {
  graph: FlowGraph;
  known: ReadonlyMap<string, FlowOperation>;
  chosen: number | null;
  lit: Lit | null;
  wrong: ReadonlySet<number>;
  dragged: Readonly<Record<string, Spot>>;
  isReadOnly: boolean;
  onChoose: (id: number | null) => void;
  onDrag: (id: number, spot: Spot) => void;
  onWire: (node: FlowNode, exit: number, target: number | null) => void;
}

interface Pull {
  node: FlowNode;
  exit: number | null; // null: the node itself is moved
  from: Spot;
  to: Spot;
}

export function FlowCanvas(props: Props): JSX.Element {
  const {graph, known, chosen, lit, wrong, dragged, isReadOnly, onChoose, onDrag, onWire} = props;
  const box = useRef<SVGSVGElement>(null);
  const [pull, setPull] = useState<Pull | null>(null);
  const namesOf = (node: FlowNode): string[] =>
    node.exits.map((_, exit) => exitName(known.get(node.type)?.exits ?? [], exit, node.exits.length));
  const widthOf = (node: FlowNode): number => widthFor(namesOf(node));
  const {spots, width, height} = layOut(graph, dragged, widthOf);
  const at = (event: PointerEvent): Spot => {
    const frame = box.current?.getBoundingClientRect();
    const scale = frame && frame.width ? width / frame.width : 1;
    return {x: (event.clientX - (frame?.left ?? 0)) * scale, y: (event.clientY - (frame?.top ?? 0)) * scale};
  };
  const spotOf = (node: FlowNode): Spot => {
    const spot = spots.get(node.id) ?? {x: 0, y: 0};
    if (pull?.exit !== null || pull.node.id !== node.id) return spot;
    return {x: Math.max(0, spot.x + pull.to.x - pull.from.x), y: Math.max(0, spot.y + pull.to.y - pull.from.y)};
  };
  const end = (event: PointerEvent): void => {
    if (!pull) return;
    const to = at(event);
    const isClick = Math.hypot(to.x - pull.from.x, to.y - pull.from.y) < 4;
    if (pull.exit === null) {
      if (!isClick) onDrag(pull.node.id, spotOf(pull.node));
    } else if (!isClick) {
      const target = graph.nodes.find((one) => {
        const spot = spots.get(one.id);
        return spot && to.x >= spot.x && to.x <= spot.x + widthOf(one) && to.y >= spot.y && to.y <= spot.y + HEIGHT;
      });
      onWire(pull.node, pull.exit, target?.id ?? null);
    }
    setPull(null);
  };
  const grip = (node: FlowNode, exit: number | null) => (event: PointerEvent): void => {
    if (isReadOnly && exit !== null) return;
    event.stopPropagation();
    const from = at(event);
    setPull({node, exit, from, to: from});
    onChoose(node.id);
  };
  const byId = new Map(graph.nodes.map((one) => [one.id, one]));
  return (
    <svg
      ref={box}
      class="flow"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="group"
      aria-label={`Flow ${graph.name}`}
      onPointerMove={(event) => pull && setPull({...pull, to: at(event)})}
      onPointerUp={end}
      onPointerLeave={() => setPull(null)}
    >
      <defs>
        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0 8 4 0 8z" />
        </marker>
      </defs>
      {graph.nodes.flatMap((node) =>
        node.exits.map((target, exit) => {
          const to = target === null ? undefined : byId.get(target);
          const isLit = lit?.edges.has(`${node.id} ${exit}`) === true;
          const from = portOf(spotOf(node), exit, node.exits.length, widthOf(node));
          return (
            <g key={`${node.id} ${exit}`} class={`edge${isLit ? " lit" : ""}${to ? "" : " loose"}`}>
              {to ? <path d={curve(from, spotOf(to), widthOf(to))} marker-end="url(#tip)" /> : <path d={`M${from.x} ${from.y}v14`} />}
            </g>
          );
        }),
      )}
      {graph.nodes.flatMap((node) =>
        namesOf(node).map((name, exit, {length}) => {
          const from = portOf(spotOf(node), exit, length, widthOf(node));
          const row = length > 2 ? exit % 2 : 0;
          return (
            <text key={`${node.id} ${exit}`} class="exit-name" x={from.x} y={from.y + 18 + row * 13}>
              {name}
            </text>
          );
        }),
      )}
      {graph.nodes.map((node) => {
        const spot = spotOf(node);
        const names = ["node"];
        if (node.id === chosen) names.push("chosen");
        if (lit?.nodes.has(node.id)) names.push("lit");
        if (wrong.has(node.id)) names.push("wrong");
        return (
          <g
            key={node.id}
            class={names.join(" ")}
            transform={`translate(${spot.x} ${spot.y})`}
            tabIndex={0}
            role="button"
            aria-pressed={node.id === chosen}
            aria-label={`${wrong.has(node.id) ? "✗ " : ""}${node.type} ${node.id}${node.label ? ` ${node.label.slice(0, 22)}` : ""}${lit?.nodes.has(node.id) ? ", on the way of the call" : ""}${wrong.has(node.id) ? ", has a problem" : ""}`}
            onPointerDown={grip(node, null)}
            onKeyDown={(event) => {
              if (event.key === "Enter" || event.key === " ") {
                onChoose(node.id);
                event.preventDefault();
              }
            }}
          >
            <rect width={widthOf(node)} height={HEIGHT} rx="6" />
            <text x="10" y="19" class="type">
              {wrong.has(node.id) ? "✗ " : ""}
              {node.type}{" "}
            </text>
            <text x="10" y="36" class="label">
              {node.id}
              {node.label ? ` ${node.label.slice(0, 22)}` : ""}
            </text>
            {isReadOnly
              ? null
              : node.exits.map((_, exit) => {
                  const port = portOf({x: 0, y: 0}, exit, node.exits.length, widthOf(node));
                  return <circle key={exit} class="port" cx={port.x} cy={port.y} r="6" onPointerDown={grip(node, exit)} />;
                })}
          </g>
        );
      })}
      {pull && pull.exit !== null ? (
        <path class="pull" d={`M${pull.from.x} ${pull.from.y}L${pull.to.x} ${pull.to.y}`} marker-end="url(#tip)" />
      ) : null}
    </svg>
  );
}

function portOf(spot: Spot, exit: number, count: number, width: number): Spot {
  return {x: spot.x + (width * (exit + 1)) / (count + 1), y: spot.y + HEIGHT};
}

function curve(from: Spot, to: Spot, width: number): string {
  const end = {x: to.x + width / 2, y: to.y - 1};
  const bend = Math.max(30, Math.abs(end.y - from.y) / 2);
  return `M${from.x} ${from.y}C${from.x} ${from.y + bend} ${end.x} ${end.y - bend} ${end.x} ${end.y}`;
}

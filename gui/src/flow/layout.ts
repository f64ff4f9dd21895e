/** Where nodes stand: by dagre, or where somebody has dragged them. */

import dagre from "@dagrejs/dagre";
import type {FlowGraph, FlowNode} from "./graph";

export const WIDTH = 172;
export const HEIGHT = 46;
const LETTER = 5.6; // of the names of exits, on average

export interface Spot {
  x: number;
  y: number;
}

/** Returns how wide a node must be for the names of its exits, which stand in two rows if there are more than two. */
export function widthFor(names: readonly string[]): number {
  const longest = Math.max(0, ...names.map((one) => one.length)) * LETTER + 10;
  const share = names.length > 2 ? longest / 2 : longest;
  return Math.max(WIDTH, Math.round(share * (names.length + 1)));
}

/** Returns the upper left corner of each node by its id, and the size of all. */
export function layOut(
  graph: FlowGraph,
  dragged: Readonly<Record<string, Spot>>,
  widthOf: (node: FlowNode) => number = () => WIDTH,
): {spots: Map<number, Spot>; width: number; height: number} {
  const drawn = new dagre.graphlib.Graph({multigraph: true});
  drawn.setGraph({rankdir: "TB", nodesep: 34, ranksep: 56, marginx: 16, marginy: 16});
  drawn.setDefaultEdgeLabel(() => ({}));
  const ids = new Set(graph.nodes.map((one) => one.id));
  for (const node of graph.nodes) drawn.setNode(String(node.id), {width: widthOf(node), height: HEIGHT});
  for (const node of graph.nodes) {
    node.exits.forEach((target, exit) => {
      if (target !== null && ids.has(target)) drawn.setEdge(String(node.id), String(target), {}, `${exit}`);
    });
  }
  dagre.layout(drawn);
  const at = new Map(graph.nodes.map((node) => [node.id, (drawn.node(String(node.id)) as {x: number; y: number})]));
  // Exits stand from left to right: of the picture and its mirror image, the one that crosses less.
  const middle = (drawn.graph() as {width?: number}).width ?? 0;
  if (crossings(graph, (id) => -(at.get(id)?.x ?? 0)) < crossings(graph, (id) => at.get(id)?.x ?? 0)) {
    for (const spot of at.values()) spot.x = middle - spot.x;
  }
  const spots = new Map<number, Spot>();
  let [width, height] = [300, 200];
  for (const node of graph.nodes) {
    const {x, y} = at.get(node.id) ?? {x: 0, y: 0};
    const spot = dragged[node.id] ?? {x: x - widthOf(node) / 2, y: y - HEIGHT / 2};
    spots.set(node.id, spot);
    width = Math.max(width, spot.x + widthOf(node) + 24);
    height = Math.max(height, spot.y + HEIGHT + 40);
  }
  return {spots, width, height};
}

/** Returns how many pairs of exits lead the other way round than they stand. */
function crossings(graph: FlowGraph, place: (id: number) => number): number {
  let found = 0;
  for (const node of graph.nodes) {
    const targets = node.exits.filter((one) => one !== null).map(place);
    targets.forEach((one, index) => {
      found += targets.slice(index + 1).filter((other) => other < one).length;
    });
  }
  return found;
}

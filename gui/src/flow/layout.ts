/** Where nodes stand: by dagre, or where somebody has dragged them. */

import dagre from "@dagrejs/dagre";
import type {FlowGraph} from "./graph";

export const WIDTH = 172;
export const HEIGHT = 46;

export interface Spot {
  x: number;
  y: number;
}

/** Returns the upper left corner of each node by its id, and the size of all. */
export function layOut(graph: FlowGraph, dragged: Readonly<Record<string, Spot>>): {spots: Map<number, Spot>; width: number; height: number} {
  const drawn = new dagre.graphlib.Graph({multigraph: true});
  drawn.setGraph({rankdir: "TB", nodesep: 34, ranksep: 56, marginx: 16, marginy: 16});
  drawn.setDefaultEdgeLabel(() => ({}));
  const ids = new Set(graph.nodes.map((one) => one.id));
  for (const node of graph.nodes) drawn.setNode(String(node.id), {width: WIDTH, height: HEIGHT});
  for (const node of graph.nodes) {
    node.exits.forEach((target, exit) => {
      if (target !== null && ids.has(target)) drawn.setEdge(String(node.id), String(target), {}, `${exit}`);
    });
  }
  dagre.layout(drawn);
  const spots = new Map<number, Spot>();
  let [width, height] = [300, 200];
  for (const node of graph.nodes) {
    const at = drawn.node(String(node.id)) as {x: number; y: number};
    const spot = dragged[node.id] ?? {x: at.x - WIDTH / 2, y: at.y - HEIGHT / 2};
    spots.set(node.id, spot);
    width = Math.max(width, spot.x + WIDTH + 24);
    height = Math.max(height, spot.y + HEIGHT + 40);
  }
  return {spots, width, height};
}

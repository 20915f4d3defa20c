//! Where the locations and edges of one function go in a drawing: layered, top to bottom.
//!
//! After Sugiyama, Tagawa and Toda ("Methods for Visual Understanding of Hierarchical System Structures", 1981), in
//! four steps: edges that close cycles are turned round; the longest path from the entry gives the layers; an edge gets
//! a bend in every layer that it crosses, its first one carries the label; sweeps order each layer by the mean position
//! of the neighbours, then more sweeps find x coordinates close to the neighbours' (an isotonic regression for each
//! layer, which keeps order and distances).

/// Horizontal distance between things of a layer.
const GAP: f64 = 18.0;
/// Vertical distance between layers.
const LAYER_GAP: f64 = 13.0;
/// More bends than this would take long and help nobody: the longest edges then go straight.
const MANY_BENDS: usize = 12_000;
const ORDER_SWEEPS: usize = 16;
const PLACE_SWEEPS: usize = 32;
/// Items visited in all sweeps of a kind, about: nobody will see how well a hundred thousand locations are placed.
const MOST_VISITS: usize = 1_000_000;

/// How much room something takes around its centre.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Room {
    pub left: f64,
    pub right: f64,
    pub height: f64,
}

/// A function's graph. Nodes are numbered in reverse post order.
pub(super) struct Input<'a> {
    pub nodes: &'a [Room],
    /// Source, target, and the room of the label.
    pub edges: &'a [(u32, u32, Room)],
}

/// A point, the centre of something.
pub(super) type Point = (f64, f64);

/// Where everything goes.
pub(super) struct Layout {
    pub nodes: Vec<Point>,
    /// How far it is empty to the left and right of each node, as x coordinates.
    pub free: Vec<(f64, f64)>,
    pub edges: Vec<Route>,
    pub width: f64,
    pub height: f64,
}

/// The way of an edge.
pub(super) struct Route {
    /// The bends from the source to the target, without the two themselves; empty for an edge from a node to itself.
    pub bends: Vec<Point>,
    /// The centre of the label; `None` for an edge from a node to itself, whose label belongs to the node.
    pub label: Option<Point>,
    /// It leads upwards.
    pub up: bool,
}

/// Places everything.
pub(super) fn layout(input: &Input<'_>) -> Layout {
    let mut layers = Layers::new(input);
    layers.order();
    layers.place();
    layers.finish(input)
}

/// A node, a label or a bend.
struct Item {
    layer: usize,
    room: Room,
    bend: bool,
    above: Vec<u32>,
    below: Vec<u32>,
    /// Position in its layer.
    rank: usize,
    x: f64,
}

struct Layers {
    items: Vec<Item>,
    /// Even layers have the nodes, odd ones the labels.
    layers: Vec<Vec<u32>>,
    /// The items of each edge, downwards; the label's is the one next to the source.
    chains: Vec<Vec<u32>>,
}

/// How many layers an edge may cross and get its bends, so that all such edges together have not too many.
fn longest_bent(spans: impl Iterator<Item = usize>) -> usize {
    let mut spans: Vec<usize> = spans.collect();
    spans.sort_unstable();
    let mut bends = 0;
    for (i, span) in spans.iter().enumerate() {
        bends += 2 * span;
        if bends > MANY_BENDS {
            return spans[..i].last().map_or(0, |shorter| (*shorter).min(span - 1));
        }
    }
    spans.last().copied().unwrap_or(0)
}

impl Layers {
    fn new(input: &Input<'_>) -> Layers {
        let n = input.nodes.len();
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (edge, &(from, _, _)) in input.edges.iter().enumerate() {
            out[from as usize].push(edge);
        }
        let mut depth = vec![0usize; n];
        for from in 0..n {
            for &edge in &out[from] {
                let to = input.edges[edge].1 as usize;
                if to > from {
                    depth[to] = depth[to].max(depth[from] + 1);
                }
            }
        }
        let longest =
            longest_bent(input.edges.iter().map(|e| depth[e.0 as usize].abs_diff(depth[e.1 as usize])));

        let height = depth.iter().max().map_or(0, |d| 2 * d + 1);
        let mut result = Layers {
            items: Vec::new(),
            layers: vec![Vec::new(); height],
            chains: vec![Vec::new(); input.edges.len()],
        };
        for (&room, depth) in input.nodes.iter().zip(&depth) {
            result.add(2 * depth, room, false);
        }
        for edges in &out {
            for &edge in edges {
                let (from, to, label) = input.edges[edge];
                if from == to {
                    continue;
                }
                let up = to < from;
                let (top, bottom) = if up { (to, from) } else { (from, to) };
                let (first, last) = (2 * depth[top as usize], 2 * depth[bottom as usize]);
                let labelled = if up { last - 1 } else { first + 1 };
                let mut previous = top;
                for layer in first + 1..last {
                    if layer != labelled && last - first > 2 * longest {
                        continue;
                    }
                    let room = if layer == labelled { label } else { Room::default() };
                    let item = result.add(layer, room, true);
                    result.connect(previous, item);
                    result.chains[edge].push(item);
                    previous = item;
                }
                result.connect(previous, bottom);
            }
        }
        result
    }

    fn add(&mut self, layer: usize, room: Room, bend: bool) -> u32 {
        let id = self.items.len() as u32;
        let rank = self.layers[layer].len();
        self.layers[layer].push(id);
        self.items.push(Item { layer, room, bend, above: vec![], below: vec![], rank, x: 0.0 });
        id
    }

    /// Edges that skip layers do not take part in the sweeps.
    fn connect(&mut self, top: u32, bottom: u32) {
        if self.items[top as usize].layer + 1 == self.items[bottom as usize].layer {
            self.items[top as usize].below.push(bottom);
            self.items[bottom as usize].above.push(top);
        }
    }

    fn sweeps(&self, most: usize) -> usize {
        (MOST_VISITS / self.items.len().max(1)).clamp(2, most)
    }

    /// Sweeps down and up by the mean rank of the neighbours; the order with the fewest crossings stays.
    fn order(&mut self) {
        let mut best = self.layers.clone();
        let mut fewest = self.crossings();
        for sweep in 0..self.sweeps(ORDER_SWEEPS) {
            if fewest == 0 {
                break;
            }
            let down = sweep % 2 == 0;
            for step in 0..self.layers.len() {
                let layer = if down { step } else { self.layers.len() - 1 - step };
                let key = |&id: &u32| {
                    let item = &self.items[id as usize];
                    let near = if down { &item.above } else { &item.below };
                    let sum: usize = near.iter().map(|&n| self.items[n as usize].rank).sum();
                    if near.is_empty() { item.rank as f64 } else { sum as f64 / near.len() as f64 }
                };
                let mut keyed: Vec<(f64, u32)> = self.layers[layer].iter().map(|id| (key(id), *id)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.layers[layer] = keyed.into_iter().map(|k| k.1).collect();
                self.rank(layer);
            }
            let crossings = self.crossings();
            if crossings < fewest {
                fewest = crossings;
                best = self.layers.clone();
            }
        }
        self.layers = best;
        (0..self.layers.len()).for_each(|layer| self.rank(layer));
    }

    fn rank(&mut self, layer: usize) {
        for (rank, &id) in self.layers[layer].iter().enumerate() {
            self.items[id as usize].rank = rank;
        }
    }

    /// Pairs of edges that cross: inversions between neighbouring layers, counted with a Fenwick tree.
    fn crossings(&self) -> usize {
        let mut total = 0;
        let mut tree: Vec<usize> = Vec::new();
        for pair in self.layers.windows(2) {
            tree.clear();
            tree.resize(pair[1].len() + 1, 0);
            let mut seen = 0;
            for &id in &pair[0] {
                let mut targets: Vec<usize> =
                    self.items[id as usize].below.iter().map(|&b| self.items[b as usize].rank).collect();
                targets.sort_unstable();
                for &target in &targets {
                    let (mut i, mut not_right) = (target + 1, 0);
                    while i > 0 {
                        not_right += tree[i];
                        i &= i - 1;
                    }
                    total += seen - not_right;
                }
                for target in targets {
                    seen += 1;
                    let mut i = target + 1;
                    while i < tree.len() {
                        tree[i] += 1;
                        i += i & i.wrapping_neg();
                    }
                }
            }
        }
        total
    }

    fn place(&mut self) {
        for layer in 0..self.layers.len() {
            let mut x = 0.0;
            for i in 0..self.layers[layer].len() {
                let item = &mut self.items[self.layers[layer][i] as usize];
                x += item.room.left;
                item.x = x;
                x += item.room.right + GAP;
            }
        }
        let sweeps = self.sweeps(PLACE_SWEEPS);
        for sweep in 0..sweeps {
            let last = sweep + 2 >= sweeps;
            for step in 0..self.layers.len() {
                let down = sweep % 2 == 0;
                let layer = if down { step } else { self.layers.len() - 1 - step };
                self.place_layer(layer, down || last, !down || last);
            }
        }
    }

    /// Moves the items of a layer as close to the mean of their neighbours as order and distances allow.
    fn place_layer(&mut self, layer: usize, above: bool, below: bool) {
        let ids = &self.layers[layer];
        // Blocks of items that touch: (sum of weight * position, weight, items), where positions do not count the room
        // that the items to the left need.
        let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(ids.len());
        let mut offsets = Vec::with_capacity(ids.len());
        let mut offset = 0.0;
        for (i, &id) in ids.iter().enumerate() {
            let item = &self.items[id as usize];
            if i > 0 {
                let before = &self.items[ids[i - 1] as usize].room;
                // Bends are thin: two lines may be closer than two boxes.
                offset += before.right + item.room.left + GAP;
            }
            offsets.push(offset);
            let (mut sum, mut weight) = (0.0, 0.0);
            let near = item.above.iter().filter(|_| above).chain(item.below.iter().filter(|_| below));
            for &n in near {
                let other = &self.items[n as usize];
                // Long edges shall be straight before short ones.
                let w = match (item.bend, other.bend) {
                    (true, true) => 8.0,
                    (true, false) | (false, true) => 2.0,
                    (false, false) => 1.0,
                };
                sum += w * other.x;
                weight += w;
            }
            if weight == 0.0 {
                (sum, weight) = (0.01 * item.x, 0.01);
            }
            blocks.push((sum - weight * offset, weight, 1));
            while let [.., a, b] = blocks[..]
                && a.0 / a.1 > b.0 / b.1
            {
                blocks.truncate(blocks.len() - 2);
                blocks.push((a.0 + b.0, a.1 + b.1, a.2 + b.2));
            }
        }
        let mut i = 0;
        for (sum, weight, count) in blocks {
            for _ in 0..count {
                self.items[ids[i] as usize].x = sum / weight + offsets[i];
                i += 1;
            }
        }
    }

    fn finish(self, input: &Input<'_>) -> Layout {
        let mut left = f64::INFINITY;
        let mut right = f64::NEG_INFINITY;
        for item in &self.items {
            left = left.min(item.x - item.room.left);
            right = right.max(item.x + item.room.right);
        }
        let mut y = 0.0;
        let mut centres = Vec::with_capacity(self.layers.len());
        for layer in &self.layers {
            let height = layer.iter().map(|&id| self.items[id as usize].room.height).fold(0.0, f64::max);
            centres.push(y + height / 2.0);
            y += height + LAYER_GAP;
        }
        let point = |id: u32| {
            let item = &self.items[id as usize];
            (item.x - left, centres[item.layer])
        };
        let routes = input.edges.iter().zip(&self.chains).map(|(&(from, to, _), chain)| {
            let up = to < from;
            let mut bends: Vec<Point> = chain.iter().map(|&id| point(id)).collect();
            if up {
                bends.reverse();
            }
            Route { label: bends.first().copied(), bends, up }
        });
        let free = self.items[..input.nodes.len()].iter().map(|item| {
            let beside = |rank: Option<usize>| {
                let id = rank.and_then(|r| self.layers[item.layer].get(r))?;
                Some(&self.items[*id as usize])
            };
            let (before, after) = (beside(item.rank.checked_sub(1)), beside(Some(item.rank + 1)));
            (
                before.map_or(0.0, |b| b.x + b.room.right - left),
                after.map_or(right - left, |a| a.x - a.room.left - left),
            )
        });
        Layout {
            nodes: (0..input.nodes.len() as u32).map(point).collect(),
            free: free.collect(),
            edges: routes.collect(),
            width: if left.is_finite() { right - left } else { 0.0 },
            height: (y - LAYER_GAP).max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: Room = Room { left: 15.0, right: 15.0, height: 30.0 };
    const LABEL: Room = Room { left: 30.0, right: 30.0, height: 14.0 };

    fn place(n: usize, edges: &[(u32, u32)]) -> Layout {
        let edges: Vec<_> = edges.iter().map(|&(a, b)| (a, b, LABEL)).collect();
        layout(&Input { nodes: &vec![NODE; n], edges: &edges })
    }

    #[test]
    fn a_chain_is_straight() {
        let l = place(3, &[(0, 1), (1, 2)]);
        assert!(l.nodes.iter().all(|p| p.0 == l.nodes[0].0));
        assert!(l.nodes.is_sorted_by(|a, b| a.1 + 30.0 < b.1));
        assert_eq!(l.width, 60.0);
    }

    #[test]
    fn nothing_overlaps_in_a_layer() {
        // A fan of eight branches that join, with an edge back and one past them all.
        let mut edges = vec![(0, 9), (9, 0)];
        for i in 1..9 {
            edges.extend([(0, i), (i, 9)]);
        }
        let l = place(10, &edges);
        for (p, free) in l.nodes.iter().zip(&l.free) {
            assert!(free.0 <= p.0 - NODE.left + 1e-6 && p.0 + NODE.right <= free.1 + 1e-6);
        }
        let mut boxes: Vec<(Point, Room)> = l.nodes.iter().map(|&p| (p, NODE)).collect();
        boxes.extend(l.edges.iter().filter_map(|e| e.label).map(|p| (p, LABEL)));
        for (i, (p, a)) in boxes.iter().enumerate() {
            assert!(p.0 - a.left >= -1e-6 && p.0 + a.right <= l.width + 1e-6);
            for (q, b) in &boxes[i + 1..] {
                let apart_x = p.0 + a.right <= q.0 - b.left || q.0 + b.right <= p.0 - a.left;
                let apart_y = (p.1 - q.1).abs() >= (a.height + b.height) / 2.0;
                assert!(apart_x || apart_y, "{p:?} {q:?}");
            }
        }
        assert!(l.edges[1].up && l.edges[1].bends.first().unwrap().1 > l.edges[1].bends.last().unwrap().1);
    }

    #[test]
    fn branches_that_can_do_without_crossings_have_none() {
        // 0 has two arms; the second arm's nodes come first in the list of edges.
        let l = place(5, &[(0, 2), (0, 1), (1, 3), (2, 4)]);
        let (left, right) = (l.nodes[1].0 < l.nodes[2].0, l.nodes[3].0 < l.nodes[4].0);
        assert_eq!(left, right);
    }

    #[test]
    fn long_edges_of_a_large_function_stay_cheap() {
        let n = 20_000;
        let edges: Vec<_> = (0..n - 1).flat_map(|i| [(i, i + 1), (i, n - 1)]).collect();
        assert_eq!(place(n as usize, &edges).nodes.len(), n as usize);
    }
}

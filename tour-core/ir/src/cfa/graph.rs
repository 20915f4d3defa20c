//! Small dense directed graphs: successors in one array, for the analyses that need no more than numbers.

/// A graph whose nodes are `0..len`.
#[derive(Clone, Debug)]
pub struct Graph {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// The graph with these edges; the successors of a node keep the order of `edges`.
    pub fn new(len: usize, edges: &[(u32, u32)]) -> Graph {
        let mut starts = vec![0u32; len + 1];
        for &(from, _) in edges {
            starts[from as usize + 1] += 1;
        }
        for i in 0..len {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            let slot = &mut next[from as usize];
            targets[*slot as usize] = to;
            *slot += 1;
        }
        Graph { starts, targets }
    }

    /// How many nodes.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// It has no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the edges of a node lead.
    pub fn successors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// All edges turned round.
    pub fn reversed(&self) -> Graph {
        let edges: Vec<_> =
            (0..self.len() as u32).flat_map(|n| self.successors(n).iter().map(move |&s| (s, n))).collect();
        Graph::new(self.len(), &edges)
    }

    /// Which nodes the roots reach, themselves included.
    pub fn reachable(&self, roots: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut work: Vec<u32> = roots.into_iter().collect();
        for &root in &work {
            seen[root as usize] = true;
        }
        while let Some(node) = work.pop() {
            for &next in self.successors(node) {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    work.push(next);
                }
            }
        }
        seen
    }

    /// Strongly connected components, a component after all those that it reaches (Tarjan, without recursion).
    pub fn components(&self) -> Vec<Vec<u32>> {
        const UNSEEN: u32 = u32::MAX;
        let mut index = vec![UNSEEN; self.len()];
        let mut low = vec![0; self.len()];
        let mut open = vec![false; self.len()];
        let mut members = Vec::new();
        let mut calls: Vec<(u32, usize)> = Vec::new();
        let mut components = Vec::new();
        let mut count = 0;
        for root in 0..self.len() as u32 {
            if index[root as usize] == UNSEEN {
                calls.push((root, 0));
            }
            while let Some((node, next)) = calls.last_mut() {
                let n = *node as usize;
                if *next == 0 {
                    index[n] = count;
                    low[n] = count;
                    count += 1;
                    open[n] = true;
                    members.push(*node);
                }
                if let Some(&to) = self.successors(*node).get(*next) {
                    *next += 1;
                    if index[to as usize] == UNSEEN {
                        calls.push((to, 0));
                    } else if open[to as usize] {
                        low[n] = low[n].min(index[to as usize]);
                    }
                    continue;
                }
                calls.pop();
                if let Some(&(parent, _)) = calls.last() {
                    low[parent as usize] = low[parent as usize].min(low[n]);
                }
                if low[n] == index[n] {
                    let start = members.iter().rposition(|&m| m as usize == n).unwrap_or(0);
                    let mut component = members.split_off(start);
                    for &m in &component {
                        open[m as usize] = false;
                    }
                    component.sort_unstable();
                    components.push(component);
                }
            }
        }
        components
    }
}

/// Disjoint sets with path halving. The caller chooses which representative stays.
#[derive(Clone, Debug)]
pub(crate) struct UnionFind(Vec<u32>);

impl UnionFind {
    /// Every element alone.
    pub fn new(len: usize) -> UnionFind {
        UnionFind((0..len as u32).collect())
    }

    /// The representative of an element's set.
    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.0[x as usize] != x {
            let up = self.0[self.0[x as usize] as usize];
            self.0[x as usize] = up;
            x = up;
        }
        x
    }

    /// Puts the set of `x` into that of `into`, whose representative stays.
    pub fn merge(&mut self, x: u32, into: u32) {
        let (x, into) = (self.find(x), self.find(into));
        self.0[x as usize] = into;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_reach() {
        let graph = Graph::new(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 4), (0, 4), (5, 0)]);
        assert_eq!(graph.components(), [vec![3], vec![1, 2], vec![4], vec![0], vec![5]]);
        assert_eq!(graph.reachable([2]), [false, true, true, true, false, false]);
        assert_eq!(graph.reversed().successors(1), [0, 2]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let n = 200_000;
        let mut edges: Vec<_> = (0..n - 1).map(|i| (i, i + 1)).collect();
        assert_eq!(Graph::new(n as usize, &edges).components().len(), n as usize);
        edges.push((n - 1, 0));
        assert_eq!(Graph::new(n as usize, &edges).components().len(), 1);
    }
}

//! The automorphisms of a small graph.

use super::Neighbours;
use super::census::refined;

/// A search that tries more images than this is given up.
const MOST_TRIED: usize = 1 << 16;

impl Neighbours {
    /// Automorphisms that leave the first `fixed` processes in their places, as the new places of all processes; the identity comes first.
    ///
    /// They are all of them if there are at most `most` and the search is short. Otherwise they are those that leave some more of the first
    /// processes in their places: a subgroup.
    ///
    /// ```
    /// use ringleader_model::Graph;
    ///
    /// let star = Graph::parse("0 1\n0 2\n0 3\n")?.neighbours();
    /// assert_eq!(star.automorphisms(0, 100).len(), 6);
    /// assert_eq!(star.automorphisms(2, 100), [[0, 1, 2, 3], [0, 1, 3, 2]]);
    /// assert_eq!(star.automorphisms(0, 5).len(), 2);
    /// # Ok::<(), ringleader_model::ParseError>(())
    /// ```
    #[must_use]
    pub fn automorphisms(&self, fixed: usize, most: usize) -> Vec<Vec<u32>> {
        let order = self.outward();
        let found = (fixed..self.size()).find_map(|fixed| {
            let mut search =
                Search { graph: self, order: &order, colours: self.colours(fixed), tried: 0, most, found: vec![] };
            search.extend(&mut vec![None; self.size()], 0).then_some(search.found)
        });
        let mut found = found.unwrap_or_else(|| vec![(0..self.size() as u32).collect()]);
        found.sort_unstable();
        found
    }

    /// All processes, each after one of its neighbours, with that neighbour.
    fn outward(&self) -> Vec<(usize, usize)> {
        let mut order = vec![(0, 0)];
        let mut seen = vec![false; self.size()];
        seen[0] = true;
        let mut at = 0;
        while let Some(&(process, _)) = order.get(at) {
            at += 1;
            for &near in self.of(process) {
                if !std::mem::replace(&mut seen[near as usize], true) {
                    order.push((near as usize, process));
                }
            }
        }
        order
    }

    /// Colours that every automorphism keeps. The first processes have colours of their own.
    fn colours(&self, fixed: usize) -> Vec<usize> {
        let near = |process: usize| self.of(process).iter().map(|&near| near as usize);
        refined(near, (0..self.size()).map(|process| process.min(fixed)).collect())
    }
}

struct Search<'a> {
    graph: &'a Neighbours,
    order: &'a [(usize, usize)],
    colours: Vec<usize>,
    tried: usize,
    most: usize,
    found: Vec<Vec<u32>>,
}

impl Search<'_> {
    /// Lists the automorphisms in which the processes before `at` in the order have these images. Returns `false` if there are too many.
    fn extend(&mut self, images: &mut Vec<Option<u32>>, at: usize) -> bool {
        let Some(&(process, before)) = self.order.get(at) else {
            self.found.push(images.iter().flatten().copied().collect());
            return self.found.len() <= self.most;
        };
        let graph = self.graph;
        let everyone: Vec<u32>;
        let candidates = match images[before] {
            Some(image) => graph.of(image as usize),
            None => {
                everyone = (0..graph.size() as u32).collect();
                &everyone
            }
        };
        for &image in candidates {
            let neighbours = graph.of(image as usize);
            let fits = self.colours[image as usize] == self.colours[process]
                && !images.contains(&Some(image))
                && graph
                    .of(process)
                    .iter()
                    .all(|&near| images[near as usize].is_none_or(|to| neighbours.contains(&to)));
            if !fits {
                continue;
            }
            images[process] = Some(image);
            self.tried += 1;
            if self.tried > MOST_TRIED || !self.extend(images, at + 1) {
                return false;
            }
            images[process] = None;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Family, Graph, census};
    use crate::NoCoin;

    #[test]
    fn all_orders_that_keep_the_edges() {
        for graph in (2..=6).flat_map(|size| Graph::all_connected(size).unwrap()) {
            let neighbours = graph.neighbours();
            let edges = |order: &Vec<usize>| {
                let kept =
                    |&(u, v): &(u32, u32)| neighbours.of(order[u as usize]).contains(&(order[v as usize] as u32));
                graph.arcs().iter().all(kept)
            };
            let mut slow: Vec<Vec<u32>> = census::orders(graph.size())
                .into_iter()
                .filter(edges)
                .map(|order| order.into_iter().map(|image| image as u32).collect())
                .collect();
            slow.sort_unstable();
            for fixed in 0..=graph.size() {
                slow.retain(|order| (0..fixed).all(|process| order[process] == process as u32));
                assert_eq!(neighbours.automorphisms(fixed, 720), slow);
            }
        }
    }

    /// The orders of the groups are known: 2^4 4! for the hypercube, 8 for a square grid, 2 n for a ring.
    #[test]
    fn groups_of_known_graphs() {
        let order = |family: &str, size: usize| {
            let family: Family = family.parse().unwrap();
            family.graph(size, &mut NoCoin).unwrap().neighbours().automorphisms(0, 5040).len()
        };
        assert_eq!(
            [order("hypercube", 16), order("grid:3x3", 9), order("ring", 7), order("complete", 7)],
            [384, 8, 14, 5040]
        );
        // 8! and 11! are too many.
        assert_eq!([order("complete", 8), order("star", 12)], [5040, 5040]);
    }
}

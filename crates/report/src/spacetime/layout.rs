//! Places for the vertices of a graph: a force layout (Fruchterman and Reingold 1991), the best of a few fixed seeds.

use ringleader_model::Coin;
use ringleader_model::graph::Neighbours;
use ringleader_simulate::Generator;

const ITERATIONS: u32 = 250;

/// A place for each vertex in the unit square. The same graph always gets the same places.
pub(super) fn places(graph: &Neighbours) -> Vec<(f32, f32)> {
    let seeds = if graph.size() <= 40 { 8 } else { 2 };
    let layouts = (0..seeds).map(|seed| apart(spread(forced(graph, seed))));
    // Of two layouts with as few crossings, the one whose vertices stand farther apart.
    let key = |places: &Vec<(f32, f32)>| (crossings(graph, places), -(1e4 * least_distance(places)) as i64);
    layouts.min_by_key(key).unwrap_or_default()
}

/// The length of a vector. Unlike `hypot`, a square root has the same bits on every platform.
fn length(x: f32, y: f32) -> f32 {
    (x * x + y * y).sqrt()
}

/// The least distance of two vertices.
pub(super) fn least_distance(places: &[(f32, f32)]) -> f32 {
    let to = |i: usize, a: (f32, f32)| places[..i].iter().map(move |b| length(a.0 - b.0, a.1 - b.1));
    places.iter().enumerate().flat_map(|(i, &a)| to(i, a)).fold(1.0, f32::min)
}

/// Pushes vertices that stand too close away from each other, so that their discs do not overlap.
fn apart(mut places: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    let least = 0.75 / (places.len() as f32).sqrt();
    for _ in 0..40 {
        for i in 0..places.len() {
            for j in 0..i {
                let (x, y) = (places[i].0 - places[j].0, places[i].1 - places[j].1);
                let distance = length(x, y).max(1e-4);
                if distance < least {
                    let by = (least - distance) / 4.0 / distance;
                    places[i] = (places[i].0 + x * by, places[i].1 + y * by);
                    places[j] = (places[j].0 - x * by, places[j].1 - y * by);
                }
            }
        }
    }
    spread(places)
}

/// The edges of a graph, each once.
pub(super) fn edges(graph: &Neighbours) -> Vec<(usize, usize)> {
    let from = |i: usize| graph.of(i).iter().map(move |&j| (i, j as usize)).filter(|(i, j)| i < j);
    (0..graph.size()).flat_map(from).collect()
}

/// Neighbours attract each other, and all vertices repel each other; steps become smaller.
fn forced(graph: &Neighbours, seed: u64) -> Vec<(f32, f32)> {
    let (n, mut coin) = (graph.size(), Generator::new(seed));
    let mut any = || f32::from(coin.below(1000) as u16) / 1000.0;
    let mut at: Vec<(f32, f32)> = (0..n).map(|_| (any(), any())).collect();
    let ideal = (1.0 / n as f32).sqrt();
    for step in 0..ITERATIONS {
        let mut force = vec![(0.0_f32, 0.0_f32); n];
        let mut push = |i: usize, j: usize, strength: &dyn Fn(f32) -> f32| {
            let (x, y) = (at[i].0 - at[j].0, at[i].1 - at[j].1);
            let distance = length(x, y).max(1e-4);
            let by = strength(distance) / distance;
            force[i] = (force[i].0 + x * by, force[i].1 + y * by);
            force[j] = (force[j].0 - x * by, force[j].1 - y * by);
        };
        for i in 0..n {
            (0..i).for_each(|j| push(i, j, &|distance| ideal * ideal / distance));
        }
        edges(graph).into_iter().for_each(|(i, j)| push(i, j, &|distance| -distance * distance / ideal));
        let most = 0.1 * (1.0 - step as f32 / ITERATIONS as f32);
        for (place, (x, y)) in at.iter_mut().zip(force) {
            let by = most.min(length(x, y)) / length(x, y).max(1e-6);
            *place = (place.0 + x * by, place.1 + y * by);
        }
    }
    at
}

/// The number of pairs of edges that cross.
fn crossings(graph: &Neighbours, at: &[(f32, f32)]) -> usize {
    let edges = edges(graph);
    let side = |a: usize, b: usize, c: usize| {
        (at[b].0 - at[a].0) * (at[c].1 - at[a].1) - (at[b].1 - at[a].1) * (at[c].0 - at[a].0) > 0.0
    };
    let cross = |&(a, b): &(usize, usize), &(c, d): &(usize, usize)| {
        a != c && a != d && b != c && b != d && side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
    };
    edges.iter().enumerate().map(|(k, one)| edges[..k].iter().filter(|other| cross(one, other)).count()).sum()
}

/// The same places, over the whole unit square.
fn spread(places: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    let ends = |of: fn(&(f32, f32)) -> f32| {
        let all = || places.iter().map(of);
        let (low, high) = (all().fold(f32::MAX, f32::min), all().fold(f32::MIN, f32::max));
        move |value: f32| if high - low < 1e-3 { 0.5 } else { (value - low) / (high - low) }
    };
    let (x, y) = (ends(|place| place.0), ends(|place| place.1));
    places.iter().map(|place| (x(place.0), y(place.1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::Graph;

    #[test]
    fn small_trees_and_rings_are_drawn_without_crossings() {
        for graph in Graph::all_trees(7).unwrap().into_iter().chain([Graph::undirected_ring(9).unwrap()]) {
            let graph = graph.neighbours();
            let places = places(&graph);
            assert_eq!(crossings(&graph, &places), 0, "{places:?}");
            for (i, a) in places.iter().enumerate() {
                let apart = |b: &(f32, f32)| (a.0 - b.0).hypot(a.1 - b.1) > 0.05;
                assert!(places[..i].iter().all(apart), "two vertices at one place: {places:?}");
            }
        }
    }

    #[test]
    fn crossings_are_counted() {
        let square = Graph::parse("0 1\n2 3\n1 2\n3 0").unwrap().neighbours();
        let places = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        assert_eq!(crossings(&square, &places), 0);
        assert_eq!(crossings(&square, &[places[0], places[2], places[1], places[3]]), 1);
    }
}

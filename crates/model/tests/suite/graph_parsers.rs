//! What the graph constructors build; what the graph parsers accept, what they refuse, and where they say it is.

use std::collections::BTreeSet;

use ringleader_model::{Graph, GraphError, Shape};

type Arcs = Vec<(usize, usize)>;

fn wide(graph: &Graph) -> Arcs {
    let arcs = graph.arcs().iter();
    arcs.map(|&(from, to)| (from as usize, to as usize)).collect()
}

fn parsed(text: &str) -> Graph {
    Graph::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn as_edge_list(size: usize, arcs: &[(usize, usize)]) -> String {
    let lines = arcs.iter().map(|(from, to)| format!("{from} {to}\n"));
    format!("agents {size}\n{}", lines.collect::<String>())
}

/// DOT in which agent i is called `name(i)`, and introduced in order.
fn as_dot(size: usize, arcs: &[(usize, usize)], name: impl Fn(usize) -> String) -> String {
    let nodes = (0..size).map(|agent| format!("{};", name(agent)));
    let edges = arcs.iter();
    let edges = edges.map(|&(from, to)| format!(" {} -> {}", name(from), name(to)));
    let (nodes, edges) = (nodes.collect::<String>(), edges.collect::<String>());
    format!("digraph {{ {nodes}{edges} }}")
}

fn check_refusals(refusals: &[(&str, usize, usize, &str)]) {
    for &(text, line, column, message) in refusals {
        let error = Graph::parse(text).expect_err(text);
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
        assert!(error.message.contains(message), "{text:?}: {error}");
    }
}

#[test]
fn small_constructed_graphs_list_their_arcs_in_the_documented_order() {
    let arcs = |graph: Result<Graph, GraphError>| wide(&graph.unwrap());
    assert_eq!(arcs(Graph::directed_ring(2)), [(0, 1), (1, 0)]);
    assert_eq!(arcs(Graph::undirected_ring(2)), [(0, 1), (1, 0)]);
    assert_eq!(arcs(Graph::complete(2)), [(0, 1), (1, 0)]);
    assert_eq!(arcs(Graph::directed_ring(4)), [(0, 1), (1, 2), (2, 3), (3, 0)]);
    let undirected = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)];
    assert_eq!(arcs(Graph::undirected_ring(3)), undirected);
    let complete = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
    assert_eq!(arcs(Graph::complete(3)), complete);
}

#[test]
fn constructed_graphs_are_valid_and_have_their_shape() {
    for n in 2..=12 {
        for (graph, shape) in [
            (Graph::directed_ring(n), Shape::DirectedRing),
            (Graph::undirected_ring(n), Shape::UndirectedRing),
            (Graph::complete(n), Shape::Complete),
        ] {
            let graph = graph.unwrap();
            assert_eq!(Graph::from_arcs(n, wide(&graph)).as_ref(), Ok(&graph));
            assert!(graph.has_shape(shape), "{n} {shape}");
            assert!(graph.shape() == shape || n <= 3, "{n} {shape}");
            assert!(!graph.has_shape(Shape::Other));
        }
    }
}

#[test]
fn sizes_beyond_the_limits_are_refused_without_building_anything() {
    for n in [0, 1, Graph::MAX_AGENTS + 1, usize::MAX] {
        assert!(Graph::directed_ring(n).is_err());
        assert!(Graph::undirected_ring(n).is_err());
        assert!(Graph::complete(n).is_err());
        assert!(Graph::from_arcs(n, vec![(0, 1)]).is_err());
    }
    let refusal = Graph::complete(8193).unwrap_err();
    assert_eq!(refusal.to_string(), "a graph has at most 67108864 arcs, not 67117056");
    assert!(Graph::complete(Graph::MAX_AGENTS).is_err());
}

#[test]
fn invalid_arcs_are_refused_with_the_arc_named() {
    let refusal = |arcs: &[(usize, usize)]| Graph::from_arcs(3, arcs.to_vec()).unwrap_err().to_string();
    assert!(refusal(&[(0, 1), (2, 2)]).contains("2 -> 2: self-loop"));
    assert!(refusal(&[(0, 1), (1, 3)]).contains("1 -> 3: there is no agent 3"));
    assert!(refusal(&[(usize::MAX, 1)]).contains("there is no agent"));
    assert!(refusal(&[(0, 1), (1, 2), (0, 1)]).contains("0 -> 1 is given twice"));
    assert!(refusal(&[]).contains("not connected: no path links agent 1"));
}

fn connected(n: usize, arcs: &[(usize, usize)]) -> bool {
    let mut reached = BTreeSet::from([0]);
    for _ in 0..n {
        for &(from, to) in arcs {
            if reached.contains(&from) || reached.contains(&to) {
                reached.extend([from, to]);
            }
        }
    }
    reached.len() == n
}

#[test]
fn every_graph_of_up_to_4_agents_is_judged_alike_by_arcs_edge_list_and_dot() {
    for n in 2..=4 {
        let all = wide(&Graph::complete(n).unwrap());
        let ring = |i: usize| (i, (i + 1) % n);
        let directed: BTreeSet<_> = (0..n).map(ring).collect();
        let undirected = directed.iter().flat_map(|&(u, v)| [(u, v), (v, u)]);
        let undirected: BTreeSet<_> = undirected.collect();
        for subset in 0_u32..1 << all.len() {
            let kept = (0..all.len()).rev().filter(|bit| subset >> bit & 1 == 1);
            let arcs: Arcs = kept.map(|bit| all[bit]).collect();
            let built = Graph::from_arcs(n, arcs.clone()).ok();
            let list = Graph::parse(&as_edge_list(n, &arcs)).ok();
            let dot = Graph::parse(&as_dot(n, &arcs, |agent| agent.to_string())).ok();
            assert_eq!(built.is_some(), connected(n, &arcs), "{n} {arcs:?}");
            assert_eq!((&list, &dot), (&built, &built), "{n} {arcs:?}");
            let Some(graph) = built else { continue };
            assert_eq!(wide(&graph), arcs);
            let set: BTreeSet<_> = arcs.into_iter().collect();
            assert_eq!(graph.has_shape(Shape::DirectedRing), set == directed);
            assert_eq!(graph.has_shape(Shape::UndirectedRing), set == undirected);
            assert_eq!(graph.has_shape(Shape::Complete), set.len() == all.len());
            assert!(graph.has_shape(graph.shape()));
        }
    }
}

#[test]
fn edge_list_notations_give_the_arcs_they_say() {
    for (text, arcs) in [
        ("0 1", vec![(0, 1)]),
        ("1 0", vec![(1, 0)]),
        ("\u{feff}0->1", vec![(0, 1)]),
        ("0--1", vec![(0, 1), (1, 0)]),
        ("\t0 <-> 1 \r\n", vec![(0, 1), (1, 0)]),
        ("# c\n\n0 1// c\n  1 -> 2 # c", vec![(0, 1), (1, 2)]),
        ("agents 3 # three\n2 1\n1 0\n", vec![(2, 1), (1, 0)]),
        ("b a\na é_9", vec![(0, 1), (1, 2)]),
        // Numbers keep their order: from 1, with a gap.
        ("3 1\n1 2", vec![(2, 0), (0, 1)]),
        ("0 5\n5 1", vec![(0, 2), (2, 1)]),
        // No numbers: with a leading zero, mixed.
        ("1 00", vec![(0, 1)]),
        ("1 0\n0 x", vec![(0, 1), (1, 2)]),
        ("99999999999999999999 node", vec![(0, 1)]),
    ] {
        assert_eq!(wide(&parsed(text)), arcs, "{text:?}");
    }
}

#[test]
fn edge_list_refusals_name_the_line_and_the_column() {
    check_refusals(&[
        ("", 1, 1, "at least 2 agents"),
        ("# nothing\n\n", 3, 1, "at least 2 agents"),
        ("0", 1, 2, "a second agent, found the end of the text"),
        ("0 1\n1 -> # c", 2, 6, "expected an agent, found a comment"),
        ("0 1\n1 --\n", 2, 5, "expected an agent, found the end of the line"),
        ("0 <- 1", 1, 3, "found `<`"),
        ("é 1 2", 1, 5, "expected the end of the line, found `2`"),
        ("0, 1", 1, 2, "found `,`"),
        ("0 1\n  -> 1", 2, 3, "expected an agent, found `-`"),
        ("0 1\n  1 1", 2, 3, "self-loop"),
        ("0 1\n1 2\n0 1", 3, 1, "from `0` to `1` is already given on line 1"),
        ("0 -- 1\n1 0", 2, 1, "already given on line 1"),
        ("0 1\n c d", 2, 2, "no path links agent `c` to agent `0`"),
        ("agents", 1, 7, "expected the number of agents"),
        ("agents x", 1, 8, "expected the number of agents, found `x`"),
        ("agents 1", 1, 8, "at least 2 agents"),
        ("agents 16777217", 1, 8, "at most 16777216 agents"),
        ("agents 99999999999999999999999", 1, 8, "at most 16777216 agents"),
        ("agents 16777216\n0 1", 1, 8, "only 2 are linked"),
        ("agents 2\n0 1\n1 2", 3, 3, "agent `2` is one too many: line 1 declares 2"),
        ("0 1\nagents 2", 2, 1, "must come first"),
        ("0 agents", 1, 3, "reserved"),
        ("0 \u{1b}", 1, 3, "found `\\u{1b}`"),
    ]);
}

#[test]
fn dot_notations_give_the_arcs_they_say() {
    let ring = vec![(0, 1), (1, 2), (2, 0)];
    for (text, arcs) in [
        ("digraph{0->1->2->0}", ring.clone()),
        ("DiGraph g { a -> b; b -> c c -> a; }", ring.clone()),
        ("/* c */ // c\n # c\ndigraph \"g\" {\n # c\n a->b->c->a }", ring.clone()),
        ("digraph { c; 2; 1; 2 -> 1 -> c }", vec![(1, 2), (2, 0)]),
        ("digraph { 2; 1; 0; 2 -> 1 -> 0 }", vec![(2, 1), (1, 0)]),
        ("graph { a -- b -- c }", vec![(0, 1), (1, 0), (1, 2), (2, 1)]),
        ("graph { 1--0 }", vec![(1, 0), (0, 1)]),
        ("graph { -1---.5 }", vec![(0, 1), (1, 0)]),
        ("strict graph { a -- b; b -- a; a -- b }", vec![(0, 1), (1, 0)]),
        ("strict digraph { a -> b; a -> b }", vec![(0, 1)]),
        ("digraph { rankdir = LR graph [] a -> b [label=\"]\"][dir=both] }", vec![(0, 1)]),
        ("digraph { node [label=<<b>]</b>>, x=\"a\" + \"b\"] 0 -> 1 }", vec![(0, 1)]),
        ("digraph { \"node\" -> \"a\\\"\"; \"a\\\n\\\"\" -> \"\\\\\" }", vec![(0, 1), (1, 2)]),
        ("digraph { \"0\" -> 1 -> \"\" }", vec![(0, 1), (1, 2)]),
        ("digraph { \"+1\" -> \"0\" }", vec![(0, 1)]),
    ] {
        assert_eq!(wide(&parsed(text)), arcs, "{text:?}");
    }
}

#[test]
fn dot_refusals_name_the_line_and_the_column() {
    check_refusals(&[
        ("graph", 1, 6, "expected `{`, found the end"),
        ("strict a", 1, 8, "expected `graph` or `digraph`, found `a`"),
        ("digraph {}", 1, 10, "at least 2 agents"),
        ("digraph {\n a -> b", 2, 8, "expected `}`, found the end"),
        ("digraph { a -> b } x", 1, 20, "expected nothing after"),
        ("digraph { a -- b }", 1, 13, "expected `->`, as this is a `digraph`"),
        ("graph { a -> b }", 1, 11, "expected `--`, as this is a `graph`"),
        ("graph { a -- }", 1, 14, "expected a node, found `}`"),
        ("graph { subgraph s { a } }", 1, 9, "subgraphs are not supported"),
        ("graph { a -- { b c } }", 1, 14, "subgraphs are not supported"),
        ("graph { a:n -- b }", 1, 10, "ports are not supported"),
        ("graph { a -- b:n }", 1, 15, "ports are not supported"),
        ("graph { <b> -- a }", 1, 9, "HTML names are not supported"),
        ("graph { a -- edge }", 1, 14, "`edge` is a keyword"),
        ("graph { node -- a }", 1, 14, "expected `[`"),
        ("graph { a [x=1; b -- c }", 1, 19, "expected an attribute, found `--`"),
        ("graph { a\n [x=1", 2, 2, "this `[` is never closed"),
        ("graph { é -- \"b }", 1, 14, "this quoted name is never closed"),
        ("graph { a /* }", 1, 11, "this comment is never closed"),
        ("graph { a [x=< }", 1, 14, "this `<` is never closed"),
        ("graph { a = ; }", 1, 13, "expected an attribute, found `;`"),
        ("graph { a # b\n }", 1, 11, "only where a line begins"),
        ("graph { a -- 1b }", 1, 14, "`1b` is neither a number"),
        ("graph { a - b }", 1, 11, "`-` is neither a number"),
        ("graph { a [x] -- b }", 1, 15, "expected a node, found `--`"),
        ("graph { a ? b }", 1, 11, "unexpected character `?`"),
        ("graph { a -- a }", 1, 9, "agent `a` is linked to itself"),
        ("graph { a -- b\n -- a }", 1, 14, "from `b` to `a` is already given on line 1"),
        ("graph { a -- b; c }", 1, 17, "no path links agent `c` to agent `a`"),
    ]);
}

/// Nothing in a graph nests without end: no depth overflows the stack of a thread.
#[test]
fn deep_brackets_are_refused_or_skipped() {
    let many = 200_000;
    let nested = |open: &str, inner: &str, close: &str| open.repeat(many) + inner + &close.repeat(many);
    for (text, refused) in [
        (format!("graph {{ a {} }}", nested("{", "", "}")), true),
        (format!("graph {{ {} }}", nested("subgraph s { ", "a", "}")), true),
        (format!("graph {{ a -- b [label = {}] }}", nested("<", "x", ">")), false),
        (format!("graph {{ a -- b {} }}", "[x = 1] ".repeat(many)), false),
        (format!("graph {{ a -- b {} }}", nested("[", "x", "]")), true),
    ] {
        let read = std::thread::spawn(move || Graph::parse(&text).is_err()).join();
        assert_eq!(read.ok(), Some(refused));
    }
}

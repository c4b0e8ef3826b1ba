//! No text makes the graph parsers panic, and graphs survive being written.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use ringleader_model::Graph;

fn wide(graph: &Graph) -> Vec<(usize, usize)> {
    let arcs = graph.arcs().iter();
    arcs.map(|&(from, to)| (from as usize, to as usize)).collect()
}

/// Checks what holds of every outcome: a graph is valid, an error lies in the
/// text. Says whether it was a graph.
fn check_outcome(text: &str) -> bool {
    let outcome = Graph::parse(text);
    match &outcome {
        Ok(graph) => {
            let rebuilt = Graph::from_arcs(graph.size(), wide(graph));
            assert_eq!(rebuilt.as_ref(), Ok(graph), "{text:?}");
        }
        Err(error) => {
            let line = text.split('\n').nth(error.line.wrapping_sub(1));
            let line = line.unwrap_or_else(|| panic!("{text:?}: {error}: no such line"));
            let columns = 1..=line.chars().count() + 1;
            assert!(columns.contains(&error.column), "{text:?}: {error}");
            assert!(error.message.len() < 500 && !error.message.contains(char::is_control));
        }
    }
    outcome.is_ok()
}

/// Texts that use every notation, as seeds for mutation.
const VALID: [&str; 8] = [
    "0 1\n1 2\n2 0\n",
    "agents 4 # four\n0 -- 1\n1 <-> 2 // both\n2 -> 3\n\n3 0\n",
    "left right\r\nright é_1\r\né_1 left\r\n",
    "digraph { 0 -> 1 -> 2 -> 0 }",
    "graph ring {\n  node [shape=circle, label=<<b>x</b>>];\n  a -- b -- c;\n  c -- a [w=1.5]\n}\n",
    "strict graph \"g\" { rankdir=LR; edge [x=\"]\" + \"}\"] 1 -- 0 1 -- 0 }",
    "/* c\n*/ digraph {\n# line\n\"a\\\"\" -> \"b\\\\\" -> -.5 // c\n}",
    "\u{feff}DIGRAPH { a; b; c; a -> b; b -> c; graph [y=1;] }",
];

const FRAGMENTS: [&str; 36] = [
    " ",
    "\n",
    "\r\n",
    "\t",
    "0",
    "1",
    "2",
    "3",
    "a",
    "b",
    "é",
    "agents",
    "graph",
    "digraph",
    "strict",
    "subgraph",
    "node",
    "{",
    "}",
    "[",
    "]",
    "->",
    "--",
    "<->",
    "-",
    "<",
    ">",
    "=",
    ";",
    ":",
    "\"",
    "\\",
    "#",
    "//",
    "/*",
    "99999999999999999999",
];

struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn mutate(&mut self, text: &mut Vec<char>) {
        let start = self.below(text.len() + 1);
        let end = (start + self.below(6)).min(text.len());
        match self.below(4) {
            0 => drop(text.drain(start..end)),
            1 => {
                let copied = text[start..end].to_vec();
                let to = self.below(text.len() + 1);
                text.splice(to..to, copied);
            }
            2 => {
                let fragment = FRAGMENTS[self.below(FRAGMENTS.len())];
                text.splice(start..start, fragment.chars());
            }
            _ => {
                let c = char::from_u32(self.below(0x250) as u32).unwrap_or('?');
                text.splice(start..end.min(start + 1), [c]);
            }
        }
    }
}

#[test]
fn two_hundred_thousand_mutated_texts_are_parsed_or_refused_in_place() {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    let mut accepted = 0;
    for round in 0..200_000 {
        let mut text: Vec<char> = VALID[round % VALID.len()].chars().collect();
        for _ in 0..=random.below(4) {
            random.mutate(&mut text);
        }
        accepted += usize::from(check_outcome(&text.into_iter().collect::<String>()));
    }
    // A fuzz that only ever meets one of the two outcomes would show little.
    assert!((10_000..190_000).contains(&accepted), "{accepted}");
}

#[test]
fn every_prefix_of_a_valid_text_is_parsed_or_refused_in_place() {
    for text in VALID {
        assert!(check_outcome(text), "{text:?}");
        for (end, _) in text.char_indices() {
            check_outcome(&text[..end]);
        }
    }
}

#[test]
fn a_million_nested_openings_are_refused_without_recursion() {
    for opening in ["{", "[", "<", "\"", "/*", "a -> ", "subgraph {", "a [x=<"] {
        for start in ["", "digraph {"] {
            check_outcome(&format!("{start}{}", opening.repeat(1_000_000)));
        }
    }
}

/// A connected graph: a tree that links each agent to an earlier one, then
/// any other arcs, in any order.
fn connected_arcs() -> impl Strategy<Value = Vec<(usize, usize)>> {
    let tree = vec((any::<Index>(), any::<bool>()), 1..30);
    let more = vec((any::<Index>(), any::<Index>()), 0..60);
    (tree, more).prop_map(|(tree, more)| {
        let size = tree.len() + 1;
        let mut arcs = Vec::new();
        for (agent, (earlier, flip)) in (1..).zip(tree) {
            let earlier = earlier.index(agent);
            arcs.push(if flip { (earlier, agent) } else { (agent, earlier) });
        }
        for (from, to) in more {
            let arc = (from.index(size), to.index(size));
            if arc.0 != arc.1 && !arcs.contains(&arc) {
                arcs.push(arc);
            }
        }
        arcs
    })
}

fn size_of(arcs: &[(usize, usize)]) -> usize {
    let agents = arcs.iter().flat_map(|&(from, to)| [from, to]);
    agents.max().map_or(0, |last| last + 1)
}

fn quote(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\\\""))
}

proptest! {
    #[test]
    fn any_string_is_parsed_or_refused_in_place(text in "(?s).{0,200}") {
        check_outcome(&text);
        check_outcome(&format!("digraph {{{text}"));
    }

    #[test]
    fn any_sequence_of_tokens_is_parsed_or_refused_in_place(
        tokens in vec(select(&FRAGMENTS[..]), 0..40)
    ) {
        check_outcome(&tokens.concat());
        check_outcome(&format!("graph {{ {} }}", tokens.join(" ")));
    }

    #[test]
    fn numbered_graphs_survive_being_written_and_parsed(
        arcs in connected_arcs().prop_shuffle()
    ) {
        let graph = Graph::from_arcs(size_of(&arcs), arcs.clone()).unwrap();
        let list: String = arcs.iter().map(|(u, v)| format!("{u} {v}\n")).collect();
        let dot: String = arcs.iter().map(|(u, v)| format!("{u}->{v};")).collect();
        prop_assert_eq!(&Graph::parse(&list).unwrap(), &graph);
        prop_assert_eq!(&Graph::parse(&format!("digraph {{{dot}}}")).unwrap(), &graph);
    }

    #[test]
    fn named_agents_are_numbered_in_order_of_first_appearance(
        arcs in connected_arcs().prop_shuffle(),
        stem in "[^\\\\\r\n]{0,8}"
    ) {
        let mut order = Vec::new();
        for agent in arcs.iter().flat_map(|&(u, v)| [u, v]) {
            if !order.contains(&agent) {
                order.push(agent);
            }
        }
        let number = |agent| order.iter().position(|&known| known == agent).unwrap();
        let expected: Vec<_> = arcs.iter().map(|&(u, v)| (number(u), number(v))).collect();
        let list: String = arcs.iter().map(|(u, v)| format!("a{u} -> a{v}\n")).collect();
        let name = |agent| quote(&format!("{stem}_{agent}"));
        let dot: String = arcs.iter().map(|&(u, v)| format!("{} -> {}\n", name(u), name(v))).collect();
        prop_assert_eq!(&wide(&Graph::parse(&list).unwrap()), &expected);
        prop_assert_eq!(&wide(&Graph::parse(&format!("digraph {{{dot}}}")).unwrap()), &expected);
    }

    #[test]
    fn undirected_notations_agree(arcs in connected_arcs()) {
        let edges = arcs.iter().filter(|&&(u, v)| u < v || !arcs.contains(&(v, u)));
        let edges: Vec<_> = edges.collect();
        let both = edges.iter().flat_map(|&&(u, v)| [(u, v), (v, u)]).collect();
        let graph = Graph::from_arcs(size_of(&arcs), both).unwrap();
        for link in ["--", "<->"] {
            let list: String = edges.iter().map(|(u, v)| format!("{u} {link} {v}\n")).collect();
            prop_assert_eq!(&Graph::parse(&list).unwrap(), &graph);
        }
        let dot: String = edges.iter().map(|(u, v)| format!("{u}--{v} ")).collect();
        prop_assert_eq!(&Graph::parse(&format!("graph {{{dot}}}")).unwrap(), &graph);
    }
}

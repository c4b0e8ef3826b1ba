//! Algorithms as rule tables, written from their published rules.

use ringleader_verify::{Automaton, Cell, Goal, Mark, Move, Place, Possible, Rules, State, Variable, Window};

fn bit(name: &str, states: usize, shift: usize) -> Variable {
    Variable { name: name.into(), size: 2, values: (0..states).map(|s| (s >> shift & 1) as u8).collect() }
}

fn cell(before: usize, after: usize) -> Cell {
    Cell { before: before as State, after: after as State }
}

pub(crate) fn one(of: &[&str], stays: bool) -> Goal {
    Goal::ExactlyOne { of: of.iter().map(|s| s.to_string()).collect(), stays }
}

/// Fischer and Jiang's ring: bits bullet 4, leader 2, shield 1.
pub(crate) fn fischer_jiang() -> Rules {
    let rule = |u: usize, v: usize, seen: bool| match (seen, u & 2 > 0, u & 1 > 0, v & 4 > 0) {
        (false, ..) => Some((0, 7, v)),
        (true, false, true, _) => Some((1, u & 6, v & 3 | 1)),
        (true, true, true, _) => Some((2, 6, v & 3 | 1)),
        (true, true, false, false) => Some((3, 6, v)),
        (true, _, false, true) => Some((4, 4, v & 3)),
        _ => None,
    };
    let mut moves = Vec::new();
    for (u, v, seen) in (0..8).flat_map(|u| (0..8).flat_map(move |v| [(u, v, false), (u, v, true)])) {
        if let Some((rule, a, b)) = rule(u, v, seen)
            && (a, b) != (u, v)
        {
            let (own, right) = (cell(u, a), Some(cell(v, b)));
            moves.push(Move { rule, place: None, seen: Some(seen), left: None, own, right });
        }
    }
    let slot = |s: usize, i: usize| if s >> (2 - i) & 1 > 0 { "BLS".as_bytes()[i] as char } else { '-' };
    Rules {
        states: (0..8).map(|s| (0..3).map(|i| slot(s, i)).collect()).collect(),
        variables: vec![bit("B", 8, 2), bit("L", 8, 1), bit("S", 8, 0)],
        marks: Vec::new(),
        rules: (1..=5).map(|i| format!("r{i}")).collect(),
        moves,
        tosses: vec![],
        given: None,
        possible: Possible::all(8),
        detector: Some((0..8).filter(|s| s & 2 > 0).collect()),
        goal: one(&["L"], true),
    }
}

pub(crate) const FISCHER_JIANG: [&str; 9] = [
    "C:!((!B | !S) S root)",
    "C:!((B & S) S (root | !L))",
    "L:(S & !(!B S L))",
    "C:(S & (1 S (L & !root)))",
    "R:(!S & !(L U root))",
    "C:((!B & !S) S (L & !root))",
    "C:(!root U !S)",
    "R:(!S & (!B S L))",
    "C:!B",
];

/// Token circulation with a given leader, agent 0: bits leader 4, label 2, token 1.
pub(crate) fn token_circulation() -> Rules {
    let mut moves = Vec::new();
    for (u, v) in (0..8).flat_map(|u| (0..8).map(move |v| (u, v))) {
        let leader = v & 4 > 0;
        if leader == (u & 2 == v & 2) {
            let (own, right) = (cell(u, u & 6), Some(cell(v, (v ^ 2) | 1)));
            moves.push(Move { rule: usize::from(!leader), place: None, seen: None, left: None, own, right });
        }
    }
    let name = |s: usize| format!("{}{}{}", ["-", "L"][s >> 2], s >> 1 & 1, ["-", "T"][s & 1]);
    Rules {
        states: (0..8).map(name).collect(),
        variables: vec![bit("leader", 8, 2), bit("label", 8, 1), bit("token", 8, 0)],
        marks: Vec::new(),
        rules: vec!["turn".into(), "copy".into()],
        moves,
        tosses: vec![],
        given: None,
        possible: Possible { bottom: vec![4, 5, 6, 7], middle: vec![0, 1, 2, 3], top: vec![0, 1, 2, 3] },
        detector: None,
        goal: one(&["token"], false),
    }
}

/// Angluin, Aspnes, Fischer and Jiang's ring for k = 2: bits leader 16, bullet 8, probe 4, phase 2, label 1.
pub(crate) fn angluin() -> Rules {
    let mut moves = Vec::new();
    for (u, v) in (0..32).flat_map(|u: usize| (0..32).map(move |v: usize| (u, v))) {
        let has = |s: usize, bit: usize| s & bit > 0;
        let (mut a, mut b) = (u, v);
        if u & 1 == v & 1 {
            if has(u, 4) {
                a = (a | 16) & !4;
            }
            match (has(u, 2), has(v, 4)) {
                (false, _) => {
                    a |= 2;
                    b |= if has(v, 16) { 0 } else { 4 };
                }
                (true, false) => b = (b & !11) | (1 - (u & 1)),
                (true, true) => {}
            }
        } else if has(v, 16) && has(v, 8) {
            b &= !16;
        } else if has(v, 16) {
            a = (a | 8) & !4;
        } else {
            a = (a | v & 8) & !4;
            b = (b & !8) | u & 4;
        }
        if (a, b) != (u, v) {
            let (own, right) = (cell(u, a), Some(cell(v, b)));
            moves.push(Move { rule: 0, place: None, seen: None, left: None, own, right });
        }
    }
    let names = ["label", "phase", "probe", "bullet", "leader"];
    Rules {
        states: (0..32).map(|s: usize| format!("{s:05b}")).collect(),
        variables: names.iter().enumerate().map(|(i, name)| bit(name, 32, i)).collect(),
        marks: Vec::new(),
        rules: vec!["meet".into()],
        moves,
        tosses: vec![],
        given: None,
        possible: Possible::all(32),
        detector: None,
        goal: one(&["leader"], true),
    }
}

/// Fischer and Jiang's complete graph: bit L.
pub(crate) fn fischer_jiang_complete() -> Rules {
    let meeting = |rule, seen, own, right| Move { rule, place: None, seen, left: None, own, right: Some(right) };
    Rules {
        states: vec!["-".into(), "L".into()],
        variables: vec![bit("L", 2, 0)],
        marks: Vec::new(),
        rules: vec!["resign".into(), "lead".into()],
        moves: vec![
            meeting(0, Some(false), cell(1, 1), cell(1, 0)),
            meeting(0, Some(true), cell(1, 1), cell(1, 0)),
            meeting(1, Some(false), cell(0, 1), cell(0, 0)),
        ],
        tosses: vec![],
        given: None,
        possible: Possible::all(2),
        detector: Some(vec![1]),
        goal: one(&["L"], true),
    }
}

/// Gouda and Haddix's ring: bits e 4, t 2, r 1.
pub(crate) fn gouda_haddix() -> Rules {
    let mut moves = Vec::new();
    let mut token = Vec::new();
    for (l, o) in (0..8).flat_map(|l| (0..8).map(move |o| (l, o))) {
        for place in Place::ALL {
            let bottom = place == Place::Bottom;
            let behind = |bit: usize| ((l & bit > 0) ^ bottom) != (o & bit > 0);
            if behind(2) {
                token.push(Window { place: Some(place), left: Some(l as State), own: Some(o as State), right: None });
            }
            if behind(4) {
                let e = o ^ 4;
                let (rule, new) = match (behind(2), o & 2 > 0 || o & 1 > 0) {
                    (false, _) => (0, e & 6),
                    (true, true) => (1, (e ^ 2) & 6),
                    (true, false) => (2, e | 1),
                };
                let left = Some(cell(l, l));
                moves.push(Move { rule, place: Some(place), seen: None, left, own: cell(o, new), right: None });
            }
        }
    }
    Rules {
        states: (0..8).map(|s| format!("{}{}{}", s >> 2, s >> 1 & 1, s & 1)).collect(),
        variables: vec![bit("e", 8, 2), bit("t", 8, 1), bit("r", 8, 0)],
        marks: vec![Mark { name: "token".into(), windows: token }],
        rules: ["pass", "hand", "hold"].map(String::from).to_vec(),
        moves,
        tosses: vec![],
        given: None,
        possible: Possible::all(8),
        detector: None,
        goal: one(&["token"], false),
    }
}

/// A step of a process that reads both neighbours.
fn process(rule: usize, place: Place, [left, own, right]: [usize; 3], new: usize) -> Move {
    let look = |s| Some(cell(s, s));
    Move { rule, place: Some(place), seen: None, left: look(left), own: cell(own, new), right: look(right) }
}

/// Dijkstra's four states on a line: bits x 2, up 1.
pub(crate) fn dijkstra_four() -> Rules {
    let mut moves = Vec::new();
    for (l, o, r) in (0..4).flat_map(|l| (0..4).flat_map(move |o| (0..4).map(move |r| (l, o, r)))) {
        let up = |s: usize| s & 1 > 0;
        let same = |s: usize| s & 2 == o & 2;
        if same(r) && up(o) && !up(r) {
            moves.push(Move { left: None, ..process(1, Place::Bottom, [l, o, r], o ^ 2) });
            moves.push(process(1, Place::Middle, [l, o, r], o & 2));
        }
        if !same(l) {
            moves.push(Move { right: None, ..process(0, Place::Top, [l, o, r], o ^ 2) });
            moves.push(process(0, Place::Middle, [l, o, r], (o ^ 2) | 1));
        }
    }
    moves.sort_by_key(|m| format!("{m:?}"));
    moves.dedup();
    Rules {
        states: ["0v", "0^", "1v", "1^"].map(String::from).to_vec(),
        variables: vec![bit("x", 4, 1), bit("up", 4, 0)],
        marks: Vec::new(),
        rules: vec!["Rm".into(), "Lm".into()],
        moves,
        tosses: vec![],
        given: None,
        possible: Possible { bottom: vec![1, 3], middle: vec![0, 1, 2, 3], top: vec![0, 2] },
        detector: None,
        goal: one(&["Rm", "Lm"], false),
    }
}

pub(crate) const DIJKSTRA_FOUR: [&str; 5] =
    ["C:Rm + Lm", "C:(root & (!Rm U (Lm & !Rm)))", "C:(top & (!Lm S (Rm & !Lm)))", "L:Rm", "R:Lm"];

/// Dijkstra's three states; the top's right neighbour is the bottom.
pub(crate) fn dijkstra_three() -> Rules {
    let mut moves = Vec::new();
    for (l, o, r) in (0..3).flat_map(|l| (0..3).flat_map(move |o| (0..3).map(move |r| (l, o, r)))) {
        let next = |s: usize| (s + 1) % 3;
        if next(o) == r {
            moves.push(Move { left: None, ..process(0, Place::Bottom, [l, o, r], (o + 2) % 3) });
            moves.push(Move { left: None, ..process(2, Place::Middle, [l, o, r], r) });
        }
        if l == r && next(l) != o {
            moves.push(process(3, Place::Top, [l, o, r], next(l)));
        }
        if next(o) == l {
            moves.push(Move { right: None, ..process(1, Place::Middle, [l, o, r], l) });
        }
    }
    moves.sort_by_key(|m| format!("{m:?}"));
    moves.dedup();
    Rules {
        states: ["0", "1", "2"].map(String::from).to_vec(),
        variables: vec![Variable { name: "x".into(), size: 3, values: vec![0, 1, 2] }],
        marks: Vec::new(),
        rules: ["low", "fromleft", "fromright", "high"].map(String::from).to_vec(),
        moves,
        tosses: vec![],
        given: None,
        possible: Possible::all(3),
        detector: None,
        goal: one(&["low", "fromleft", "fromright", "high"], false),
    }
}

/// The five-state token ring of Protocon. The token is where a rule is enabled.
pub(crate) fn five_state() -> Rules {
    let mut moves = Vec::new();
    for (l, o) in (0..5).flat_map(|l| (0..5).map(move |o| (l, o))) {
        let bottom = match (l, o) {
            (0, 0) => Some(1),
            (1, 0 | 1) => Some(2),
            (2.., 2..) => Some(0),
            _ => None,
        };
        let other = match (l, o) {
            (0, 4) | (1, 0 | 2..) => Some(1),
            (0, 2 | 3) => Some(0),
            (2, 0 | 1) => Some(2 + o),
            (3.., 0 | 1) => Some(4),
            _ => None,
        };
        for (place, new) in [(Place::Bottom, bottom), (Place::Middle, other), (Place::Top, other)] {
            moves.extend(new.map(|new| Move { right: None, ..process(0, place, [l, o, o], new) }));
        }
    }
    let seen =
        |m: &Move| Window { place: m.place, left: m.left.map(|l| l.before), own: Some(m.own.before), right: None };
    Rules {
        states: (0..5).map(|s| s.to_string()).collect(),
        variables: vec![Variable { name: "x".into(), size: 5, values: vec![0, 1, 2, 3, 4] }],
        marks: vec![Mark { name: "hasToken".into(), windows: moves.iter().map(seen).collect() }],
        rules: vec!["go".into()],
        moves,
        tosses: vec![],
        given: None,
        possible: Possible::all(5),
        detector: None,
        goal: one(&["hasToken"], false),
    }
}

/// An automaton given by functions.
pub(crate) fn automaton<S: PartialEq + Copy>(
    letters: usize,
    start: S,
    step: impl Fn(S, usize) -> Option<S>,
    accepts: impl Fn(S) -> bool,
) -> Automaton {
    let mut states = vec![start];
    let mut next = Vec::new();
    while next.len() < states.len() {
        let from = states[next.len()];
        let row = (0..letters).map(|l| {
            let to = step(from, l)?;
            Some(states.iter().position(|s| *s == to).unwrap_or_else(|| {
                states.push(to);
                states.len() - 1
            }))
        });
        let row: Vec<_> = row.collect();
        next.push(row);
    }
    Automaton { start: 0, accepting: (0..states.len()).filter(|&i| accepts(states[i])).collect(), next }
}

/// Exactly one leader, and the first full slot clockwise from its mark is a shield.
pub(crate) fn fischer_jiang_safe() -> Automaton {
    // The first full slot from agent 0 on: none yet, a shield, something else; and the first from the leader on.
    type Scan = (Option<bool>, Option<Option<bool>>);
    let first = |s: usize| if s & 6 > 0 { Some(false) } else { (s & 1 > 0).then_some(true) };
    let step = |(head, after): Scan, s: usize| match (after, s & 2 > 0) {
        (Some(_), true) => None,
        (Some(found), false) => Some((head, Some(found.or(first(s))))),
        (None, true) => Some((head.or(Some(false)), Some((s & 1 > 0).then_some(true)))),
        (None, false) => Some((head.or(first(s)), None)),
    };
    automaton(8, (None, None), step, |(head, after)| after.is_some_and(|found| found.or(head) == Some(true)))
}

/// Exactly one enabled rule.
pub(crate) fn dijkstra_four_safe() -> Automaton {
    let step = |(last, count): (Option<usize>, usize), s: usize| {
        let between = last.map_or(0, |l| if l & 2 != s & 2 { 1 } else { usize::from(l & 1 > 0 && s & 1 == 0) });
        (count + between <= 1).then_some((Some(s), count + between))
    };
    automaton(4, (None, 0), step, |(_, count)| count == 1)
}

pub(crate) const DIJKSTRA_THREE: [&str; 3] = [
    "C:5*(!x~0 & !root) + 6*(root & x~0) + 3*(root & x~1) + 4*(root & X (x~0 U x~1))",
    "L:(x~2 & !root)",
    "R:(x~1 & !root)",
];

/// Exactly one enabled rule: an arrow between neighbours is one, but for the top, which looks at the bottom, too.
pub(crate) fn dijkstra_three_safe() -> Automaton {
    // The bottom's x, the last two, and the arrows so far.
    type Scan = (Option<usize>, usize, usize, usize);
    let step = |(first, _, last, arrows): Scan, s: usize| match first {
        None => Some((Some(s), s, s, 0)),
        Some(_) => Some((first, last, s, (arrows + usize::from(s != last)).min(3))),
    };
    let accepts = |(first, before, last, arrows): Scan| {
        let not_the_tops = arrows - usize::from((before + 2) % 3 == last);
        let high = first == Some(before) && (before + 1) % 3 != last;
        first.is_some() && not_the_tops + usize::from(high) == 1
    };
    automaton(3, (None, 0, 0, 0), step, accepts)
}

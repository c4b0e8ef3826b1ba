//! Regular sets, learned from small rings: prefixes of configurations with the same continuations are one state.

use crate::rings::Ring;
use crate::watch::Cancel;
use ringleader_verify::{Automaton, State};

const YES: u8 = 1;
const UNKNOWN: u8 = 2;

/// The known continuations of a prefix: for each one, whether the whole is in the set.
type Future = Vec<u8>;

/// The set that is learned: the really safe configurations of a ring, or others.
pub(crate) type Set = fn(&Ring) -> &[bool];

fn member(rings: &[Ring], set: Set, head: &[State], tail: &[State]) -> u8 {
    let n = head.len() + tail.len();
    let Some(ring) = rings.iter().find(|r| r.n == n) else { return UNKNOWN };
    let whole: Vec<State> = head.iter().chain(tail).copied().collect();
    match ring.encode(&whole) {
        None => UNKNOWN,
        Some(code) if !ring.given[code] => UNKNOWN,
        Some(code) => u8::from(set(ring)[code]),
    }
}

fn agree(a: &Future, b: &Future) -> bool {
    a.iter().zip(b).all(|(x, y)| x == y || *x == UNKNOWN || *y == UNKNOWN)
}

/// All words up to a length over some letters.
pub(crate) fn words(letters: usize, longest: usize) -> Vec<Vec<State>> {
    let mut all = vec![vec![]];
    let mut shorter = 0..1;
    for _ in 0..longest {
        let longer = |word: &Vec<State>| (0..letters).map(|s| [&word[..], &[s as State]].concat()).collect::<Vec<_>>();
        let longer: Vec<_> = all[shorter.clone()].iter().flat_map(longer).collect();
        shorter = all.len()..all.len() + longer.len();
        all.extend(longer);
    }
    all
}

/// The transitions of an automaton that distinguishes prefixes by continuations up to a length, and a prefix of each of its states.
/// `member` says what is known of a prefix with a continuation. If the sizes have a modulus, prefixes of different remainders have no
/// continuation in common, so they cannot be compared. Nothing is known of the empty prefix, so it is a state of its own.
pub(crate) fn distinguished(
    member: impl Fn(&[State], &[State]) -> u8,
    states: usize,
    deep: usize,
    modulus: usize,
    cancel: Cancel,
) -> (Vec<Vec<State>>, Vec<Vec<Option<usize>>>) {
    let tails = words(states, deep);
    let future = |head: &[State]| tails.iter().map(|tail| member(head, tail)).collect::<Future>();
    let mut heads: Vec<(Vec<State>, Future)> = vec![(Vec::new(), Future::new())];
    let mut next = Vec::new();
    while next.len() < heads.len() {
        let head = heads[next.len()].0.clone();
        let mut row = Vec::new();
        for s in (0..states).take_while(|_| !cancel.asked()) {
            let longer = [&head[..], &[s as State]].concat();
            let seen = future(&longer);
            // No continuation in the set is known.
            if !seen.contains(&YES) {
                row.push(None);
                continue;
            }
            let equivalent = |(head, future): &(Vec<State>, Future)| {
                longer.len().abs_diff(head.len()).is_multiple_of(modulus) && agree(future, &seen)
            };
            let known = (1..heads.len()).find(|&i| equivalent(&heads[i]));
            row.push(Some(match known {
                Some(i) => {
                    let merged = heads[i].1.iter().zip(&seen).map(|(x, y)| if *x == UNKNOWN { *y } else { *x });
                    heads[i].1 = merged.collect();
                    i
                }
                None => {
                    heads.push((longer, seen));
                    heads.len() - 1
                }
            }));
        }
        row.resize(states, None);
        next.push(row);
        if heads.len() > 400 || cancel.asked() {
            break;
        }
    }
    next.resize(heads.len(), vec![None; states]);
    (heads.into_iter().map(|(head, _)| head).collect(), next)
}

/// An automaton of a set that distinguishes prefixes by continuations of up to `deep` agents.
pub(crate) fn learn(rings: &[Ring], set: Set, states: usize, deep: usize, modulus: usize, cancel: Cancel) -> Automaton {
    let member = |head: &[State], tail: &[State]| member(rings, set, head, tail);
    let (_, next) = distinguished(member, states, deep, modulus, cancel);
    let mut automaton = Automaton { start: 0, accepting: Vec::new(), next };
    automaton.accepting = accepting(&automaton, rings, set, cancel);
    automaton
}

/// The states in which configurations of the set end. Prefixes may be too short to be configurations themselves.
fn accepting(automaton: &Automaton, rings: &[Ring], set: Set, cancel: Cancel) -> Vec<usize> {
    let mut accepts = vec![false; automaton.next.len()];
    let mut word = Vec::new();
    for ring in rings {
        for code in (0..set(ring).len()).take_while(|_| !cancel.asked()).filter(|&c| set(ring)[c]) {
            ring.decode(code, &mut word);
            if let Some(end) = word.iter().try_fold(0, |at: usize, &s| automaton.next[at][usize::from(s)]) {
                accepts[end] = true;
            }
        }
    }
    (0..accepts.len()).filter(|&s| accepts[s]).collect()
}

/// Whether an automaton accepts exactly the really safe configurations of these rings.
pub(crate) fn exact(automaton: &Automaton, rings: &[Ring], cancel: Cancel) -> bool {
    let agrees = |ring: &Ring, code: usize| !ring.given[code] || automaton.accepts(&ring.word(code)) == ring.safe[code];
    rings.iter().all(|ring| (0..ring.safe.len()).all(|code| !cancel.asked() && agrees(ring, code)))
}

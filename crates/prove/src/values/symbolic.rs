//! The rules of an algorithm for every number of values, from its tables for a few numbers.

use crate::algorithm::Algorithm;
use crate::{NoRules, refuse_if};
use ringleader_erased::Refusal;
use ringleader_verify::{
    Cell, Goal, Move, Place, Possible, Rules, State, Takes, ValueMove, ValueRules, ValueWindow, Window,
};
use std::collections::BTreeSet;
use thiserror::Error;

/// The reason why an algorithm has no rules for every number of values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoValues {
    /// A state is more than one value, or less.
    #[error(
        "with {1} values, {0}: in a proof for every number of values a state is one value, all values are possible, and no rule tosses coins"
    )]
    State(&'static str, usize),
    /// Its goal is another one.
    #[error("a proof for every number of values is about exactly one token")]
    Goal,
    /// A rule does other things.
    #[error(
        "with n = {0} and {1} values, its rules or tokens are not those of a proof for every number of values: process 0 takes the next value, \
         where a neighbour has its value; other processes copy a neighbour; all compare values with neighbours for equality only"
    )]
    Rules(usize, usize),
    /// The algorithm has no table.
    #[error(transparent)]
    NoRules(#[from] NoRules),
    /// It cannot be built.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Rules are read with this many values, so that three neighbours can differ,
const READ: usize = 4;
/// and compared with all numbers of values up to this one,
const MOST: usize = 9;
/// on rings of these sizes.
const SIZES: std::ops::RangeInclusive<usize> = 2..=9;

/// The rules of an algorithm that `at` builds for a size and a number of values, if they are the same at all of them.
///
/// They are compared at a few sizes and numbers only. The caller must know that they are the same at all larger ones.
pub fn value_rules(
    least: usize,
    at: impl Fn(usize, usize) -> Result<Algorithm, Refusal>,
) -> Result<ValueRules, NoValues> {
    let n = least.max(3);
    let rules = at(n, READ)?.rules(n)?;
    plain(&rules, READ)?;
    let found = read(&rules).ok_or(NoValues::Rules(n, READ))?;
    for n in SIZES.filter(|n| *n >= least) {
        for k in 2..=MOST {
            let rules = at(n, k)?.rules(n)?;
            plain(&rules, k)?;
            let (moves, token) = concrete(&found, k);
            let ours: BTreeSet<_> = moves.iter().map(|m| key(&found.rules, m)).collect();
            let theirs: BTreeSet<_> = rules.moves.iter().map(|m| key(&rules.rules, m)).collect();
            let shown: BTreeSet<Window> = rules.marks.iter().flat_map(|mark| mark.windows.clone()).collect();
            refuse_if(ours != theirs || token != shown, NoValues::Rules(n, k))?;
        }
    }
    Ok(found)
}

/// A move by the name of its rule.
fn key<'r>(names: &'r [String], m: &Move) -> (&'r str, Option<Place>, [Option<[State; 2]>; 3]) {
    let cell = |cell: Option<Cell>| cell.map(|cell| [cell.before, cell.after]);
    (&names[m.rule], m.place, [m.left, Some(m.own), m.right].map(cell))
}

/// Refuses states that are not one value, coins, and other goals than one token.
fn plain(rules: &Rules, k: usize) -> Result<(), NoValues> {
    let one = rules.states.len() == k && rules.variables.len() == 1;
    let wrong = |what| Err(NoValues::State(what, k));
    match &rules.goal {
        _ if !one => wrong("a state is not one value"),
        _ if rules.possible != Possible::all(k) => wrong("some values are given"),
        _ if !rules.tosses.is_empty() => wrong("rules toss coins"),
        Goal::ExactlyOne { of, stays: false } if rules.marks.iter().map(|m| &m.name).eq(of) && of.len() == 1 => Ok(()),
        _ => Err(NoValues::Goal),
    }
}

/// All windows that read the same neighbours.
fn windows(place: Place, left: bool, right: bool) -> impl Iterator<Item = ValueWindow> {
    let looks = |reads: bool| if reads { vec![Some(true), Some(false)] } else { vec![None] };
    let rights = looks(right);
    looks(left)
        .into_iter()
        .flat_map(move |left| rights.clone().into_iter().map(move |right| ValueWindow { place, left, right }))
}

/// The rules all of whose moves are in a table.
fn read(rules: &Rules) -> Option<ValueRules> {
    let mark = rules.marks.first()?;
    let theirs: BTreeSet<_> = rules.moves.iter().map(|m| key(&rules.rules, m)).collect();
    let shown: BTreeSet<Window> = mark.windows.iter().copied().collect();
    let mut found = ValueRules { rules: rules.rules.clone(), moves: vec![], token: vec![] };
    for place in Place::ALL {
        for (left, right) in [(false, false), (true, false), (false, true), (true, true)] {
            for sees in windows(place, left, right) {
                let token = ValueRules { rules: vec![], moves: vec![], token: vec![sees] };
                if concrete(&token, READ).1.is_subset(&shown) {
                    found.token.push(sees);
                }
                for (rule, takes) in (0..rules.rules.len()).flat_map(|r| Takes::ALL.map(|takes| (r, takes))) {
                    let one = ValueMove { rule, sees, takes };
                    let alone = ValueRules { moves: vec![one], token: vec![], ..found.clone() };
                    let moves = concrete(&alone, READ).0;
                    if !moves.is_empty() && moves.iter().all(|m| theirs.contains(&key(&rules.rules, m))) {
                        found.moves.push(one);
                    }
                }
            }
        }
    }
    Some(found)
}

/// The moves and the windows of tokens with a number of values.
fn concrete(rules: &ValueRules, k: usize) -> (Vec<Move>, BTreeSet<Window>) {
    let views = |window: &ValueWindow| {
        let range = |reads: Option<bool>| if reads.is_some() { 0..k } else { 0..1 };
        let (lefts, rights, window) = (range(window.left), range(window.right), *window);
        let pairs = lefts.flat_map(move |left| (0..k).map(move |own| (left, own)));
        let all = pairs.flat_map(move |(left, own)| rights.clone().map(move |right| [left, own, right]));
        let fits = |wanted: Option<bool>, same: bool| wanted.is_none_or(|wanted| wanted == same);
        all.filter(move |[left, own, right]| fits(window.left, left == own) && fits(window.right, right == own))
    };
    let mut moves = vec![];
    for ValueMove { rule, sees, takes } in &rules.moves {
        for [left, own, right] in views(sees) {
            let reads = |wanted: Option<bool>, value: usize| {
                wanted.map(|_| Cell { before: value as State, after: value as State })
            };
            let after = match takes {
                Takes::Next => (own + 1) % k,
                Takes::Left => left,
                Takes::Right => right,
            };
            let reads_it = match takes {
                Takes::Next => true,
                Takes::Left => sees.left.is_some(),
                Takes::Right => sees.right.is_some(),
            };
            if reads_it && after != own {
                let own = Cell { before: own as State, after: after as State };
                let (left, right) = (reads(sees.left, left), reads(sees.right, right));
                moves.push(Move { rule: *rule, place: Some(sees.place), seen: None, left, own, right });
            }
        }
    }
    let token = rules.token.iter().flat_map(|window| {
        views(window).map(|[left, own, right]| Window {
            place: Some(window.place),
            left: window.left.map(|_| left as State),
            own: Some(own as State),
            right: window.right.map(|_| right as State),
        })
    });
    (moves, token.collect())
}

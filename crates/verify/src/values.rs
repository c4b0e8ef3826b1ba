//! Values that grow with the ring: agents compare them for equality and copy them, and the root takes the next one modulo K.
//!
//! Only values of neighbours, and whether they are the root's, matter to a step. So all steps of all rings with all numbers of values are
//! words over a few colours: the root has colour 0, and colour 1 is its next value. docs/proving.md has the argument.

use crate::check::verify;
use crate::reading::from_json;
use crate::rejection::{Malformed, ensure};
use crate::{
    Automaton, Cell, Certificate, Claim, Coins, Goal, Mark, Move, Place, Possible, Rejection, Rules, Scheduler, Sizes,
    State, Window,
};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

/// The value that an agent takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Takes {
    /// Its own plus 1, modulo K.
    Next,
    /// Its left neighbour's.
    Left,
    /// Its right neighbour's.
    Right,
}

impl Takes {
    /// All three.
    pub const ALL: [Takes; 3] = [Takes::Next, Takes::Left, Takes::Right];
}

/// The place of an agent, and whether its neighbours have its value. An absent field matches anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueWindow {
    /// Where the agent stands.
    pub place: Place,
    /// Whether its left neighbour has the same value.
    pub left: Option<bool>,
    /// Whether its right neighbour has.
    pub right: Option<bool>,
}

/// A rule in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueMove {
    /// Which rule, as an index into [`ValueRules::rules`].
    pub rule: usize,
    /// Where it is enabled.
    pub sees: ValueWindow,
    /// What it does.
    pub takes: Takes,
}

/// An algorithm for rings of any size n and any number K of values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueRules {
    /// The rules' names.
    pub rules: Vec<String>,
    /// All that agents can do.
    pub moves: Vec<ValueMove>,
    /// An agent has the token in these windows. The goal is exactly one token.
    pub token: Vec<ValueWindow>,
}

/// A proof that an algorithm stabilizes on every ring from some size on, with every number of values from some number on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValuesCertificate {
    /// The format's version: 1.
    pub version: u32,
    /// What the algorithm is called; the check does not use it.
    pub subject: String,
    /// The text protocol that the rules were taken from, if it was one; the check does not use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The algorithm.
    pub values: ValueRules,
    /// The claim is about this many agents, and all larger numbers n,
    pub from: usize,
    /// about every K >= n - fewer, and at least 2 (0 or 1),
    pub fewer: usize,
    /// under this daemon: unfair or distributed.
    pub scheduler: Scheduler,
    /// The safe set. It and the next one read agents 1 to n-1: 0 is an agent with the root's value, 1 one with its left neighbour's
    /// value, 2 any other.
    pub safe: Automaton,
    /// Configurations between the root's taking a value that no other agent has, and its next move.
    pub fresh: Automaton,
    /// Measures that fall while the root does not act. In them `same` is true where an agent has its left neighbour's value.
    pub measures: Vec<String>,
}

impl ValuesCertificate {
    /// Reads JSON.
    pub fn from_json(text: &str) -> Result<ValuesCertificate, serde_json::Error> {
        from_json(text)
    }

    /// Writes JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written")
    }
}

/// The colour of an agent before a step and after it.
type Column = [State; 2];

/// The first colour that is neither the root's nor its next.
const OTHERS: State = 2;

/// What an agent sees, and does.
struct View {
    place: Place,
    left: Column,
    own: Column,
    right: Column,
    root: Column,
}

impl View {
    /// The agent's letter in a set of configurations, before or after the step.
    fn letter(&self, time: usize) -> usize {
        match self.own[time] {
            own if own == self.root[time] => 0,
            own if own == self.left[time] => 1,
            _ => 2,
        }
    }

    fn fits(&self, window: &ValueWindow, time: usize) -> bool {
        let is = |wanted: Option<bool>, side: Column| wanted.is_none_or(|same| same == (side[time] == self.own[time]));
        window.place == self.place && is(window.left, self.left) && is(window.right, self.right)
    }

    fn acts(&self) -> bool {
        self.own[0] != self.own[1]
    }
}

impl ValueRules {
    /// Whether the root takes next values only, and all other agents copy values only.
    pub fn validate(&self) -> Result<(), Malformed> {
        for (i, ValueMove { rule, sees: ValueWindow { place, left, right }, takes }) in self.moves.iter().enumerate() {
            ensure(*rule < self.rules.len(), || format!("move {i} names a rule that does not exist"))?;
            let (same, other) = (Some(true), Some(false));
            let sensible = match (place, takes) {
                (Place::Bottom, Takes::Next) => *left == same || *right == same,
                (Place::Middle | Place::Top, Takes::Left) => *left == other,
                (Place::Middle | Place::Top, Takes::Right) => *right == other,
                _ => false,
            };
            ensure(sensible, || {
                let name = &self.rules[*rule];
                match place {
                    Place::Bottom => format!(
                        "move {i}, of rule {name} at agent 0: agent 0 must take the next value, and only where a neighbour has its value"
                    ),
                    _ => format!(
                        "move {i}, of rule {name}: an agent other than agent 0 must take the value of a neighbour, and only where it \
                         differs from its own"
                    ),
                }
            })?;
        }
        Ok(())
    }

    /// Whether the agent can act, before or after the step.
    fn enabled(&self, view: &View, time: usize) -> bool {
        self.moves.iter().any(|m| view.fits(&m.sees, time))
    }

    /// Whether the agent may change as it does.
    fn lawful(&self, view: &View) -> bool {
        let new = |takes| match takes {
            Takes::Next => 1,
            Takes::Left => view.left[0],
            Takes::Right => view.right[0],
        };
        !view.acts() || self.moves.iter().any(|m| view.fits(&m.sees, 0) && new(m.takes) == view.own[1])
    }
}

/// Other names for the colours of two neighbours: in the order in which they are met. Those of the root and its next value stay.
fn renamed(columns: [Column; 2]) -> [Column; 2] {
    let mut met: Vec<State> = Vec::new();
    columns.map(|column| {
        column.map(|colour| {
            if colour < OTHERS {
                return colour;
            }
            let at = met.iter().position(|other| *other == colour).unwrap_or_else(|| {
                met.push(colour);
                met.len() - 1
            });
            OTHERS + at as State
        })
    })
}

/// One agent more of a ring that is shown: its colours as they were before the last two, a `pair`, were renamed.
fn longer(word: &[Column], pair: [Column; 2], right: Column) -> Vec<Column> {
    let last = word[word.len() - 2..].as_flattened();
    let unused = word.as_flattened().iter().fold(OTHERS, |next, colour| next.max(colour.saturating_add(1)));
    let shown = right.map(|colour| match pair.as_flattened().iter().position(|other| *other == colour) {
        _ if colour < OTHERS => colour,
        Some(at) => last[at],
        None => unused.saturating_add(State::from(colour != right[0])),
    });
    [word, &[shown]].concat()
}

/// Follows all rings agent by agent, 1 to n-1 and then the root, to one that shows a claim to be wrong.
///
/// Of colours other than the root's and its next, only equality matters. Two neighbours have at most four of them, and the next agent two.
fn search(certificate: &ValuesCertificate, root: Column, still: bool) -> Result<(), Rejection> {
    // The root compares the first agent's colours only with its own, so all other colours count as one.
    let dull = |column: Column| column.map(|colour| colour.min(OTHERS));
    let colours = OTHERS + 6;
    let columns = (0..colours).flat_map(|one| (0..colours).map(move |two| [one, two]));
    let columns: Vec<Column> = columns.filter(|[one, two]| !still || one == two).collect();
    let first = |own: &Column| (dull(*own), renamed([root, *own]), certificate.start());
    let mut open: VecDeque<_> = columns.iter().map(|own| (first(own), vec![root, *own])).collect();
    let mut met: HashSet<_> = columns.iter().map(first).collect();
    while let Some(((first, [left, own], facts), word)) = open.pop_front() {
        let last = View { place: Place::Top, left, own, right: root, root };
        let closing = View { place: Place::Bottom, left: own, own: root, right: first, root };
        let end = certificate.read(&facts, &last, still).and_then(|facts| certificate.read(&facts, &closing, still));
        let wrong = end.and_then(|end| match still {
            true => certificate.wrong_of_configuration(&end),
            false => certificate.wrong_of_step(&end, root[0] != root[1]),
        });
        if let Some(claim) = wrong {
            let colours = |time: usize| word.iter().map(|column| column[time]).collect();
            return Err(Rejection::Fails(claim, colours(0), (!still).then(|| colours(1))));
        }
        for right in &columns {
            let view = View { place: Place::Middle, left, own, right: *right, root };
            let Some(facts) = certificate.read(&facts, &view, still) else { continue };
            let next = (first, renamed([own, *right]), facts);
            if met.insert(next.clone()) {
                open.push_back((next, longer(&word, [left, own], *right)));
            }
        }
    }
    Ok(())
}

/// What matters of a ring, or of its first agents.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Facts {
    /// The size, as far as it matters.
    size: usize,
    /// The states of the automata of the safe set and of the fresh set, before and after the step.
    at: [[Option<usize>; 2]; 2],
    /// How many act, up to 2.
    movers: usize,
    /// Two of the others have the same value after the step: 2. One has the root's: 1.
    equal: usize,
    /// Whether the root can act before the step, and after it.
    root: [bool; 2],
    /// If nobody acts: how many tokens there are, up to 2; whether somebody can act; whether no other agent has the root's value.
    tokens: usize,
    enabled: bool,
    alone: bool,
}

impl ValuesCertificate {
    fn sets(&self) -> [&Automaton; 2] {
        [&self.safe, &self.fresh]
    }

    fn start(&self) -> Facts {
        let at = [self.sets().map(|set| Some(set.start)); 2];
        Facts { size: 0, at, movers: 0, equal: 0, root: [false; 2], tokens: 0, enabled: false, alone: true }
    }

    /// The facts with one agent more, if it may change as it does.
    fn read(&self, facts: &Facts, view: &View, still: bool) -> Option<Facts> {
        let rules = &self.values;
        let mut facts = rules.lawful(view).then(|| facts.clone())?;
        facts.size = (facts.size + 1).min(self.from.max(3));
        facts.movers = (facts.movers + usize::from(view.acts())).min(2);
        if view.place == Place::Bottom {
            facts.root = [0, 1].map(|time| rules.enabled(view, time));
        } else {
            let letters = [0, 1].map(|time| view.letter(time));
            let next = |set: usize, time: usize| self.sets()[set].next[facts.at[time][set]?][letters[time]];
            facts.at = [0, 1].map(|time| [next(0, time), next(1, time)]);
            facts.equal = (facts.equal + [1, 2, 0][letters[1]]).min(2);
            facts.alone &= letters[0] != 0 || !still;
        }
        if still {
            let token = rules.token.iter().any(|window| view.fits(window, 0));
            facts.tokens = (facts.tokens + usize::from(token)).min(2);
            facts.enabled |= rules.enabled(view, 0);
        }
        Some(facts)
    }

    /// Whether a configuration is safe and fresh, before the step and after it.
    fn within(&self, facts: &Facts) -> [[bool; 2]; 2] {
        let has = |set: usize, at: Option<usize>| at.is_some_and(|at| self.sets()[set].accepting.contains(&at));
        facts.at.map(|[safe, fresh]| [has(0, safe), has(1, fresh)])
    }

    /// The claim that a configuration shows to be wrong.
    fn wrong_of_configuration(&self, facts: &Facts) -> Option<Claim> {
        let [[safe, fresh], _] = self.within(facts);
        let wrong = [
            (Claim::Promise, safe && facts.tokens != 1),
            (Claim::Progress, !safe && !facts.enabled),
            (Claim::Fresh, facts.alone && !fresh),
            (Claim::Returns, fresh && !safe && facts.root[0]),
        ];
        wrong.into_iter().find(|(_, wrong)| *wrong && facts.size >= self.from).map(|(claim, _)| claim)
    }

    /// The claim that a step shows to be wrong; `acts` is whether the root acts.
    fn wrong_of_step(&self, facts: &Facts, acts: bool) -> Option<Claim> {
        let [[safe, fresh], [still_safe, still_fresh]] = self.within(facts);
        let outside = !safe && !still_safe;
        let few = self.fewer == 1 && facts.size >= 3;
        let wrong = [
            (Claim::Closed, safe && !still_safe),
            (Claim::StaysFresh, outside && fresh && !still_fresh && !acts),
            (Claim::Repeats, outside && facts.root[1] && facts.equal < 2 && few),
        ];
        let allowed = facts.movers == 1 || facts.movers == 2 && self.scheduler == Scheduler::Distributed;
        wrong.into_iter().find(|(_, wrong)| *wrong && allowed && facts.size >= self.from).map(|(claim, _)| claim)
    }
}

/// Checks a certificate about every number of values: accepted means that the claim holds for every n and every K it speaks of.
///
/// Dijkstra's K-state token ring, for every n >= 2 and every K >= n under the distributed daemon:
///
/// ```
/// use ringleader_verify::{Claim, Rejection, ValuesCertificate, verify_values};
///
/// let mut certificate = ValuesCertificate::from_json(r#"{
///     "version": 1, "subject": "k-state",
///     "values": {
///         "rules": ["count", "copy"],
///         "moves": [
///             {"rule": 0, "sees": {"place": "bottom", "left": true}, "takes": "next"},
///             {"rule": 1, "sees": {"place": "middle", "left": false}, "takes": "left"},
///             {"rule": 1, "sees": {"place": "top", "left": false}, "takes": "left"}],
///         "token": [{"place": "bottom", "left": true}, {"place": "middle", "left": false}, {"place": "top", "left": false}]
///     },
///     "from": 2, "fewer": 0, "scheduler": "distributed",
///     "safe": {"start": 0, "accepting": [0, 1], "next": [[0, null, 1], [null, 1, null]]},
///     "fresh": {"start": 0, "accepting": [0, 1], "next": [[0, null, 1], [null, 1, 1]]},
///     "measures": ["L:copy"]
/// }"#).unwrap();
/// assert!(verify_values(&certificate).is_ok());
///
/// certificate.fewer = 1;
/// assert!(matches!(verify_values(&certificate), Err(Rejection::Fails(Claim::Repeats, ..))));
/// ```
pub fn verify_values(certificate: &ValuesCertificate) -> Result<(), Rejection> {
    let ValuesCertificate { version, values, from, fewer, scheduler, safe, fresh, .. } = certificate;
    ensure(*version == 1, || format!("version {version} of the format is not known; 1 is"))?;
    values.validate()?;
    ensure((2..=64).contains(from), || format!("rings from {from} agents on: from 2 to 64"))?;
    ensure(*fewer <= 1, || format!("K >= n - {fewer}: K >= n or K >= n - 1 can be claimed"))?;
    let daemon = matches!(scheduler, Scheduler::Unfair | Scheduler::Distributed);
    ensure(daemon, || "a proof about every number of values is for unfair or distributed".into())?;
    for set in [safe, fresh] {
        let states = set.next.len();
        let mut named = set.accepting.iter().chain([&set.start]).chain(set.next.iter().flatten().flatten());
        let sensible = set.next.iter().all(|row| row.len() == 3) && named.all(|&s| s < states);
        ensure(sensible, || {
            format!("a set's automaton needs, for each of its states, three times null or a number below {states}")
        })?;
    }
    search(certificate, [0, 0], true)?;
    search(certificate, [0, 0], false)?;
    search(certificate, [0, 1], false)?;
    verify(&others_stop(certificate))
}

/// The claim that agents other than the root do not act for ever if the root does not: a certificate about rings whose root has colour 0.
/// Five colours are enough, because only agents at most three apart are compared.
pub fn others_stop(certificate: &ValuesCertificate) -> Certificate {
    const COLOURS: State = 5;
    let ValuesCertificate { version, subject, values, from, scheduler, measures, .. } = certificate;
    let others = || values.moves.iter().filter(|m| m.takes != Takes::Next);
    let mut used: Vec<usize> = others().map(|m| m.rule).collect();
    used.sort_unstable();
    used.dedup();
    let names: Vec<String> = used.iter().map(|rule| values.rules[*rule].clone()).collect();
    let mut moves = Vec::new();
    for m in others() {
        let colours = |sees: Option<bool>| if sees.is_some() { 0..COLOURS } else { 0..1 };
        for own in 0..COLOURS {
            for left in colours(m.sees.left) {
                for right in colours(m.sees.right) {
                    let fits = |wanted: Option<bool>, seen: State| wanted.is_none_or(|same| same == (seen == own));
                    if fits(m.sees.left, left) && fits(m.sees.right, right) {
                        let reads =
                            |wanted: Option<bool>, seen: State| wanted.map(|_| Cell { before: seen, after: seen });
                        let after = if m.takes == Takes::Left { left } else { right };
                        moves.push(Move {
                            rule: used.iter().position(|rule| *rule == m.rule).unwrap_or_default(),
                            place: Some(m.sees.place),
                            seen: None,
                            left: reads(m.sees.left, left),
                            own: Cell { before: own, after },
                            right: reads(m.sees.right, right),
                        });
                    }
                }
            }
        }
    }
    let any: Vec<State> = (0..COLOURS).collect();
    let same = any.iter().map(|s| Window { left: Some(*s), own: Some(*s), ..Window::default() });
    let enabled = names.iter().cloned().reduce(|one, two| format!("({one} | {two})"));
    Certificate {
        version: *version,
        subject: subject.clone(),
        text: None,
        safe: stopped(values, &any),
        rules: Rules {
            states: any.iter().map(ToString::to_string).collect(),
            variables: Vec::new(),
            marks: vec![Mark { name: "same".into(), windows: same.collect() }],
            rules: names,
            moves,
            tosses: Vec::new(),
            given: None,
            possible: Possible { bottom: vec![0], middle: any.clone(), top: any },
            detector: None,
            goal: Goal::Everywhere { formula: enabled.map_or("1".into(), |enabled| format!("!{enabled}")) },
        },
        sizes: Sizes { from: *from, modulus: 1, residues: vec![0] },
        scheduler: *scheduler,
        coins: Coins::Adversarial,
        lasting: None,
        measures: measures.clone(),
        recurring: None,
        helpful: None,
    }
}

/// The configurations in which no agent but the root can act.
fn stopped(values: &ValueRules, colours: &[State]) -> Automaton {
    let enabled = |place, left: State, own: State, right: State| {
        let view = View { place, left: [left; 2], own: [own; 2], right: [right; 2], root: [0; 2] };
        values.enabled(&view, 0)
    };
    // Nobody, the root, or two neighbours.
    let mut all: Vec<Vec<State>> = vec![vec![], vec![0]];
    all.extend(colours.iter().flat_map(|left| colours.iter().map(move |own| vec![*left, *own])));
    let number: HashMap<Vec<State>, usize> = all.iter().cloned().enumerate().map(|(i, seen)| (seen, i)).collect();
    let next = |seen: &Vec<State>, right: State| match seen[..] {
        [] => (right == 0).then_some(1),
        [root] => number.get(&vec![root, right]).copied(),
        [left, own] if !enabled(Place::Middle, left, own, right) => number.get(&vec![own, right]).copied(),
        _ => None,
    };
    let ends = |seen: &Vec<State>| matches!(seen[..], [left, own] if !enabled(Place::Top, left, own, 0));
    Automaton {
        start: 0,
        accepting: (0..all.len()).filter(|i| ends(&all[*i])).collect(),
        next: all.iter().map(|seen| colours.iter().map(|right| next(seen, *right)).collect()).collect(),
    }
}

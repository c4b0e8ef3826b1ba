//! An algorithm's configurations and steps as words, and the flaws of a claimed safe set.

use super::table::{Dfa, word};
use super::track::Track;
use crate::Unsafe;
use crate::formulas::atoms::Atom;
use crate::formulas::evaluate::{Evaluator, expression};
use crate::rings::choices::Daemon;
use crate::watch::Cancel;
use ringleader_verify::{Automaton, Cell, Move, Place, Rules, Scheduler, Sizes, State};
use std::hash::Hash;

/// Automata with more states than this are given up.
const LIMIT: usize = 200_000;

/// The states of one agent in two configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) place: Place,
    pub(crate) before: State,
    pub(crate) after: State,
    /// The daemon's choice for the agent; 0 if it does not act, or if choices do not matter.
    pub(crate) label: u8,
}

/// The data of an algorithm that do not depend on a safe set.
pub(crate) struct Words<'a> {
    pub(crate) atoms: &'a [Atom],
    pub(crate) states: usize,
    /// The letters of pairs of configurations.
    pub(crate) letters: Vec<Letter>,
    /// Single configurations, by place and state.
    pub(crate) all: Dfa,
    /// If choices matter: configurations with the daemon's choice, by label, place and state.
    choices: Option<Dfa>,
    pub(crate) steps: Dfa,
    pub(crate) cancel: Cancel<'a>,
}

/// A move with its cells in a row.
struct Row {
    cells: Vec<Cell>,
    centre: usize,
    place: Option<Place>,
    seen: Option<bool>,
    label: u8,
}

impl Row {
    fn new(m: &Move, label: u8) -> Row {
        Row { cells: m.cells(), centre: m.centre(), place: m.place, seen: m.seen, label }
    }

    fn fits(&self, cell: usize, l: Letter) -> bool {
        let (c, acts) = (self.cells[cell], cell == self.centre);
        let placed = !acts || self.place.is_none_or(|p| p == l.place);
        (c.before, c.after) == (l.before, l.after) && placed && l.label == if acts { self.label } else { 0 }
    }
}

/// The position in a guessed step: the row, its first cell, and the number of cells read. If the first cell is in the
/// middle, the rest of the row is at the word's end. `IDLE` before the row, `OVER` after.
type Stand = (u32, u8, u8);
const IDLE: Stand = (u32::MAX, 0, 0);
const OVER: Stand = (u32::MAX, 1, 0);

impl<'a> Words<'a> {
    /// `None` if an automaton is too large, or if the search is cancelled.
    pub(crate) fn new(
        rules: &Rules,
        daemon: Option<&Daemon>,
        sizes: &Sizes,
        atoms: &'a [Atom],
        cancel: Cancel<'a>,
    ) -> Option<Words<'a>> {
        let states = rules.states.len();
        let mut letters = Vec::new();
        for place in Place::ALL {
            for &s in rules.possible.at(place) {
                let mut after: Vec<State> =
                    rules.moves.iter().flat_map(|m| m.cells()).filter(|c| c.before == s).map(|c| c.after).collect();
                after.push(s);
                after.sort_unstable();
                after.dedup();
                letters.extend(after.into_iter().flat_map(|after| {
                    let labels = 0..=daemon.map_or(0, |daemon| daemon.labels);
                    let letters = labels.map(move |label| Letter { place, before: s, after, label });
                    letters.filter(|l| daemon.is_none_or(|daemon| daemon.uses(l.label, l.before, l.after)))
                }));
            }
        }
        let nothing = Dfa::build(0, |_| cancel.asked(), 0, |_, _| None, |_| 0)?;
        let mut space = Words { atoms, states, letters, all: nothing.clone(), choices: None, steps: nothing, cancel };
        let step = |&(length, rest, over): &(usize, usize, bool), letter| {
            let (place, s) = (Place::ALL[letter / states], (letter % states) as State);
            let fits = !over && (length == 0) == (place == Place::Bottom) && rules.possible.at(place).contains(&s);
            fits.then(|| (sizes.from.min(length + 1), (rest + 1) % sizes.modulus, place == Place::Top))
        };
        let class = |&(length, rest, over): &(usize, usize, bool)| {
            u8::from(over && length == sizes.from && sizes.residues.contains(&rest))
        };
        space.all = space.least(LIMIT, 3 * states, (0, 0, false), step, class)?;
        if let Some(text) = &rules.given {
            space.all = space.meeting(&[expression(&text.parse().ok()?, atoms, rules)?], true)?;
        }
        let Some(daemon) = daemon else {
            space.steps = space.find_steps(rules, rules.moves.iter().map(|m| Row::new(m, 0)).collect())?;
            return Some(space);
        };
        let labels = 0..=daemon.labels;
        let singles = labels.flat_map(|label| {
            let letters = Place::ALL.into_iter().flat_map(|place| (0..states as State).map(move |s| (place, s)));
            letters.map(move |(place, s)| Letter { place, before: s, after: s, label })
        });
        let allowed = |l: Letter, view| match l.label {
            0 => daemon.scheduler != Scheduler::Synchronous || !daemon.enabled(l.place, view),
            label => daemon.choice(label, l.place, view).is_some(),
        };
        space.choices = Some(space.acting(daemon, &singles.collect::<Vec<_>>(), allowed)?);
        let outcome = |l: Letter, view| match l.label {
            0 => l.before == l.after && allowed(l, view),
            label => daemon.choice(label, l.place, view).is_some_and(|choice| choice.leads_to(l.after)),
        };
        space.steps = match daemon.together() {
            true => space.acting(daemon, &space.letters, outcome)?,
            false => space.find_steps(rules, daemon.moves().map(|(label, m)| Row::new(m, label)).collect())?,
        };
        Some(space)
    }

    /// The least automaton that functions describe; `None` if it has more states than the limit on the way.
    pub(crate) fn least<S: Clone + Eq + Hash>(
        &self,
        limit: usize,
        letters: usize,
        start: S,
        step: impl FnMut(&S, usize) -> Option<S>,
        class: impl FnMut(&S) -> u8,
    ) -> Option<Dfa> {
        let too_large = |states| states > limit || self.cancel.asked();
        Dfa::build(letters, too_large, start, step, class)?.quotient(self.cancel)
    }

    pub(crate) fn single(&self, place: Place, s: State) -> usize {
        place as usize * self.states + usize::from(s)
    }

    /// The number of a letter before a step among the letters of the daemon's choices.
    pub(crate) fn labelled(&self, l: Letter) -> usize {
        usize::from(l.label) * 3 * self.states + self.single(l.place, l.before)
    }

    /// Words of letters in which the daemon lets agents act, each as is `lawful` in its view. An agent's view is complete when its
    /// right neighbour is read; that of agent 0 when all are.
    fn acting(&self, daemon: &Daemon, letters: &[Letter], lawful: impl Fn(Letter, [State; 3]) -> bool) -> Option<Dfa> {
        #[derive(Clone, PartialEq, Eq, Hash)]
        struct At {
            all: u32,
            acted: bool,
            /// The first agent and the state of the second; the state of the last but one, and the last agent.
            ends: Option<(usize, Option<State>, State, usize)>,
        }
        let [reads_left, reads_right] = daemon.reads();
        let seen = |reads: bool, s: State| if reads { s } else { 0 };
        let view = |left: State, own: usize, right: State| {
            lawful(letters[own], [seen(reads_left, left), letters[own].before, seen(reads_right, right)])
        };
        let step = |at: &At, letter: usize| {
            let l = letters[letter];
            let all = self.all.to(at.all, self.single(l.place, l.before))?;
            let acts = l.label != 0;
            if acts && at.acted && !daemon.together() {
                return None;
            }
            let ends = match at.ends {
                None => (letter, None, 0, letter),
                Some((first, None, ..)) => {
                    (first, Some(seen(reads_right, l.before)), seen(reads_left, letters[first].before), letter)
                }
                Some((first, second, before, last)) => {
                    if !view(before, last, l.before) {
                        return None;
                    }
                    (first, second, seen(reads_left, letters[last].before), letter)
                }
            };
            Some(At { all, acted: at.acted || acts, ends: Some(ends) })
        };
        let class = |at: &At| {
            let closes = at.ends.is_some_and(|(first, second, before, last)| {
                let first_sees = |second| view(letters[last].before, first, second);
                view(before, last, letters[first].before) && second.is_some_and(first_sees)
            });
            u8::from(self.all.class[at.all as usize] == 1 && at.acted && closes)
        };
        let start = At { all: 0, acted: false, ends: None };
        self.least(LIMIT, letters.len(), start, step, class)
    }

    fn find_steps(&self, rules: &Rules, rows: Vec<Row>) -> Option<Dfa> {
        let answers: &[bool] = if rules.detector.is_some() { &[false, true] } else { &[true] };
        let asks = |row: &Row, answer: bool| row.seen.is_none_or(|s| s == answer);
        let mut start: Vec<(bool, bool, Stand)> = Vec::new();
        for &answer in answers {
            start.push((answer, rules.detector.is_none(), IDLE));
            for (r, row) in rows.iter().enumerate().filter(|(_, row)| asks(row, answer)) {
                let within = (1..row.cells.len() as u8).map(|begin| (r as u32, begin, 0));
                start.extend(within.map(|stand| (answer, rules.detector.is_none(), stand)));
            }
        }
        // Rows by their possible first letter.
        let first: Vec<Vec<u32>> = self
            .letters
            .iter()
            .map(|&l| (0..rows.len() as u32).filter(|&r| rows[r as usize].fits(0, l)).collect())
            .collect();
        let step = |(at, runs): &(u32, Vec<(bool, bool, Stand)>), letter: usize| {
            let l = self.letters[letter];
            let at = self.all.to(*at, self.single(l.place, l.before))?;
            let same = l.before == l.after && l.label == 0;
            let sees = rules.detector.as_ref().is_some_and(|d| d.contains(&l.before));
            let mut next = Vec::new();
            for &(answer, seen, stand) in runs {
                let mut go = |stand: Stand| next.push((answer, seen || sees, stand));
                if stand == IDLE || stand == OVER {
                    if same {
                        go(stand);
                    }
                    for &r in first[letter].iter().filter(|_| stand == IDLE) {
                        let row = &rows[r as usize];
                        if asks(row, answer) {
                            go(if row.cells.len() == 1 { OVER } else { (r, 0, 1) });
                        }
                    }
                    continue;
                }
                let (r, begin, read) = stand;
                let row = &rows[r as usize];
                let width = row.cells.len() as u8;
                if begin > 0 && begin + read == width && same {
                    go(stand);
                }
                if read < width && row.fits(usize::from((begin + read) % width), l) {
                    let done = begin == 0 && read + 1 == width;
                    go(if done { OVER } else { (r, begin, read + 1) });
                }
            }
            next.sort_unstable();
            next.dedup();
            (!next.is_empty()).then_some((at, next))
        };
        let whole = |&(answer, seen, stand): &(bool, bool, Stand)| {
            let across = || stand != IDLE && usize::from(stand.2) == rows[stand.0 as usize].cells.len();
            answer == seen && (stand == OVER || across())
        };
        let class = |(at, runs): &(u32, Vec<(bool, bool, Stand)>)| {
            u8::from(self.all.class[*at as usize] == 1 && runs.iter().any(whole))
        };
        self.least(LIMIT, self.letters.len(), (0, start), step, class)
    }
}

/// A space with a claimed safe set.
pub(crate) struct Hypothesis<'s, 'a> {
    pub(crate) space: &'s Words<'a>,
    /// The safe configurations, the others (if choices matter, with the daemon's choice), and the steps from the others.
    pub(crate) safe: Dfa,
    pub(crate) outside: Dfa,
    pub(crate) open: Dfa,
}

impl<'s, 'a> Hypothesis<'s, 'a> {
    /// `None` if an automaton is too large, or if the search is cancelled.
    pub(crate) fn new(space: &'s Words<'a>, given: &Automaton) -> Option<Hypothesis<'s, 'a>> {
        let go = |at: usize, letter: usize| given.next[at][letter % space.states];
        let accepts = |at: Option<usize>| at.is_some_and(|s| given.accepting.contains(&s));
        let singles = |all: &Dfa, inside: bool| {
            let step = |&(at, s): &(u32, Option<usize>), letter: usize| {
                Some((all.to(at, letter)?, s.and_then(|s| go(s, letter))))
            };
            let class = |&(at, s): &(u32, Option<usize>)| u8::from(all.class[at as usize] == 1 && accepts(s) == inside);
            space.least(LIMIT, all.letters, (0, Some(given.start)), step, class)
        };
        let step = |&(at, s): &(u32, Option<usize>), letter: usize| {
            let before = usize::from(space.letters[letter].before);
            Some((space.steps.to(at, letter)?, s.and_then(|s| go(s, before))))
        };
        let class = |&(at, s): &(u32, Option<usize>)| u8::from(space.steps.class[at as usize] == 1 && !accepts(s));
        let open = space.least(LIMIT, space.letters.len(), (0, Some(given.start)), step, class)?;
        let outside = singles(space.choices.as_ref().unwrap_or(&space.all), false)?;
        Some(Hypothesis { space, safe: singles(&space.all, true)?, outside, open })
    }

    pub(crate) fn pair(&self, word: &[usize]) -> (Vec<State>, Vec<State>) {
        word.iter().map(|&l| (self.space.letters[l].before, self.space.letters[l].after)).unzip()
    }

    pub(crate) fn single(&self, word: &[usize]) -> Vec<State> {
        word.iter().map(|&l| (l % self.space.states) as State).collect()
    }

    /// The flaw of the set: a broken promise, a step that leaves it, or a step that changes a value that must stay.
    pub(crate) fn flaw(&self, evaluator: &Evaluator) -> Option<Unsafe> {
        self.broken_promise(evaluator).or_else(|| self.leaving(evaluator))
    }

    pub(crate) fn broken_promise(&self, evaluator: &Evaluator) -> Option<Unsafe> {
        let everywhere = evaluator.everywhere;
        let Some(mut track) = Track::new(self.space.atoms, self.space.states, &evaluator.goal) else {
            return Some(Unsafe::TooLarge);
        };
        let wanted = u32::from(!everywhere);
        let step = |&(at, run, count, _): &(u32, u32, u32, bool), letter: usize| {
            let (place, s) = (Place::ALL[letter / self.space.states], (letter % self.space.states) as State);
            let Some(at) = self.safe.to(at, letter) else { return Vec::new() };
            let read = track.read(run, place, s).to_vec();
            let counted = read.iter().map(|&(run, bits)| {
                let more = if everywhere { 1 - bits } else { bits.count_ones() };
                (at, run, (count + more).min(2), track.closes(run))
            });
            counted.collect()
        };
        let broken = |&(at, _, count, closes): &(u32, u32, u32, bool)| {
            closes && self.safe.class[at as usize] == 1 && count != wanted
        };
        let found = word(3 * self.space.states, (0, 0, 0, false), step, broken, self.space.cancel)?;
        Some(Unsafe::Promise(self.single(&found)))
    }

    pub(crate) fn leaving(&self, evaluator: &Evaluator) -> Option<Unsafe> {
        let watched = if evaluator.stays { evaluator.goal.as_slice() } else { &[] };
        let Some(mut track) = Track::new(self.space.atoms, self.space.states, watched) else {
            return Some(Unsafe::TooLarge);
        };
        type At = (u32, u32, Option<u32>, u32, u32, bool, bool);
        let step = |&(at, one, two, r, q, moved, _): &At, letter: usize| {
            let Letter { place, before, after, .. } = self.space.letters[letter];
            let (one_letter, two_letter) = (self.space.single(place, before), self.space.single(place, after));
            let both = || Some((self.space.steps.to(at, letter)?, self.safe.to(one, one_letter)?));
            let Some((at, one)) = both() else { return Vec::new() };
            let two = two.and_then(|s| self.safe.to(s, two_letter));
            let befores = track.read(r, place, before).to_vec();
            let afters = track.read(q, place, after).to_vec();
            let pairs = befores.iter().flat_map(|b| afters.iter().map(move |a| (b, a)));
            let all = pairs
                .map(|(b, a)| (at, one, two, b.0, a.0, moved || b.1 != a.1, track.closes(b.0) && track.closes(a.0)));
            all.collect()
        };
        let wrong = |&(at, one, two, _, _, moved, closes): &At| {
            let from_safe = self.space.steps.class[at as usize] == 1 && self.safe.class[one as usize] == 1;
            let stays_safe = two.is_some_and(|s| self.safe.class[s as usize] == 1);
            from_safe && closes && (moved || !stays_safe)
        };
        let start = (0, 0, Some(0), 0, 0, false, false);
        let found = word(self.space.letters.len(), start, step, wrong, self.space.cancel)?;
        let (w, v) = self.pair(&found);
        Some(if evaluator.promised(&w) == evaluator.promised(&v) { Unsafe::Leaves(w, v) } else { Unsafe::Moves(w, v) })
    }
}

//! Configurations and steps as words: the automata of the possible configurations and of the pairs one move apart.

use crate::automaton::{Dfa, Numbered, START};
use crate::ring::{Ring, Way, closes};
use crate::{Cell, Move, Place, Rejection, Rules, Sizes, State};
use std::collections::BTreeSet;

/// What of a move is still to come right of a link: its cells, and if the agent itself is the next, where it must stand.
type Rest = (Vec<Cell>, Option<Option<Place>>);

/// The number of no cells at all.
const NOTHING: u32 = 0;

/// Letters: an agent's place and state, numbered; and pairs of these, before and after.
pub(crate) struct Alphabet<'a> {
    pub(crate) rules: &'a Rules,
    /// Any two agents may meet; otherwise only neighbours on a ring.
    complete: bool,
    pub(crate) pairs: Vec<[usize; 2]>,
}

impl<'a> Alphabet<'a> {
    pub(crate) fn new(rules: &'a Rules, complete: bool) -> Alphabet<'a> {
        let mut pairs = BTreeSet::new();
        for (place, &before) in Place::ALL.iter().flat_map(|p| rules.possible.at(*p).iter().map(move |s| (*p, s))) {
            let changed = rules.moves.iter().flat_map(Move::cells).filter(|c| c.before == before).map(|c| c.after);
            let letter = |state: State| place as usize * rules.states.len() + usize::from(state);
            pairs.extend(changed.chain([before]).map(|after| [letter(before), letter(after)]));
        }
        Alphabet { rules, complete, pairs: pairs.into_iter().collect() }
    }

    /// The same letters for rules with other moves, of which each changes agents like one of these.
    pub(crate) fn with<'b>(&self, rules: &'b Rules) -> Alphabet<'b> {
        Alphabet { rules, complete: self.complete, pairs: self.pairs.clone() }
    }

    /// How many letters a single configuration has.
    pub(crate) fn singles(&self) -> usize {
        3 * self.rules.states.len()
    }

    pub(crate) fn place(&self, single: usize) -> Place {
        Place::ALL[single / self.rules.states.len()]
    }

    pub(crate) fn state(&self, single: usize) -> State {
        (single % self.rules.states.len()) as State
    }

    /// The words that are configurations: one bottom, others, one top, of possible states, of a size that is spoken of.
    pub(crate) fn configurations(&self, sizes: &Sizes) -> Result<Dfa, Rejection> {
        let step = |&(ended, length, rest): &(bool, usize, usize), letter: usize| {
            let place = self.place(letter);
            let fits = !ended && (place == Place::Bottom) == (length == 0);
            let possible = self.rules.possible.at(place).contains(&self.state(letter));
            let next = (place == Place::Top, (length + 1).min(sizes.from), (rest + 1) % sizes.modulus);
            (fits && possible).then_some(next)
        };
        let spoken_of = |&(ended, length, rest): &(bool, usize, usize)| {
            u8::from(ended && length == sizes.from && sizes.residues.contains(&rest))
        };
        Dfa::new(self.singles(), (false, 0, 0), step, spoken_of)
    }

    /// The ways in which a pair can be part of a step: a link says what of a move goes on across it, if any does, and what the detector says.
    ///
    /// "There is a leader" needs a reason; where one is seen nobody says that there is none. What is read is whether the agent acts.
    /// On a ring a move's cells are side by side. On a complete graph agents between them pass it on.
    fn ways(&self, rests: &mut Numbered<Rest>, [one, two]: [usize; 2]) -> Vec<Way> {
        let (here, cell) = (self.place(one), Cell { before: self.state(one), after: self.state(two) });
        let (unchanged, detector) = (cell.before == cell.after, &self.rules.detector);
        let leads = detector.as_ref().is_some_and(|states| states.contains(&cell.before));
        let mut ways = Vec::new();
        for answer in [false, true].into_iter().filter(|answer| if *answer { detector.is_some() } else { !leads }) {
            let mut push = |left, right, acts| {
                let [left, right] = [left, right].map(|link| u64::from(link) << 1 | u64::from(answer));
                let (believed, reasons, values) = (u64::from(answer), u64::from(leads), u64::from(acts));
                ways.push(Way { left, right, believed, reasons, values });
            };
            if unchanged {
                push(NOTHING, NOTHING, false);
            }
            for m in self.rules.moves.iter().filter(|m| m.seen.is_none_or(|seen| seen == answer)) {
                let (cells, centre) = (m.cells(), m.centre());
                let mut rest = |k: usize| rests.number((cells[k..].to_vec(), (k <= centre).then_some(m.place)));
                if self.complete && unchanged {
                    push(rest(1), rest(1), false);
                }
                for k in (0..cells.len()).filter(|k| cells[*k] == cell) {
                    let placed = k != centre || m.place.is_none_or(|place| place == here);
                    if placed {
                        push(if k == 0 { NOTHING } else { rest(k) }, rest(k + 1), k == centre);
                    }
                }
            }
        }
        ways
    }

    /// The pairs of a configuration and one that a single move makes of it.
    pub(crate) fn steps(&self, configurations: &Dfa) -> Result<Dfa, Rejection> {
        let mut rests = Numbered::new((Vec::new(), None));
        let ring = Ring::new(self.pairs.iter().map(|pair| self.ways(&mut rests, *pair)).collect());
        let step = |(at, runs): &(u32, BTreeSet<_>), letter: usize| {
            let at = configurations.step(*at, self.pairs[letter][0])?;
            let read = |&(run, acted)| ring.read(run, letter).map(move |(run, acts)| (run, acted + acts));
            let runs: BTreeSet<_> = runs.iter().flat_map(read).filter(|(_, acted)| *acted <= 1).collect();
            (!runs.is_empty()).then_some((at, runs))
        };
        let accepted = |(at, runs): &(u32, BTreeSet<_>)| {
            let one_acted = runs.iter().any(|&(run, acted)| closes(run) && acted == 1);
            u8::from(configurations.class[*at as usize] == 1 && one_acted)
        };
        Dfa::new(self.pairs.len(), (START, BTreeSet::from([(None, 0)])), step, accepted)
    }
}

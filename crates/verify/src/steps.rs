//! Configurations and steps as words: the automata of the possible configurations and of the pairs one move apart.

use crate::automaton::{Dfa, TooLarge};
use crate::fault::{Fault, planted};
use crate::{Move, Place, Rules, Sizes, State};

/// One agent of a pair of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) place: Place,
    pub(crate) before: State,
    pub(crate) after: State,
}

/// Letters: an agent's place and state, numbered; and pairs of such.
pub(crate) struct Alphabet {
    pub(crate) states: usize,
    pub(crate) pairs: Vec<Pair>,
}

impl Alphabet {
    pub(crate) fn new(rules: &Rules) -> Alphabet {
        let mut pairs = Vec::new();
        for place in Place::ALL {
            for &s in rules.possible.at(place) {
                let changes = rules.moves.iter().flat_map(Move::cells).filter(|c| c.before == s).map(|c| c.after);
                for after in changes.chain([s]) {
                    let pair = Pair { place, before: s, after };
                    if !pairs.contains(&pair) {
                        pairs.push(pair);
                    }
                }
            }
        }
        Alphabet { states: rules.states.len(), pairs }
    }

    /// How many letters a single configuration has.
    pub(crate) fn singles(&self) -> usize {
        3 * self.states
    }

    pub(crate) fn single(&self, place: Place, state: State) -> usize {
        place as usize * self.states + usize::from(state)
    }

    pub(crate) fn place(&self, single: usize) -> Place {
        Place::ALL[single / self.states]
    }

    pub(crate) fn state(&self, single: usize) -> State {
        (single % self.states) as State
    }

    /// The letters of both configurations at a pair.
    pub(crate) fn both(&self, pair: usize) -> [usize; 2] {
        let Pair { place, before, after } = self.pairs[pair];
        [self.single(place, before), self.single(place, after)]
    }
}

/// The words that are configurations: one bottom, others, one top, of possible states, of a size that is spoken of.
pub(crate) fn configurations(rules: &Rules, sizes: &Sizes, alphabet: &Alphabet) -> Result<Dfa, TooLarge> {
    let step = |&(ended, length, rest): &(bool, usize, usize), letter: usize| {
        let place = alphabet.place(letter);
        let fits = !ended && (place == Place::Bottom) == (length == 0);
        let possible = rules.possible.at(place).contains(&alphabet.state(letter));
        let next = (place == Place::Top, (length + 1).min(sizes.from), (rest + 1) % sizes.modulus);
        (fits && possible).then_some(next)
    };
    let spoken = |&(ended, length, rest): &(bool, usize, usize)| {
        u8::from(ended && length == sizes.from && sizes.residues.contains(&rest))
    };
    Ok(Dfa::explore(alphabet.singles(), (false, 0, 0), step, spoken)?.minimized())
}

/// How far a guessed move is matched. A move across the seam has its last `wrapped` cells at the word's beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Phase {
    Before,
    Within { index: usize, wrapped: usize, matched: usize },
    Done,
}

/// A run of the nondeterministic automaton of steps, with the detector's answer: guessed, and what it should be so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Run {
    answer: bool,
    seen: bool,
    phase: Phase,
}

fn matches(m: &Move, cell: usize, pair: Pair) -> bool {
    let Some(here) = m.left.into_iter().chain([m.own]).chain(m.right).nth(cell) else { return false };
    let placed = cell != m.centre() || m.place.is_none_or(|p| p == pair.place);
    placed && here.before == pair.before && here.after == pair.after
}

/// Goes on with a run; `beginning` are the moves whose first cell this pair can be.
fn advance(rules: &Rules, beginning: &[usize], run: Run, pair: Pair, to: &mut Vec<Run>) {
    let seen = run.seen || rules.detector.as_ref().is_some_and(|d| d.contains(&pair.before));
    let mut push = |phase| to.push(Run { seen, phase, ..run });
    let unchanged = pair.before == pair.after;
    match run.phase {
        Phase::Before => {
            if unchanged {
                push(Phase::Before);
            }
            for &index in beginning {
                let m = &rules.moves[index];
                if m.seen.is_none_or(|s| s == run.answer) {
                    let alone = m.width() == 1;
                    push(if alone { Phase::Done } else { Phase::Within { index, wrapped: 0, matched: 1 } });
                }
            }
        }
        Phase::Within { index, wrapped, matched } => {
            let m = &rules.moves[index];
            let width = m.width();
            if wrapped > 0 && matched == wrapped && unchanged {
                push(run.phase);
            }
            if matched < width && matches(m, (width - wrapped + matched) % width, pair) {
                let whole = wrapped == 0 && matched + 1 == width;
                push(if whole { Phase::Done } else { Phase::Within { index, wrapped, matched: matched + 1 } });
            }
        }
        Phase::Done if unchanged => push(Phase::Done),
        Phase::Done => {}
    }
}

fn complete(rules: &Rules, run: &Run) -> bool {
    let told = rules.detector.is_none() || run.answer == run.seen;
    told && match run.phase {
        Phase::Before => false,
        Phase::Within { index, wrapped, matched } => wrapped > 0 && matched == rules.moves[index].width(),
        Phase::Done => true,
    }
}

/// The pairs of a configuration and one that a single move makes of it.
pub(crate) fn steps(rules: &Rules, configurations: &Dfa, alphabet: &Alphabet) -> Result<Dfa, TooLarge> {
    let mut starts = Vec::new();
    for answer in if rules.detector.is_some() { vec![false, true] } else { vec![false] } {
        starts.push(Run { answer, seen: false, phase: Phase::Before });
        for (index, m) in rules.moves.iter().enumerate().filter(|(_, m)| m.seen.is_none_or(|s| s == answer)) {
            let across = if planted(Fault::Seam) { 1 } else { m.width() };
            let wraps = (1..across).map(|wrapped| Phase::Within { index, wrapped, matched: 0 });
            starts.extend(wraps.map(|phase| Run { answer, seen: false, phase }));
        }
    }
    let begins = |pair: &Pair| (0..rules.moves.len()).filter(|&m| matches(&rules.moves[m], 0, *pair)).collect();
    let beginning: Vec<Vec<usize>> = alphabet.pairs.iter().map(begins).collect();
    let step = |(at, runs): &(u32, Vec<Run>), letter: usize| {
        let at = configurations.step(*at, alphabet.both(letter)[0])?;
        let mut next = Vec::new();
        for &run in runs {
            advance(rules, &beginning[letter], run, alphabet.pairs[letter], &mut next);
        }
        next.sort_unstable();
        next.dedup();
        (!next.is_empty()).then_some((at, next))
    };
    let accepted = |(at, runs): &(u32, Vec<Run>)| {
        u8::from(configurations.class[*at as usize] == 1 && runs.iter().any(|r| complete(rules, r)))
    };
    Ok(Dfa::explore(alphabet.pairs.len(), (0, starts), step, accepted)?.minimized())
}

//! Configurations and steps as words: the automata of the possible configurations and of the pairs one move apart.

use crate::automaton::{Dfa, Numbered, START};
use crate::ring::{Ring, Way, closes};
use crate::{Cell, Graph, Move, Place, Rejection, Rules, Sizes, State, planted};
use std::collections::BTreeSet;

/// Letters: an agent's place and state, numbered; and pairs of these, before and after.
pub(crate) struct Alphabet {
    states: usize,
    pub(crate) pairs: Vec<[usize; 2]>,
}

impl Alphabet {
    pub(crate) fn new(rules: &Rules) -> Alphabet {
        let states = rules.states.len();
        let mut pairs = BTreeSet::new();
        for (place, &before) in Place::ALL.iter().flat_map(|p| rules.possible.at(*p).iter().map(move |s| (*p, s))) {
            let changed = rules.moves.iter().flat_map(Move::cells).filter(|c| c.before == before).map(|c| c.after);
            let letter = |state: State| place as usize * states + usize::from(state);
            pairs.extend(changed.chain([before]).map(|after| [letter(before), letter(after)]));
        }
        Alphabet { states, pairs: pairs.into_iter().collect() }
    }

    /// How many letters a single configuration has.
    pub(crate) fn singles(&self) -> usize {
        3 * self.states
    }

    pub(crate) fn place(&self, single: usize) -> Place {
        Place::ALL[single / self.states]
    }

    pub(crate) fn state(&self, single: usize) -> State {
        (single % self.states) as State
    }
}

/// The words that are configurations: one bottom, others, one top, of possible states, of a size that is spoken of.
pub(crate) fn configurations(rules: &Rules, sizes: &Sizes, alphabet: &Alphabet) -> Result<Dfa, Rejection> {
    let step = |&(ended, length, rest): &(bool, usize, usize), letter: usize| {
        let place = alphabet.place(letter);
        let fits = !ended && (place == Place::Bottom) == (length == 0);
        let possible = rules.possible.at(place).contains(&alphabet.state(letter));
        let next = (place == Place::Top, (length + 1).min(sizes.from), (rest + 1) % sizes.modulus);
        (fits && possible).then_some(next)
    };
    let spoken_of = |&(ended, length, rest): &(bool, usize, usize)| {
        u8::from(ended && length == sizes.from && sizes.residues.contains(&rest))
    };
    Dfa::new(alphabet.singles(), (false, 0, 0), step, spoken_of)
}

/// What of a move is still to come right of a link: its cells, and if the agent itself is the next, where it must stand.
type Rest = (Vec<Cell>, Option<Option<Place>>);

/// The number of no cells at all.
const NOTHING: u32 = 0;

/// The ways in which a pair can be part of a step: a link says what of a move goes on across it, if any does, and what the detector says.
///
/// "There is a leader" needs a reason; where one is seen nobody says that there is none. What is read is whether the agent acts.
///
/// On a ring a move's cells are side by side. On a complete graph agents between them pass it on.
fn ways(
    rules: &Rules,
    graph: Option<Graph>,
    alphabet: &Alphabet,
    rests: &mut Numbered<Rest>,
    [one, two]: [usize; 2],
) -> Vec<Way> {
    let (here, cell) = (alphabet.place(one), Cell { before: alphabet.state(one), after: alphabet.state(two) });
    let passes = graph == Some(Graph::Complete) && cell.before == cell.after;
    let leads = rules.detector.as_ref().is_some_and(|states| states.contains(&cell.before));
    let mut ways = Vec::new();
    for answer in [false, true].into_iter().filter(|answer| if *answer { rules.detector.is_some() } else { !leads }) {
        let mut push = |left, right, acts| {
            let [left, right] = [left, right].map(|link| u64::from(link) << 1 | u64::from(answer));
            let (believed, reasons, values) = (u64::from(answer), u64::from(leads), u64::from(acts));
            ways.push(Way { left, right, believed, reasons, values });
        };
        if cell.before == cell.after {
            push(NOTHING, NOTHING, false);
        }
        for right in rules.moves.iter().filter_map(|m| m.right.filter(|_| passes)) {
            let rest = rests.number((vec![right], None));
            push(rest, rest, false);
        }
        for m in rules.moves.iter().filter(|m| m.seen.is_none_or(|seen| seen == answer)) {
            let (cells, centre) = (m.cells(), m.centre());
            let mut rest = |k: usize| rests.number((cells[k..].to_vec(), (k <= centre).then_some(m.place)));
            for k in
                (0..cells.len()).filter(|&k| cells[k] == cell && !(planted("seam") && k > 0 && here == Place::Bottom))
            {
                if k != centre || m.place.is_none_or(|place| place == here) {
                    push(if k == 0 { NOTHING } else { rest(k) }, rest(k + 1), k == centre);
                }
            }
        }
    }
    ways
}

/// The pairs of a configuration and one that a single move makes of it.
pub(crate) fn steps(
    rules: &Rules,
    graph: Option<Graph>,
    configurations: &Dfa,
    alphabet: &Alphabet,
) -> Result<Dfa, Rejection> {
    let mut rests = Numbered::new((Vec::new(), None));
    let ring = Ring::new(alphabet.pairs.iter().map(|pair| ways(rules, graph, alphabet, &mut rests, *pair)).collect());
    let step = |(at, runs): &(u32, BTreeSet<_>), letter: usize| {
        let at = configurations.step(*at, alphabet.pairs[letter][0])?;
        let read =
            runs.iter().flat_map(|&(run, acted)| ring.read(run, letter).map(move |(run, acts)| (run, acted + acts)));
        let runs: BTreeSet<_> = read.filter(|(_, acted)| *acted <= 1).collect();
        (!runs.is_empty()).then_some((at, runs))
    };
    let accepted = |(at, runs): &(u32, BTreeSet<_>)| {
        let one_acted = runs.iter().any(|&(run, acted)| closes(run) && acted == 1);
        u8::from(configurations.class[*at as usize] == 1 && one_acted)
    };
    Dfa::new(alphabet.pairs.len(), (START, BTreeSet::from([(None, 0)])), step, accepted)
}

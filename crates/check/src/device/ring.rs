//! The tables of an algorithm on a directed ring.

use super::slots::Slots;
use crate::merge::Merged;
use crate::survey::places::same_faults_everywhere;
use crate::survey::subject::Subject;
use crate::{Detector, Monitor, Question, Stop, Uncheckable};
use ringleader_erased::PopulationInstance;
use ringleader_model::{Goal, Graph, Marks, Population as _, Safety, Scheduler, Shape, Stabilizing as _};
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// The most combinations of the parts of states that a goal reads.
const MOST_JUDGED: u64 = 1 << 30;
/// The combinations that a thread takes at once.
const BLOCK: u64 = 1 << 16;

/// An algorithm on a directed ring, in numbers. A letter is a local state, or a class of merged states.
pub(crate) struct Ring {
    pub(crate) slots: Slots,
    /// The bits of a letter.
    pub(crate) bits: u32,
    pub(crate) merged: Option<Merged>,
    /// The number of local states, and of configurations.
    pub(crate) states: u64,
    pub(crate) configurations: u64,
    /// The first outcome of each pair of letters. If agents ask a detector, first those pairs to which it answers that there is no
    /// leader, then the others. All pairs are there by their left letters, and then again by their right letters.
    pub(crate) start: Vec<u32>,
    /// Of each outcome: both letters in 16 bits each.
    pub(crate) changes: Vec<u32>,
    /// The weight of each outcome.
    pub(crate) weights: Vec<u32>,
    /// The number of steps of each pair of letters that change a state.
    pub(crate) moves: Vec<u64>,
    /// The number of states of each letter.
    pub(crate) sizes: Vec<u32>,
    /// The part of each letter that the goal reads, and the number of different ones.
    pub(crate) keys: Vec<u32>,
    pub(crate) key_count: u32,
    /// Whether each word of these parts meets the goal, as bits.
    pub(crate) goal: Vec<u64>,
    /// The same for the sets of the proof, unless the goal alone is checked.
    pub(crate) proof: Proof,
    /// Whether each letter is a leader.
    pub(crate) leads: Vec<u32>,
    /// Whether agents ask a detector.
    pub(crate) told: bool,
    /// Whether the leader must remain the same.
    pub(crate) fixed: bool,
    pub(crate) tosses: bool,
    /// The weight of all outcomes of all sites.
    pub(crate) total: u32,
}

/// The sets of a proof. Whether a word of parts belongs to a set is a bit.
#[derive(Default)]
pub(crate) struct Proof {
    /// The algorithm's own safe set, if it names one.
    pub(crate) own: Option<Vec<u64>>,
    pub(crate) sets: Vec<NamedWords>,
}

/// A set that a proof names, with the place that claims its closure.
pub(crate) struct NamedWords {
    pub(crate) name: String,
    pub(crate) claim: String,
    pub(crate) members: Vec<u64>,
}

impl Proof {
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_none() && self.sets.is_empty()
    }
}

fn refuse<T>(why: &'static str) -> Result<T, Uncheckable> {
    Err(Uncheckable::NotOnDevice(why))
}

/// Refuses a question about a graph that no GPU answers. The algorithm may be a reason, too, which is found when the check starts.
pub fn refuse_on_device(graph: &Graph, question: &Question) -> Result<(), Uncheckable> {
    match () {
        () if graph.shape() != Shape::DirectedRing => refuse("the graph is not a directed ring"),
        () if !matches!(question.scheduler, Scheduler::Random | Scheduler::GloballyFair) => {
            refuse("the scheduler is neither random nor globally-fair")
        }
        () if question.detector != Detector::Perfect => refuse("the detector may lie"),
        () if !question.claims.is_empty() || question.only_claims => refuse("there are claims"),
        () if question.starting.is_some() => refuse("executions start in some configurations only"),
        () if question.horizon.is_some() && question.scheduler != Scheduler::Random => {
            refuse("probabilities within some steps need the scheduler random")
        }
        () if question.rounds || question.moves => refuse("rounds or moves are asked for"),
        () if !question.symmetry => refuse("every configuration is visited, not one of each rotation class"),
        () if !question.starts.is_empty() && question.scheduler != Scheduler::Random => {
            refuse("a start has expected steps under random only")
        }
        () => Ok(()),
    }
}

impl Ring {
    /// The tables for a question, unless it needs another engine.
    pub(crate) fn new(
        algorithm: &PopulationInstance,
        graph: &Graph,
        question: &Question,
        monitor: &Monitor,
    ) -> Result<Ring, Stop> {
        refuse_on_device(graph, question)?;
        let (states, size) = (algorithm.states(), graph.size());
        monitor.enter("merging states", None);
        let (system, mut rules) = (Subject::Population(algorithm, graph), None);
        let merged = match question.allows_merging() {
            true => Merged::of(&system, &mut rules, question.reader(), monitor)?,
            false => None,
        };
        let merged = merged.filter(|merged| merged.answers(question));
        monitor.enter("compiling the rules", None);
        let table = match &merged {
            Some(merged) => merged.quotient().remove(0),
            None => rules.map_or_else(|| system.rules(monitor), Ok)?.tables.remove(0),
        };
        let of: Vec<u32> = merged.as_ref().map_or((0..states as u32).collect(), |merged| merged.lift_all().collect());
        let letters = of.len() as u32;
        let bits = letters.next_power_of_two().trailing_zeros().max(1);
        let most = merged.as_ref().map_or(table.most_changes(), |merged| merged.tables[0].most_changes());
        let configurations = u32::try_from(size).ok().and_then(|n| states.checked_pow(n));
        // The number of steps of all configurations fits into a word.
        let counted =
            configurations.filter(|all| all.checked_mul(size as u64).and_then(|n| n.checked_mul(most)).is_some());
        let slots = counted.and(Slots::new(size, letters.into())).filter(|_| size * bits as usize <= 64);
        let (Some(slots), Some(configurations), true) = (slots, counted, size >= 2) else {
            return Err(Uncheckable::TooManyConfigurations { states, agents: size }.into());
        };
        let Some(total) = table.whole().checked_mul(size as u32) else { return Err(Uncheckable::TooRandom.into()) };
        // A perfect detector gives both agents the same answer: the first or the last context.
        let contexts: Vec<usize> = if table.contexts() > 1 { vec![0, table.contexts() - 1] } else { vec![0] };
        let cells = || {
            let pairs = (0..letters).flat_map(|l| (0..letters).map(move |r| (l, r)));
            contexts.iter().flat_map(move |&context| pairs.clone().map(move |(l, r)| (context, l, r)))
        };
        let (mut start, mut changes, mut weights, mut moves) = (vec![0], vec![], vec![], vec![]);
        let turned = cells().map(|(context, right, left)| (context, left, right));
        for (context, left, right) in cells().chain(turned) {
            let outcomes = &table.changes()[table.cell(context, left, right)];
            changes.extend(outcomes.iter().map(|outcome| u32::from(outcome.left) | u32::from(outcome.right) << 16));
            weights.extend(outcomes.iter().map(|outcome| outcome.weight));
            start.push(changes.len() as u32);
        }
        for (context, left, right) in cells() {
            let outcomes = &table.changes()[table.cell(context, left, right)];
            let stays = |l: u16, r: u16| (u32::from(l), u32::from(r)) == (left, right);
            moves.push(match &merged {
                Some(merged) => merged.changing(0, context, left, right),
                None => outcomes.iter().filter(|outcome| !stays(outcome.left, outcome.right)).count() as u64,
            });
        }
        let shows = |mark: Marks| of.iter().map(move |&state| algorithm.marks_of(state.into()).contains(mark));
        let (leads, tokens): (Vec<bool>, Vec<bool>) = shows(Marks::LEADER).zip(shows(Marks::TOKEN)).unzip();
        let read = system.visible(question.reader());
        let read = |state: u32| read.as_ref().map_or(state.into(), |read| read[state as usize]);
        let (keys, examples) = numbered((0..of.len()).map(|letter| (read(of[letter]), leads[letter], tokens[letter])));
        let names = if question.only_goal { vec![] } else { algorithm.set_names() };
        let named = algorithm.safety() != Safety::Unknown && !question.only_goal;
        let tables = if question.only_goal { 1 } else { 2 + names.len() };
        let judged = Judged { algorithm, size, of: &of, examples: &examples, leads: &leads, tokens: &tokens, tables };
        let mut tables = judged.tables(monitor)?.into_iter();
        let goal = tables.next().unwrap_or_default();
        let own = tables.next().filter(|_| named);
        let set = |((name, claim), members)| NamedWords { name, claim, members };
        // The last set of a proof is usually the safe set itself.
        let sets = names.into_iter().zip(tables).map(set).filter(|set| set.name != "safe").collect();
        let sizes = merged
            .as_ref()
            .map_or(vec![1; of.len()], |merged| merged.partition.sizes.iter().map(|&size| size as u32).collect());
        Ok(Ring {
            slots,
            bits,
            merged,
            states,
            configurations,
            start,
            changes,
            weights,
            moves,
            sizes,
            keys,
            key_count: examples.len() as u32,
            goal,
            proof: Proof { own, sets },
            leads: leads.into_iter().map(u32::from).collect(),
            told: algorithm.hears(),
            fixed: algorithm.goal() == Goal::OneLeader,
            tosses: table.tosses(),
            total,
        })
    }

    /// The local states of the word of a slot.
    pub(crate) fn states_at(&self, slot: u64) -> Vec<u32> {
        let word = self.slots.word(slot);
        self.merged.as_ref().map_or(word.clone(), |merged| merged.lift(&word))
    }

    /// The slot of a configuration.
    pub(crate) fn slot(&self, states: &[u32]) -> u64 {
        self.slots.of(&self.merged.as_ref().map_or(states.to_vec(), |merged| merged.lower(states)))
    }
}

/// Numbers for equal items, and the first item of each number.
fn numbered<K: Eq + Hash>(items: impl Iterator<Item = K>) -> (Vec<u32>, Vec<usize>) {
    let (mut known, mut first) = (HashMap::new(), vec![]);
    let number = |(at, key)| {
        *known.entry(key).or_insert_with(|| {
            first.push(at);
            first.len() as u32 - 1
        })
    };
    let numbers = items.enumerate().map(number).collect();
    (numbers, first)
}

/// The goal of an algorithm and the sets of its proof, as functions of the parts of states that they read.
struct Judged<'a> {
    algorithm: &'a PopulationInstance,
    size: usize,
    /// A state of each letter, and a letter of each part.
    of: &'a [u32],
    examples: &'a [usize],
    leads: &'a [bool],
    tokens: &'a [bool],
    /// The number of tables: the goal, the own safe set, and the sets of the proof.
    tables: usize,
}

/// Some words of parts: the first of them, the bits of all for each table, and whether all are possible.
struct Stretch {
    first: u64,
    bits: Vec<Vec<u64>>,
    possible: bool,
}

impl Judged<'_> {
    /// Whether each word of parts meets the goal, and whether it is in each set.
    fn tables(&self, monitor: &Monitor) -> Result<Vec<Vec<u64>>, Stop> {
        let (parts, size) = (self.examples.len() as u64, self.size);
        let words = parts.checked_pow(size as u32).filter(|&words| words <= MOST_JUDGED);
        let Some(words) = words else {
            return Ok(refuse("the goal or the proof reads too many combinations of local states")?);
        };
        if !same_faults_everywhere(self.algorithm, self.algorithm.states(), size) {
            refuse("the algorithm distinguishes agents by their places")?;
        }
        Uncheckable::TooManyConfigurations { states: self.algorithm.states(), agents: size }
            .refuse_if(self.algorithm.judge(size).is_none())?;
        monitor.enter("the goal", Some(words));
        let judge = |found: &mut Vec<Stretch>, range: Range<u64>| found.push(self.stretch(range));
        let found: Vec<Stretch> = monitor.blocks(words, BLOCK, judge, Vec::new)?.into_iter().flatten().collect();
        if !found.iter().all(|stretch| stretch.possible) {
            refuse("some variables are given, so that no fault produces some combinations of states")?;
        }
        let mut tables = vec![vec![0_u64; words.div_ceil(64) as usize]; self.tables];
        for Stretch { first, bits, .. } in found {
            for (table, bits) in tables.iter_mut().zip(bits) {
                table[(first / 64) as usize..][..bits.len()].copy_from_slice(&bits);
            }
        }
        let high = words / parts;
        let holds = |table: &[u64], word: u64| table[(word / 64) as usize] >> (word % 64) & 1;
        monitor.enter("rotations of the goal", Some(words));
        let turn = |differ: &mut bool, range: Range<u64>| {
            let turned = |word: u64| word % high * parts + word / high;
            let turns = |word: u64| tables.iter().any(|table| holds(table, word) != holds(table, turned(word)));
            *differ |= range.into_iter().any(turns);
        };
        if monitor.blocks(words, BLOCK, turn, || false)?.contains(&true) {
            refuse("the goal or a set of the proof distinguishes agents by their places")?;
        }
        Ok(tables)
    }

    fn stretch(&self, words: Range<u64>) -> Stretch {
        let mut bits = vec![vec![0_u64; (words.end - words.start).div_ceil(64) as usize]; self.tables];
        let (first, mut possible) = (words.start, true);
        let Some(mut judge) = self.algorithm.judge(self.size) else { return Stretch { first, bits, possible: false } };
        let (parts, mut letters) = (self.examples.len() as u64, vec![0; self.size]);
        for (at, word) in words.enumerate() {
            let mut rest = word;
            for letter in letters.iter_mut().rev() {
                *letter = self.examples[(rest % parts) as usize];
                rest /= parts;
            }
            let states: Vec<u32> = letters.iter().map(|&letter| self.of[letter]).collect();
            let verdict = judge.judge(&states);
            possible &= verdict.possible;
            let only = |marked: &[bool]| letters.iter().filter(|&&letter| marked[letter]).count() == 1;
            let met = match self.algorithm.goal() {
                Goal::OneLeader => only(self.leads),
                Goal::OneToken => only(self.tokens),
                Goal::Agreement | Goal::Holds(_) => true,
            };
            let sets = (0..64).map(|set| verdict.sets >> set & 1 == 1);
            for (bits, holds) in bits.iter_mut().zip([verdict.correct && met, verdict.safe].into_iter().chain(sets)) {
                bits[at / 64] |= u64::from(holds) << (at % 64);
            }
        }
        Stretch { first, bits, possible }
    }
}

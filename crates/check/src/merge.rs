//! Merging local states that neither the question nor any rule tells apart.
//!
//! An agent of a class behaves, up to classes, like any other agent of the class: with every partner and for every outcome
//! of both. So a configuration of classes represents all configurations of their states. Counts are weighted by the sizes of
//! the classes, and executions are lifted back to states.

mod partition;

pub use partition::{Partition, Rules};

use crate::rules::Marked;
use crate::space::MixedRadix;
use crate::survey::subject::{Compiled, Subject};
use crate::{Detector, Monitor, Question, Stop, Uncheckable};
use ringleader_erased::RuleTable;
use ringleader_model::{Reader, Scheduler};

/// States are merged only if at most this fraction of the configurations remains.
const WORTHWHILE: f64 = 0.5;
/// Tables with more cells are not partitioned.
const MOST_CELLS: u64 = 1 << 20;

/// The classes of an algorithm's local states, and the rules of the states.
#[derive(Clone, Debug)]
pub struct Merged {
    pub(crate) partition: Partition,
    /// The rules of the states, not of the classes.
    pub(crate) tables: Vec<RuleTable>,
    pub(crate) reads_states: bool,
    /// For each table, context and pair of classes: the number of outcomes that change a state, over all their states.
    changing: Vec<Vec<u64>>,
}

impl Question {
    /// Whether classes of states may answer this question exactly. Local fairness distinguishes transitions of states; the
    /// remaining schedulers and a lying detector are not reduced.
    pub(crate) fn allows_merging(&self) -> bool {
        use Scheduler::{Fair, GloballyFair, Random, Unfair};
        let exact = matches!(self.scheduler, Random | GloballyFair | Fair | Unfair);
        let starts = self.starts.is_empty() || self.scheduler == Random;
        // A decision process is listed with all states.
        let exact = exact && starts && (self.horizon.is_none() || self.scheduler == Random);
        self.merge
            && exact
            && !self.rounds
            && !self.strategy
            && self.starting.is_none()
            && self.detector == Detector::Perfect
            && self.claims.is_empty()
    }

    /// The predicates that this question reads.
    pub(crate) fn reader(&self) -> Reader {
        if self.only_goal { Reader::Goal } else { Reader::Proof }
    }
}

impl Merged {
    /// The classes of the states of a system, if it tells what its predicates read and if merging is worthwhile. Rules that are
    /// compiled for this are kept.
    pub(crate) fn of(
        system: &Subject<'_>,
        rules: &mut Option<Compiled>,
        to: Reader,
        monitor: &Monitor,
    ) -> Result<Option<Merged>, Stop> {
        // Of two processes, the neighbour on both sides is the same one.
        if system.cells() > MOST_CELLS || matches!(system, Subject::Ring(_, ..3)) {
            return Ok(None);
        }
        let Some(keys) = system.visible(to) else { return Ok(None) };
        let rules = system.once(rules, monitor)?;
        let merged = Merged::new(&keys, rules, system, monitor);
        monitor.check()?;
        Ok(merged)
    }

    fn new(keys: &[u64], rules: &Compiled, system: &Subject<'_>, monitor: &Monitor) -> Option<Merged> {
        let (tables, reads_states, agents) = (&rules.tables, system.reads_states(), system.size());
        let marks = [&rules.leaders, &rules.tokens];
        let seen =
            marks.iter().filter_map(|marked| if let Marked::Seen(places) = marked { Some(places) } else { None });
        let seen = seen.flatten().map(Vec::as_slice).collect();
        let rules = Rules { tables, reads_states, marks: seen };
        let own = |state: usize| marks.iter().map(move |marked| matches!(marked, Marked::Own(shows) if shows[state]));
        let first =
            Partition::by_key(keys.iter().enumerate().map(|(state, key)| (key, own(state).collect::<Vec<_>>())));
        let first: Vec<u64> = first.class.iter().map(|&class| class.into()).collect();
        let worthwhile = |classes: usize| (classes as f64 / keys.len() as f64).powi(agents as i32) <= WORTHWHILE;
        let keep_going = |classes| worthwhile(classes) && monitor.check().is_ok();
        let partition = Partition::coarsest(&first, &rules, &keep_going)?;
        worthwhile(partition.classes()).then(|| Merged::from_parts(partition, tables.clone(), reads_states))
    }

    /// The classes of a partition that the rules respect.
    pub fn from_parts(partition: Partition, tables: Vec<RuleTable>, reads_states: bool) -> Merged {
        let changing = tables.iter().map(|table| changing(&partition, table, reads_states)).collect();
        Merged { partition, tables, reads_states, changing }
    }

    /// The configurations of classes, if they can be numbered.
    pub(crate) fn space(&self, agents: usize) -> Result<MixedRadix, Stop> {
        let states = self.states();
        let all = states.checked_pow(agents as u32).and(MixedRadix::new(agents, self.partition.classes() as u64));
        Ok(all.ok_or(Uncheckable::TooManyConfigurations { states, agents })?)
    }

    /// Whether the classes answer a question. The unfair scheduler takes only steps that change something, so no step may
    /// stay inside a class. A strategy against fair coins names states.
    pub(crate) fn answers(&self, question: &Question) -> bool {
        let inside = || {
            let class = |state: u32| self.partition.class[state as usize];
            let cells = (0..self.states() as u32).flat_map(|l| (0..self.states() as u32).map(move |r| (l, r)));
            self.tables.iter().flat_map(|table| (0..table.contexts()).map(move |context| (table, context))).any(
                |(table, context)| {
                    cells.clone().any(|(left, right)| {
                        let changes = &table.changes()[table.cell(context, left, right)];
                        let to = changes.iter().map(|change| (u32::from(change.left), u32::from(change.right)));
                        let stays = |(l, r): (u32, u32)| (class(l), class(r)) == (class(left), class(right));
                        to.filter(|&to| to != (left, right)).any(stays)
                    })
                },
            )
        };
        let tosses = || self.tables.iter().any(RuleTable::tosses);
        match question.scheduler {
            Scheduler::Unfair => !tosses() && !inside(),
            Scheduler::Fair => !tosses(),
            _ => true,
        }
    }

    /// The number of states.
    pub(crate) fn states(&self) -> u64 {
        self.partition.class.len() as u64
    }

    /// The least state of a class.
    #[inline]
    pub(crate) fn least(&self, class: u32) -> u32 {
        self.partition.of[class as usize]
    }

    /// The least configuration of a configuration of classes.
    pub(crate) fn lift(&self, classes: &[u32]) -> Vec<u32> {
        classes.iter().map(|&class| self.partition.of[class as usize]).collect()
    }

    /// The least states of all classes.
    pub(crate) fn lift_all(&self) -> impl Iterator<Item = u32> + '_ {
        self.partition.of.iter().copied()
    }

    /// The configuration of classes that represents a configuration.
    pub(crate) fn lower(&self, states: &[u32]) -> Vec<u32> {
        states.iter().map(|&state| self.partition.class[state as usize]).collect()
    }

    /// The rules of the classes.
    pub(crate) fn quotient(&self) -> Vec<RuleTable> {
        let (class, of) = (&self.partition.class, &self.partition.of);
        self.tables.iter().map(|table| table.merged(class, of, self.reads_states)).collect()
    }

    /// The marks of the classes.
    pub(crate) fn marked(&self, marked: &Marked) -> Marked {
        let (of, states) = (&self.partition.of, self.states() as usize);
        match marked {
            Marked::Own(shows) => Marked::Own(of.iter().map(|&state| shows[state as usize]).collect()),
            Marked::Seen(places) => Marked::Seen(places.each_ref().map(|shows| {
                let contexts: &[u32] = if self.reads_states { of } else { &[0] };
                let pairs = || of.iter().flat_map(|&left| of.iter().map(move |&own| (left as usize, own as usize)));
                let cells =
                    contexts.iter().flat_map(|&context| pairs().map(move |(l, own)| (context as usize, l, own)));
                cells.map(|(context, left, own)| shows[(context * states + left) * states + own]).collect()
            })),
            // The states of processes of a graph are not merged.
            Marked::Each(processes) => Marked::Each(processes.clone()),
        }
    }

    /// The number of outcomes that change a state, over all states of these classes.
    #[inline]
    pub(crate) fn changing(&self, table: usize, context: usize, left: u32, right: u32) -> u64 {
        let classes = self.partition.classes();
        self.changing[table][(context * classes + left as usize) * classes + right as usize]
    }
}

/// See [`Merged::changing`].
fn changing(partition: &Partition, table: &RuleTable, reads_states: bool) -> Vec<u64> {
    let (classes, states) = (partition.classes(), partition.class.len() as u32);
    let contexts = if reads_states { classes } else { table.contexts() };
    let mut all = vec![0; contexts * classes * classes];
    let class = |state: u32| partition.class[state as usize] as usize;
    for context in 0..table.contexts() {
        let row = if reads_states { class(context as u32) } else { context };
        for (left, right) in (0..states).flat_map(|left| (0..states).map(move |right| (left, right))) {
            let changes = table.changes()[table.cell(context, left, right)].iter();
            let moving = changes.filter(|change| (u32::from(change.left), u32::from(change.right)) != (left, right));
            all[(row * classes + class(left)) * classes + class(right)] += moving.count() as u64;
        }
    }
    all
}

//! The sets of the proof: their sizes, whether a step leaves them, and whether the own safe set is really safe and is reached.

use super::Run;
use crate::Stop;
use crate::device::kernels::{Job, Kernel, Sums};
use crate::report::{Report, SetReport};
use ringleader_device::{Board, Device};

/// The own safe set of an algorithm that names one.
pub(super) struct Own<W> {
    bits: W,
    /// The number of classes outside of it.
    outside: u64,
}

impl<D: Device> Run<'_, D> {
    /// Checks the sets of the proof, and fills them in. The really safe set must be known, and stays.
    pub(super) fn proof(&mut self, report: &mut Report) -> Result<Option<Own<<D::Board as Board>::Words>>, Stop> {
        let proof = &self.ring.proof;
        let mut wrong = vec![];
        if let Some(own) = &proof.own {
            let stray = self.with(own, |run| run.pass("the own safe set", Kernel::Stray, Job::default()))?.changed;
            (report.own_is_named, report.own_is_really_safe) = (true, stray == 0);
            if stray > 0 {
                wrong.push(format!(
                    "{stray} classes of the set that the algorithm's proof calls safe are not really safe"
                ));
            }
        }
        let nothing = self.board.zeros(1)?;
        let really = std::mem::replace(&mut self.safe, nothing);
        for set in &proof.sets {
            let found = self.choose(&set.members, &set.name)?;
            let (name, claim) = (set.name.clone(), set.claim.clone());
            if found.changed > 0 {
                wrong.push(format!("a step leads out of {name} from {} classes", found.changed));
            }
            let (configurations, closed) = (found.configurations, found.changed == 0);
            report.sets.push(SetReport { name, claim, configurations, closed, counterexample: None });
        }
        let mut own = None;
        if let Some(members) = &proof.own {
            let found = self.choose(members, "the own safe set")?;
            report.own_safe = found.configurations;
            (report.own_is_closed, report.own_is_silent) = (found.changed == 0, found.steps == 0);
            if found.changed > 0 {
                wrong.push("a step leaves the set that the algorithm's proof calls safe".into());
            }
            let all = report.classes.map_or(0, |classes| classes.count);
            let bits = std::mem::replace(&mut self.safe, self.board.zeros(1)?);
            own = Some(Own { bits, outside: all - found.classes });
        }
        self.safe = really;
        report.unshown = (!wrong.is_empty()).then(|| format!("{}; a GPU computes no counterexample", wrong.join("; ")));
        Ok(own)
    }

    /// Whether every class reaches the own safe set.
    pub(super) fn reaches(&mut self, own: &mut Own<<D::Board as Board>::Words>) -> Result<bool, Stop> {
        self.exchange(own);
        self.pass("the own safe set, counted", Kernel::Begin, Job::default())?;
        let apart = self.distances(own.outside)?.1;
        self.exchange(own);
        Ok(apart == 0)
    }

    /// Exchanges the own safe set and the really safe set as the set that is reached.
    pub(super) fn exchange(&mut self, own: &mut Own<<D::Board as Board>::Words>) {
        std::mem::swap(&mut self.safe, &mut own.bits);
    }

    /// Makes these words the set, and counts it and the classes that a step leaves.
    fn choose(&mut self, members: &[u64], name: &str) -> Result<Sums, Stop> {
        self.safe = self.board.zeros(1)?;
        self.safe = self.board.zeros(self.ring.slots.count().div_ceil(64) as usize)?;
        self.with(members, |run| run.pass(name, Kernel::Survey, Job::default()))?;
        self.pass(&format!("steps out of {name}"), Kernel::Leak, Job::default())
    }

    /// Runs a pass with these words in the place of the goal.
    fn with(&mut self, members: &[u64], pass: impl FnOnce(&mut Self) -> Result<Sums, Stop>) -> Result<Sums, Stop> {
        let mut words = self.board.zeros(members.len())?;
        self.board.write(members, &mut words)?;
        let goal = std::mem::replace(&mut self.tables.goal, words);
        let found = pass(self);
        self.tables.goal = goal;
        found
    }
}

//! The leader detector Ω?, as oracles of the engine.
//!
//! Ω? must be correct only eventually: if from some point on there is always a leader, eventually every agent reads
//! true; if there never is one, eventually every agent reads false. Before that its answers are arbitrary.

use crate::{Generator, Refused};
use ringleader_model::Coin;
use std::str::FromStr;

/// The kind of leader detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Oracle {
    /// Every agent reads immediately whether a leader exists.
    Perfect,
    /// Each agent learns of a change after a delay of its own, uniform in 0..=this many steps.
    #[strum(to_string = "delayed:{0}")]
    Delayed(u64),
    /// Random answers, independent at each read, before this step; perfect from then on.
    #[strum(to_string = "adversarial:{0}")]
    AdversarialUntil(u64),
}

impl FromStr for Oracle {
    type Err = Refused;
    fn from_str(text: &str) -> Result<Self, Refused> {
        let (name, number) = text.split_once(':').unwrap_or((text, ""));
        let steps = || number.parse().map_err(|_| Refused(format!("{name} needs a number of steps: {name}:1000")));
        match name {
            "perfect" if number.is_empty() => Ok(Oracle::Perfect),
            "delayed" => Ok(Oracle::Delayed(steps()?)),
            "adversarial" => Ok(Oracle::AdversarialUntil(steps()?)),
            _ => Err(Refused(format!(
                "no oracle is called {text:?}; there are perfect, delayed:STEPS and adversarial:STEPS"
            ))),
        }
    }
}

/// The state of a detector: the answer that each agent reads, step by step.
#[derive(Clone, Debug)]
pub(crate) struct Detector {
    oracle: Oracle,
    truth: bool,
    said: Vec<bool>,
    learns_at: Vec<u64>,
    settled_at: u64,
}

impl Detector {
    /// A detector for agents whose leader status is `truth` at step 0. A delayed one starts with arbitrary beliefs.
    pub(crate) fn new(oracle: Oracle, agents: usize, truth: bool, coin: &mut Generator) -> Detector {
        let mut detector = Detector { oracle, truth, said: vec![], learns_at: vec![], settled_at: 0 };
        if let Oracle::Delayed(_) = oracle {
            detector.said = (0..agents).map(|_| coin.below(2) == 1).collect();
            detector.learns_at = vec![0; agents];
            detector.announce(0, coin);
        }
        if let Oracle::AdversarialUntil(step) = oracle {
            detector.settled_at = step;
        }
        detector
    }

    /// Tells the detector whether there is a leader, before the reads of step `now`.
    pub(crate) fn observe(&mut self, now: u64, leader_exists: bool, coin: &mut Generator) {
        if leader_exists == self.truth {
            return;
        }
        if let Oracle::Delayed(_) = self.oracle {
            for agent in 0..self.said.len() {
                self.said[agent] = self.read_delayed(now, agent);
            }
            self.truth = leader_exists;
            self.announce(now, coin);
        }
        self.truth = leader_exists;
    }

    fn announce(&mut self, now: u64, coin: &mut Generator) {
        let Oracle::Delayed(most) = self.oracle else { return };
        for at in &mut self.learns_at {
            *at = now.saturating_add(coin.between(0, most));
        }
        self.settled_at = self.learns_at.iter().copied().max().unwrap_or(now);
    }

    fn read_delayed(&self, now: u64, agent: usize) -> bool {
        if now >= self.learns_at[agent] { self.truth } else { self.said[agent] }
    }

    /// The answer that an agent reads at step `now`.
    pub(crate) fn read(&mut self, now: u64, agent: usize, coin: &mut Generator) -> bool {
        match self.oracle {
            Oracle::AdversarialUntil(step) if now < step => coin.below(2) == 1,
            Oracle::Delayed(_) => self.read_delayed(now, agent),
            _ => self.truth,
        }
    }

    /// Whether from step `now` on every agent reads the truth, as long as the truth does not change.
    pub(crate) fn truthful(&self, now: u64) -> bool {
        now >= self.settled_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delayed_detector_tells_everyone_in_time() {
        let mut coin = Generator::new(3);
        let mut detector = Detector::new(Oracle::Delayed(20), 8, true, &mut coin);
        assert!((0..8).all(|agent| detector.read(20, agent, &mut coin)));
        detector.observe(30, false, &mut coin);
        let late: Vec<_> = (30..=50).map(|t| (0..8).filter(|&a| detector.read(t, a, &mut coin)).count()).collect();
        assert!(late.is_sorted_by(|a, b| a >= b) && late[0] > 0 && late[20] == 0, "{late:?}");
        assert!(!detector.truthful(30) && detector.truthful(50));
    }

    #[test]
    fn an_adversary_lies_only_before_its_time() {
        let mut coin = Generator::new(3);
        let mut detector = Detector::new(Oracle::AdversarialUntil(100), 2, true, &mut coin);
        assert!((0..100).any(|t| !detector.read(t, 0, &mut coin)));
        assert!((100..200).all(|t| detector.read(t, 0, &mut coin)));
    }

    #[test]
    fn names_round_trip() {
        for oracle in [Oracle::Perfect, Oracle::Delayed(5), Oracle::AdversarialUntil(9)] {
            assert_eq!(oracle.to_string().parse(), Ok(oracle));
        }
        assert!("delayed".parse::<Oracle>().is_err() && "psychic".parse::<Oracle>().is_err());
    }
}

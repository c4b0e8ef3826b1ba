//! Probabilities and expectations, as certified intervals.
//!
//! Let every scheduler leave the undecided states with probability 1. Then the equation v = Φ(v) of a minimum, a maximum or
//! an average over the choices has one solution, and iterating Φ from anywhere leads to it. Let U be at least one step more
//! than the greatest expectation of U after a step: an upper bound of the expected number of steps under every scheduler.
//! If |Φ(v) − v| ≤ ε everywhere, then Φ(v + εU) ≤ v + εU, because Φ raises εU by at most ε(U − 1); so the solution is at
//! most v + εU, and likewise at least v − εU. Both U and ε are checked in floating point with a margin for its rounding, so
//! the interval holds for any iteration that found v. The idea of checking a guess is from A. Hartmanns, B. Kaminski:
//! *Optimistic value iteration*, CAV 2020.

use super::qualitative::{KeepGoing, StateSet, avoidable, before, certain, out_of_reach, possible};
use crate::{DecisionGraph, Edge};

/// The scheduler that decides between the choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decider {
    /// The scheduler that minimizes the value.
    Least,
    /// The scheduler that maximizes the value.
    Greatest,
    /// All choices are equally likely.
    Uniform,
}

/// The cost of an election.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// The number of transitions, including `leader`.
    Steps,
    /// The number of messages sent.
    Messages,
}

/// Bounds of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// The numbers of an election over all schedulers; a number that could not be bounded is absent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// The least and the greatest probability of an election.
    pub elected: [Option<Interval>; 2],
    /// The expected number of steps until an election: the least, under the uniform scheduler, and the greatest; absent unless every
    /// scheduler elects.
    pub steps: Option<[Option<Interval>; 3]>,
    /// The expected number of messages, in the same order.
    pub messages: Option<[Option<Interval>; 3]>,
}

/// More than the relative rounding error of any sum here: a choice has far fewer than 2^12 outcomes.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// The most sweeps. Values that have not converged by then never will.
const MOST_SWEEPS: usize = 200_000;

/// Questions about reaching an election.
pub struct Elections<'g> {
    graph: &'g DecisionGraph,
    elected: StateSet,
    keep_going: KeepGoing<'g>,
}

impl<'g> Elections<'g> {
    /// An election is a state with a leader.
    pub fn new(graph: &'g DecisionGraph) -> Self {
        let elected = (0..graph.len()).map(|state| graph.leaders(state) > 0).collect();
        Elections { graph, elected, keep_going: &|| true }
    }

    /// The same questions with a function that is called between sweeps. If it returns `false`, the question has no answer.
    pub fn while_told(self, keep_going: &'g (dyn Fn() -> bool + Sync)) -> Self {
        Elections { keep_going, ..self }
    }

    /// The probability of an election within 0, 1, ... `steps` steps: the minimum, the probability under the uniform
    /// scheduler, and the maximum, in this order.
    pub fn within(
        &self,
        steps: usize,
        threads: usize,
        mut keep_going: impl FnMut(usize) -> bool,
    ) -> Option<Vec<[f64; 3]>> {
        let mut now: Vec<[f64; 3]> = self.elected.iter().map(|&e| [f64::from(u8::from(e)); 3]).collect();
        let mut next = now.clone();
        let mut curve = vec![now[0]];
        let part = now.len().div_ceil(threads.max(1)).max(1);
        for step in 1..=steps {
            if !keep_going(step) {
                return None;
            }
            std::thread::scope(|scope| {
                for (number, slice) in next.chunks_mut(part).enumerate() {
                    let now = &now;
                    scope.spawn(move || {
                        for (value, state) in slice.iter_mut().zip(number * part..) {
                            if !self.elected[state] {
                                *value = self.one_step(state, now);
                            }
                        }
                    });
                }
            });
            std::mem::swap(&mut now, &mut next);
            curve.push(now[0]);
        }
        Some(curve)
    }

    fn one_step(&self, state: usize, after: &[[f64; 3]]) -> [f64; 3] {
        let choices = self.graph.choices(state);
        let count = choices.len() as f64;
        let mut value = [f64::INFINITY, 0.0, 0.0];
        for choice in choices {
            let mut mean = [0.0; 3];
            for edge in choice {
                let p = self.graph.probability(edge);
                let target = &after[edge.target as usize];
                mean.iter_mut().zip(target).for_each(|(m, t)| *m += p * t);
            }
            value = [value[0].min(mean[0]), value[1] + mean[1] / count, value[2].max(mean[2])];
        }
        if count == 0.0 { [0.0; 3] } else { value }
    }

    /// The probability of an election, and the expected cost of one where every scheduler elects. `say` gets the name of each part before it is
    /// computed, and returns whether to go on.
    pub fn figures(&self, say: &mut dyn FnMut(&str) -> bool) -> Option<Figures> {
        let mut say = |what: &str| say(what).then_some(());
        say("the probability of an election, over all schedulers")?;
        let elected = [Decider::Least, Decider::Greatest].map(|decider| self.probability(decider));
        let mut figures = Figures { elected, steps: None, messages: None };
        say("whether every scheduler elects")?;
        if self.certain() == Some(true) {
            for (cost, name) in [(Cost::Steps, "steps"), (Cost::Messages, "messages")] {
                let mut three = [None; 3];
                let deciders = [Decider::Least, Decider::Uniform, Decider::Greatest];
                for (interval, decider) in three.iter_mut().zip(deciders) {
                    say(&format!("the expected number of {name}"))?;
                    *interval = self.expected(cost, decider);
                }
                *if cost == Cost::Steps { &mut figures.steps } else { &mut figures.messages } = Some(three);
            }
        }
        say("done").map(|()| figures)
    }

    /// Whether every scheduler elects with probability 1.
    pub fn certain(&self) -> Option<bool> {
        Some(certain(self.graph, &self.elected, self.keep_going)?[0])
    }

    /// The least or greatest probability of an election over all schedulers; `None` if it cannot be bounded from both sides.
    pub fn probability(&self, decider: Decider) -> Option<Interval> {
        let (graph, elected, keep_going) = (self.graph, &self.elected, self.keep_going);
        let (sure, hopeless) = match decider {
            Decider::Least => (certain(graph, elected, keep_going)?, avoidable(graph, elected, keep_going)?),
            _ => (possible(graph, elected, keep_going)?, out_of_reach(graph, elected, keep_going)?),
        };
        if sure[0] || hopeless[0] {
            let exact = f64::from(u8::from(sure[0]));
            return Some(Interval { low: exact, high: exact });
        }
        let decided: StateSet = sure.iter().zip(&hopeless).map(|(s, h)| *s || *h).collect();
        let problem = Problem { graph, decided, decider, reward: |_: &Edge| 0.0, keep_going };
        let start = sure.iter().map(|&s| f64::from(u8::from(s))).collect();
        let interval = problem.solve(start)?;
        Some(Interval { low: interval.low.max(0.0), high: interval.high.min(1.0) })
    }

    /// The expected steps or messages until the election; `None` if some scheduler may never elect.
    pub fn expected(&self, cost: Cost, decider: Decider) -> Option<Interval> {
        let reward = move |edge: &Edge| match cost {
            Cost::Steps => 1.0,
            Cost::Messages => f64::from(edge.sent),
        };
        let (graph, keep_going) = (self.graph, self.keep_going);
        // Steps after an election do not count, even if the leader resigns.
        let before = before(graph, &self.elected, keep_going)?;
        let decided = before.into_iter().map(|before| !before).collect();
        let problem = Problem { graph, decided, decider, reward, keep_going };
        problem.solve(vec![0.0; self.graph.len()])
    }

    /// The states from which no election is reachable under any scheduler and any coins. States that were cut off are `open` and
    /// not among them.
    pub fn hopeless(&self, open: impl Fn(usize) -> bool) -> Option<Vec<bool>> {
        let hopeful: StateSet =
            self.elected.iter().enumerate().map(|(state, &elected)| elected || open(state)).collect();
        out_of_reach(self.graph, &hopeful, self.keep_going)
    }
}

/// An equation v = Φ(v) on the undecided states.
struct Problem<'g, R> {
    graph: &'g DecisionGraph,
    decided: StateSet,
    decider: Decider,
    reward: R,
    keep_going: KeepGoing<'g>,
}

impl<R: Fn(&Edge) -> f64> Problem<'_, R> {
    /// The solution at the start, given the values of the decided states.
    fn solve(&self, start: Vec<f64>) -> Option<Interval> {
        if avoidable(self.graph, &self.decided, self.keep_going)?.contains(&true) {
            return None;
        }
        let bound = self.steps_bound()?;
        let mut value = start;
        for _ in 0..MOST_SWEEPS {
            let (largest, change) = self.sweep(&mut value)?;
            if change <= largest.max(1.0) * 1e-13 {
                break;
            }
        }
        let mut error = 0.0f64;
        for state in self.undecided() {
            let image = self.image(state, &value);
            error = error.max((image - value[state]).abs() + ROUNDING * image.abs());
        }
        let slack = error * bound[0] * (1.0 + ROUNDING) + value[0].abs() * f64::EPSILON;
        Some(Interval { low: value[0] - slack, high: value[0] + slack })
    }

    fn undecided(&self) -> impl Iterator<Item = usize> + '_ {
        // From far to near, as most of a state's successors are farther.
        (0..self.graph.len()).rev().filter(|&state| !self.decided[state])
    }

    fn image(&self, state: usize, value: &[f64]) -> f64 {
        let means = self.graph.choices(state).map(|choice| {
            let terms = choice
                .iter()
                .map(|edge| self.graph.probability(edge) * ((self.reward)(edge) + value[edge.target as usize]));
            terms.sum::<f64>()
        });
        match self.decider {
            Decider::Least => means.fold(f64::INFINITY, f64::min),
            Decider::Greatest => means.fold(f64::NEG_INFINITY, f64::max),
            Decider::Uniform => {
                let count = means.len() as f64;
                means.sum::<f64>() / count
            }
        }
    }

    /// Replaces every value by its image, in place; the largest value and the largest change.
    fn sweep(&self, value: &mut [f64]) -> Option<(f64, f64)> {
        if !(self.keep_going)() {
            return None;
        }
        let (mut largest, mut change) = (0.0f64, 0.0f64);
        for state in self.undecided() {
            let image = self.image(state, value);
            change = change.max((image - value[state]).abs());
            largest = largest.max(image.abs());
            value[state] = image;
        }
        Some((largest, change))
    }

    /// A bound U on the expected steps to the decided states: U ≥ 1 + the expectation of U, for every choice.
    fn steps_bound(&self) -> Option<Vec<f64>> {
        let steps = Problem {
            graph: self.graph,
            decided: self.decided.clone(),
            decider: Decider::Greatest,
            reward: |_: &Edge| 1.0,
            keep_going: self.keep_going,
        };
        let mut value = vec![0.0; self.graph.len()];
        for sweep in 1..=MOST_SWEEPS {
            let (_, change) = steps.sweep(&mut value)?;
            if change > 1e-3 || sweep % 10 != 0 {
                continue;
            }
            let guess: Vec<f64> = value.iter().map(|v| v * 1.01).collect();
            if self.undecided().all(|state| steps.image(state, &guess) * (1.0 + ROUNDING) <= guess[state]) {
                return Some(guess);
            }
        }
        None
    }
}

//! How the numbered states of a report look: text, marks and traces.

use super::Check;
use ringleader_check::report::{Counterexample, Step};
use ringleader_model::text::{self, Document};
use ringleader_model::trace::{self, Actor, Trace};
use ringleader_model::{Goal, Input, Marks, Odometer, Place, Population, Ring, Stabilizing, number};

type Shown<'a, T> = Box<dyn Fn(&[u32]) -> T + 'a>;
type Coins<'a> = Box<dyn Fn(&[u32], &Step) -> Vec<u32> + 'a>;
type Documents<'a> = Box<dyn Fn(&str, Vec<(String, String)>, &[u32]) -> Document + 'a>;

/// What an algorithm's configurations look like, by the numbers of their local states.
pub(super) struct Face<'a> {
    pub(super) goal: Goal,
    /// The algorithm's name for its own safe set.
    pub(super) safe_set: &'static str,
    /// What agents are called.
    pub(super) agent: &'static str,
    states: Shown<'a, Vec<String>>,
    marks: Shown<'a, Vec<Marks>>,
    /// What the coins show when a step is taken from a configuration.
    coins: Coins<'a>,
    document: Documents<'a>,
}

impl<'a> Face<'a> {
    pub(super) fn population<A: Population + Stabilizing>(algorithm: &'a A) -> Face<'a> {
        let state = |digit: &u32| number::unrank(algorithm, u64::from(*digit));
        let marks = move |c: &[u32]| c.iter().map(|d| algorithm.marks(&state(d))).collect();
        let coins = move |before: &[u32], step: &Step| {
            let Actor::Arc(u, v) = step.actor else { return vec![] };
            let (x, y) = step.inputs.unwrap_or_default();
            let told = A::Input::from_detector;
            draws(step.draw, |coin| {
                algorithm.interact((state(&before[u]), told(x)), (state(&before[v]), told(y)), coin);
            })
        };
        Face::new(algorithm, "agent", Box::new(marks), Box::new(coins))
    }

    pub(super) fn ring<A: Ring + Stabilizing>(algorithm: &'a A) -> Face<'a> {
        let state = |digit: u32| number::unrank(algorithm, u64::from(digit));
        let place = |i: usize| if i == 0 { Place::Bottom } else { Place::Other };
        let left = |c: &[u32], i: usize| c[(i + c.len() - 1) % c.len()];
        let marks = move |c: &[u32]| {
            (0..c.len()).map(|i| algorithm.marks(place(i), &state(left(c, i)), &state(c[i]))).collect()
        };
        let coins = move |before: &[u32], step: &Step| {
            let Actor::Process(p) = step.actor else { return vec![] };
            draws(step.draw, |coin| {
                algorithm.act(place(p), state(left(before, p)), state(before[p]), coin);
            })
        };
        Face::new(algorithm, "process", Box::new(marks), Box::new(coins))
    }

    fn new<A: Stabilizing>(
        algorithm: &'a A,
        agent: &'static str,
        marks: Shown<'a, Vec<Marks>>,
        coins: Coins<'a>,
    ) -> Face<'a> {
        let states = |c: &[u32]| c.iter().map(|&d| number::unrank(algorithm, u64::from(d))).collect::<Vec<_>>();
        Face {
            goal: A::GOAL,
            safe_set: A::closed_sets().pop().map_or("safe", |set| set.name),
            agent,
            states: Box::new(move |c| states(c).iter().map(|s| text::print_state(algorithm, s)).collect()),
            marks,
            coins,
            document: Box::new(move |name, parameters, c| Document::new(name, algorithm, parameters, &states(c))),
        }
    }

    /// The local states as text.
    pub(super) fn states(&self, c: &[u32]) -> Vec<String> {
        (self.states)(c)
    }

    /// What each agent shows of itself.
    pub(super) fn marks(&self, c: &[u32]) -> Vec<Marks> {
        (self.marks)(c)
    }

    /// What the coins show in a step from a configuration.
    pub(super) fn coins(&self, before: &[u32], step: &Step) -> Vec<u32> {
        (self.coins)(before, step)
    }

    /// A counterexample in the form that `elect --replay` plays.
    pub(super) fn trace(&self, check: &Check<'_>, run: &Counterexample) -> Trace {
        let start = (self.document)(check.card.name, check.parameters.given().to_vec(), &run.start);
        let mut before = &run.start;
        let mut steps = vec![];
        for step in run.prefix.iter().chain(&run.cycle) {
            let coin = self.coins(before, step);
            steps.push(trace::Step { line: 0, actor: step.actor, inputs: step.inputs, coin });
            before = &step.after;
        }
        Trace { start, steps, cycle: (!run.cycle.is_empty()).then_some(run.prefix.len()) }
    }
}

/// The draws of the outcome with a number.
fn draws(wanted: usize, mut rule: impl FnMut(&mut Odometer)) -> Vec<u32> {
    let (mut at, mut found) = (0, vec![]);
    Odometer::each(|coin| {
        rule(coin);
        if at == wanted {
            found = coin.draws();
        }
        at += 1;
    });
    found
}

//! The count kernel, for complete graphs: it keeps only the number of agents in each state.
//!
//! While many pairs are active, it takes whole batches of interactions that touch every agent at most once, and the one that ends
//! the batch by touching an agent again (P. Berenbrink, D. Hammer, D. Kaaser, U. Meyer, M. Penschuck, H. Tran: *Simulating
//! population protocols in sub-constant time per interaction*, ESA 2020). While few are, it skips from one
//! interaction that changes something to the next, as Gillespie's algorithm does.
//!
//! Weights of pairs are exact 128-bit integers. Probabilities are 64-bit floating-point numbers: the sum of the logarithms in
//! [`Batches`] has a few million terms for 2^40 agents, so its error is below 10^-8.

use crate::draws::split;
use crate::kernel::gaps::nulls;
use crate::kernel::table::{Lookup, PackedTable};
use crate::kernel::{Kernel, Progress};
use ringleader_erased::Number;
use ringleader_model::CountCondition;
use std::sync::Arc;

/// Keeps a count per state.
#[derive(Clone)]
pub struct Count<'a, const HEARS: bool> {
    rule: Lookup<'a, HEARS>,
    counts: Vec<u64>,
    agents: u64,
    /// The number of ordered pairs of agents.
    pairs: f64,
    progress: Progress,
    /// The pairs of states whose interaction changes something, without and with a leader heard of.
    changing: Arc<[Vec<(u16, u16)>; 2]>,
    batches: Arc<Batches>,
    /// The safe set, if it is a condition on counts.
    safe: Option<CountCondition>,
}

/// The distribution of the number of interactions before one touches an agent again: `survival[l]` is ln P(at least l + 1).
struct Batches {
    survival: Vec<f64>,
    mean: f64,
}

impl Batches {
    fn of(agents: u64) -> Batches {
        let n = agents as f64;
        let mut survival = vec![];
        let mut so_far = 0.0;
        // ln of the least fraction a generator gives is above -37.
        while so_far > -37.0 && 2 * survival.len() as u64 + 1 < agents {
            let touched = 2.0 * survival.len() as f64;
            so_far += (-touched / n).ln_1p() + (-touched / (n - 1.0)).ln_1p();
            survival.push(so_far);
        }
        let mean = survival.iter().map(|s| s.exp()).sum();
        Batches { survival, mean }
    }

    fn draw(&self, progress: &mut Progress) -> u64 {
        let fraction = progress.coin.fraction().ln();
        self.survival.partition_point(|&s| s >= fraction) as u64
    }
}

impl<'a, const HEARS: bool> Count<'a, HEARS> {
    /// A run from these counts, one per state in the order of their numbers.
    pub fn new(table: &'a PackedTable, counts: Vec<u64>, mut progress: Progress) -> Self {
        let rule = Lookup(table);
        let agents = counts.iter().sum();
        assert!(agents >= 2, "an interaction takes two");
        let states = counts.len() as u16;
        let changing = [false, true].map(|heard| {
            let pairs = (0..states).flat_map(|u| (0..states).map(move |v| (u, v)));
            pairs.filter(|&(u, v)| rule.active(u, v, heard)).collect()
        });
        progress.leaders = (0..states).filter(|&s| rule.leads(s)).map(|s| counts[usize::from(s)]).sum();
        let batches = Arc::new(Batches::of(agents));
        let pairs = float(u128::from(agents) * u128::from(agents - 1));
        Count { rule, counts, agents, pairs, progress, changing: Arc::new(changing), batches, safe: None }
    }

    /// The same run, whose safe set is this condition on counts. It needs no memory for each agent.
    #[must_use]
    pub fn judged_by(self, safe: Option<CountCondition>) -> Self {
        Count { safe, ..self }
    }

    fn heard(&self) -> bool {
        self.progress.leaders > 0
    }

    fn weight(&self, (u, v): (u16, u16)) -> u128 {
        let (initiators, responders) = (self.counts[usize::from(u)], self.counts[usize::from(v)]);
        u128::from(initiators) * u128::from(responders - u64::from(u == v && initiators > 0))
    }

    /// The share of the ordered pairs of agents that have this weight.
    fn share(&self, weight: u128) -> f64 {
        float(weight) / self.pairs
    }

    fn changing_pairs(&self) -> &[(u16, u16)] {
        &self.changing[usize::from(self.heard())]
    }

    fn changing_weight(&self) -> u128 {
        self.changing_pairs().iter().map(|&pair| self.weight(pair)).sum()
    }

    fn meet(&mut self, u: u16, v: u16, times: u64, heard: bool) -> (u16, u16) {
        let met = self.rule.meet(u, v, heard, &mut self.progress.tosses);
        self.progress.leaders = self.progress.leaders.wrapping_add_signed(i64::from(met.leaders) * times as i64);
        if met.loud {
            self.progress.last_output_change = self.progress.steps;
        }
        (met.initiator, met.responder)
    }

    /// Skips to the next interaction that changes something, unless that is past step `until`.
    fn event(&mut self, weight: u128, share: f64, until: u64) {
        let gap = nulls(&mut self.progress.coin, share);
        if self.progress.steps.saturating_add(gap) >= until {
            self.progress.steps = until;
            return;
        }
        self.progress.steps += gap + 1;
        let mut left = self.progress.coin.below_any(weight);
        let (u, v) = *self
            .changing_pairs()
            .iter()
            .find(|&&pair| match left.checked_sub(self.weight(pair)) {
                Some(rest) => {
                    left = rest;
                    false
                }
                None => true,
            })
            .expect("the weights add up");
        let (a, b) = self.meet(u, v, 1, self.heard());
        self.counts[usize::from(u)] -= 1;
        self.counts[usize::from(v)] -= 1;
        self.counts[usize::from(a)] += 1;
        self.counts[usize::from(b)] += 1;
    }

    /// Whether no batch can reach the goal, or change the detector's answer: then the order within a batch does not matter.
    fn order_does_not_matter(&self) -> bool {
        let touched = 2 * (self.batches.survival.len() as u64 + 2);
        match &self.safe {
            Some(safe) if !HEARS => !safe(&self.counts, touched),
            _ => self.progress.leaders > touched,
        }
    }

    /// A batch: interactions between untouched agents, and the one that touches an agent again.
    fn batch(&mut self) {
        let heard = self.heard();
        let length = self.batches.draw(&mut self.progress);
        self.progress.steps += length + 1;
        let states = self.counts.len();
        let (mut initiators, mut responders) = (vec![0; states], vec![0; states]);
        split(&mut self.progress.coin, &mut self.counts, length, &mut initiators);
        split(&mut self.progress.coin, &mut self.counts, length, &mut responders);
        let mut touched = vec![0; states];
        let mut partners = vec![0; states];
        for (u, &times) in initiators.iter().enumerate().filter(|(_, times)| **times > 0) {
            split(&mut self.progress.coin, &mut responders, times, &mut partners);
            for (v, &times) in partners.iter().enumerate().filter(|(_, times)| **times > 0) {
                let (a, b) = self.meet(u as u16, v as u16, times, heard);
                touched[usize::from(a)] += times;
                touched[usize::from(b)] += times;
            }
        }
        self.collision(&mut touched, 2 * length, heard);
        for (count, touched) in self.counts.iter_mut().zip(touched) {
            *count += touched;
        }
    }

    /// One interaction with at least one of the touched agents; `counts` holds the others.
    fn collision(&mut self, touched: &mut [u64], t: u64, heard: bool) {
        let (among, across) = (u128::from(t) * u128::from(t - 1), u128::from(t) * u128::from(self.agents - t));
        let choice = self.progress.coin.below_any(among + 2 * across);
        let both = choice < among;
        let initiator_touched = both || choice - among < across;
        let responder_touched = both || !initiator_touched;
        let u = self.take(touched, initiator_touched);
        let v = self.take(touched, responder_touched);
        let (a, b) = self.meet(u, v, 1, heard);
        touched[usize::from(a)] += 1;
        touched[usize::from(b)] += 1;
    }

    /// Takes a uniformly random agent out of the touched ones or the others.
    fn take(&mut self, touched: &mut [u64], from_touched: bool) -> u16 {
        let counts = if from_touched { touched } else { &mut self.counts[..] };
        let mut left = self.progress.coin.between(0, counts.iter().sum::<u64>() - 1);
        for (state, count) in counts.iter_mut().enumerate() {
            if left < *count {
                *count -= 1;
                return state as u16;
            }
            left -= *count;
        }
        unreachable!("the counts add up")
    }

    /// The states of all agents, in the order of their numbers.
    fn each(&self) -> impl Iterator<Item = u16> {
        let states = self.counts.iter().enumerate();
        states.flat_map(|(state, &count)| std::iter::repeat_n(state as u16, count as usize))
    }

    /// The counts, by the numbers of the states.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }
}

/// A batch costs about as much as this many events, per pair of states.
const EVENTS_PER_BATCH: f64 = 12.0;

/// The nearest floating-point number. Numbers below 2^64 are converted several times faster.
fn float(number: u128) -> f64 {
    u64::try_from(number).map_or_else(|_| float_of_wide(number), |small| small as f64)
}

/// It is not inlined: otherwise both conversions are done each time.
#[cold]
#[inline(never)]
fn float_of_wide(number: u128) -> f64 {
    number as f64
}

impl<const HEARS: bool> Kernel for Count<'_, HEARS> {
    /// A unit is a batch or an event, whichever advances further for its cost.
    fn advance(&mut self, units: u64) -> u64 {
        let states = self.counts.len() as f64;
        for done in 0..units {
            let weight = self.changing_weight();
            if weight == 0 {
                return done;
            }
            let share = self.share(weight);
            let worth = self.batches.mean * share > EVENTS_PER_BATCH * states * states;
            if worth && self.order_does_not_matter() {
                self.batch();
            } else {
                self.event(weight, share, u64::MAX);
            }
        }
        units
    }

    fn run_to(&mut self, step: u64) {
        while self.progress.steps < step && !self.stuck() {
            let weight = self.changing_weight();
            self.event(weight, self.share(weight), step);
        }
        self.progress.steps = step;
    }

    fn agents(&self) -> usize {
        self.agents as usize
    }

    /// A copy is cheap.
    fn stretch(&self) -> u64 {
        4096
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn stuck(&self) -> bool {
        self.changing_weight() == 0
    }

    fn safe(&self) -> bool {
        match &self.safe {
            Some(safe) => safe(&self.counts, 0),
            None => self.rule.0.protocol.safe_compact(&self.each().collect::<Vec<_>>()),
        }
    }

    fn configuration(&self) -> Vec<Number> {
        self.each().map(|state| Number(state.into())).collect()
    }

    /// Agents have no places here: the agents that the faults hit are drawn.
    fn corrupt(&mut self, faults: &[(usize, Number)]) {
        let mut nobody = vec![0; self.counts.len()];
        for &(_, state) in faults {
            self.take(&mut nobody, false);
            nobody[state.0 as usize] += 1;
        }
        for (count, new) in self.counts.iter_mut().zip(nobody) {
            *count += new;
        }
        let leads = |s: &usize| self.rule.leads(*s as u16);
        self.progress.leaders = (0..self.counts.len()).filter(leads).map(|s| self.counts[s]).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generator;
    use ringleader_erased::PopulationInstance;
    use ringleader_model::{Coin, Goal, Marks, Population, Stabilizing, Told, Variables, Visitor};

    /// Three states in a cycle: each converts the next; the first is a leader's.
    struct Chase;

    impl Variables for Chase {
        type State = u8;
        fn variables(&self, s: &mut u8, v: &mut dyn Visitor) {
            v.range("s", 0, 2, s);
        }
    }

    impl Population for Chase {
        fn interact(&self, u: u8, v: u8, _: Told, _: &mut impl Coin) -> (u8, u8) {
            match (u, v) {
                (0, 2) => (1, 1),
                (u, v) if v == (u + 1) % 3 => (u, u),
                pair => pair,
            }
        }
        fn marks(&self, s: &u8) -> Marks {
            Marks::LEADER.when(*s == 0)
        }
    }

    impl Stabilizing for Chase {
        fn goal(&self) -> Goal {
            Goal::OneLeader
        }
        fn correct(&self, c: &[u8]) -> bool {
            c.iter().filter(|&&s| s == 0).count() == 1
        }
    }

    /// A batch, agent by agent: pairs until one of them has been touched before.
    fn batch_by_hand(mut states: Vec<u8>, coin: &mut Generator) -> (u64, u64) {
        let mut touched = vec![false; states.len()];
        for length in 1.. {
            let u = coin.below(states.len() as u32) as usize;
            let v = coin.below(states.len() as u32 - 1) as usize;
            let v = v + usize::from(v >= u);
            let again = touched[u] || touched[v];
            (touched[u], touched[v]) = (true, true);
            (states[u], states[v]) = Chase.interact(states[u], states[v], Told::both(true), coin);
            if again {
                return (length, states.iter().filter(|&&s| s == 0).count() as u64);
            }
        }
        unreachable!("some agent is touched again in the end")
    }

    /// Compares the length and the leaders of a batch with those of single agents: first and second moments and the product.
    #[test]
    fn a_batch_has_the_distribution_of_single_interactions() {
        let chase = PopulationInstance::new(Chase).unwrap();
        let table = PackedTable::compile(&chase, 1 << 20).unwrap();
        let counts = vec![25, 20, 15];
        let states: Vec<u8> = (0..3u8).flat_map(|s| std::iter::repeat_n(s, counts[usize::from(s)] as usize)).collect();
        assert_eq!(chase.states(), 3);
        let mut coin = Generator::new(4);
        let start = Count::<false>::new(&table, counts, Progress::new(Generator::new(0)));
        let runs = 200_000;
        let mut sums = [[[0.0f64; 2]; 5]; 2];
        for run in 0..runs {
            let mut kernel = start.clone();
            kernel.progress.coin = Generator::stream(9, run);
            kernel.batch();
            assert_eq!(kernel.counts[0], kernel.progress.leaders);
            let fast = (kernel.progress.steps, kernel.progress.leaders);
            let slow = batch_by_hand(states.clone(), &mut coin);
            for (sums, (length, leaders)) in sums.iter_mut().zip([fast, slow]) {
                let (l, k) = (length as f64, leaders as f64);
                for (sum, x) in sums.iter_mut().zip([l, k, l * l, k * k, l * k]) {
                    sum[0] += x;
                    sum[1] += x * x;
                }
            }
        }
        for moment in 0..5 {
            let stats = sums.map(|s| {
                let mean = s[moment][0] / runs as f64;
                (mean, (s[moment][1] / runs as f64 - mean * mean) / runs as f64)
            });
            let error = (stats[0].1 + stats[1].1).sqrt();
            assert!((stats[0].0 - stats[1].0).abs() < 3.5 * error, "moment {moment}: {stats:?}");
        }
    }
}

//! The agents of an execution in the algorithm's own states: the inner loop of a simulation without a table.

use crate::Number;
use crate::number::Decoded;
use ringleader_model::{Coin, Marks, Population, Stabilizing, Told, number};
use std::any::Any;
use std::hint::black_box;
use std::sync::Arc;

/// The changes of an interaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Whether the initiator's state changed.
    pub initiator: bool,
    /// Whether the responder's state changed.
    pub responder: bool,
    /// Whether the output of one of them changed.
    pub loud: bool,
    /// The change of the number of leaders: -2 to 2.
    pub leaders: i8,
}

/// The agents of a population and their states.
pub trait Agents: Any + Send {
    /// The number of agents.
    fn count(&self) -> usize;

    /// The number of bytes of their states.
    fn bytes(&self) -> usize;

    /// The interactions on these arcs, in sequence. The detector says whether `leaders` is more than 0; the call
    /// updates `leaders`. Returns the index, from 1, of the last interaction that changed an output, or 0.
    fn meet_all(&mut self, arcs: &[(u32, u32)], leaders: &mut u64, tosses: &mut dyn Coin) -> u64;

    /// One interaction.
    fn meet(&mut self, arc: (usize, usize), told: Told, tosses: &mut dyn Coin) -> Met;

    /// One interaction of the middle two of four agents in a row. Also returns which of the row's three arcs, from left
    /// to right, are then [active](Self::active), as bits. Only arcs of an agent that changed are examined.
    fn meet_in_row(&mut self, row: [u32; 4], told: Told, tosses: &mut dyn Coin) -> (Met, u8);

    /// The interactions, at most 64, that could change something, as bits. A bit is 0 only if the interaction certainly
    /// changes nothing.
    fn active(&self, arcs: &[(u32, u32)], told: Told) -> u64;

    /// Reads the initiators of these arcs, so that their memory accesses overlap.
    fn touch(&self, arcs: &[(u32, u32)]);

    /// The number of agents that output that they are the leader.
    fn leaders(&self) -> u64;

    /// Whether the configuration is in the algorithm's safe set.
    fn safe(&self) -> bool;

    /// The states by number.
    fn numbers(&self) -> Vec<Number>;

    /// Whether other agents of the same protocol have the same states.
    fn same(&self, other: &dyn Agents) -> bool;

    /// Gives agents other states, as a fault does.
    fn corrupt(&mut self, faults: &[(usize, Number)]);

    /// A copy.
    fn boxed(&self) -> Box<dyn Agents>;

    /// Becomes a copy of other agents of the same protocol, reusing the memory.
    fn copy(&mut self, other: &dyn Agents);
}

pub(crate) struct Cells<P: Population> {
    protocol: Arc<P>,
    decoded: Arc<Decoded<P::State>>,
    states: Vec<P::State>,
}

/// A coin that ignores the rule's announcements, so that they cost nothing.
///
/// Each loop has its `SITE`, and so its own instance of the rule. A function with a single call site is inlined, so its
/// results need not go through memory, which would take as long as the rule.
pub(crate) struct Tosses<'a, const SITE: u8>(pub(crate) &'a mut dyn Coin);

impl<const SITE: u8> Coin for Tosses<'_, SITE> {
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        self.0.below(n)
    }

    #[inline]
    fn choose(&mut self, n: u32) -> u32 {
        self.0.choose(n)
    }

    #[inline]
    fn listens(&self) -> bool {
        false
    }
}

/// A coin that records whether it was tossed.
#[derive(Default)]
struct Probe<const SITE: u8> {
    tossed: bool,
}

impl<const SITE: u8> Coin for Probe<SITE> {
    fn below(&mut self, _: u32) -> u32 {
        self.tossed = true;
        0
    }

    #[inline]
    fn listens(&self) -> bool {
        false
    }
}

impl<P: Population + Stabilizing + 'static> Cells<P> {
    fn states_of(other: &dyn Agents) -> &Vec<P::State> {
        let other: &dyn Any = other;
        &other.downcast_ref::<Self>().expect("agents of the same protocol").states
    }

    pub(crate) fn new(protocol: Arc<P>, decoded: Arc<Decoded<P::State>>, numbers: &[Number]) -> Cells<P> {
        let states = decoded.configuration(&*protocol, numbers);
        Cells { protocol, decoded, states }
    }
}

/// One interaction and its changes.
#[inline]
fn meet<P: Population>(protocol: &P, before: [P::State; 2], told: Told, coin: &mut impl Coin) -> ([P::State; 2], Met) {
    let [u, v] = before;
    let (a, b) = protocol.interact(u, v, told, coin);
    let output = |s: &P::State| protocol.marks(s).output();
    let (was, is) = ((output(&u), output(&v)), (output(&a), output(&b)));
    let count = |(u, v): (Marks, Marks)| u.leader() as i8 + v.leader() as i8;
    ([a, b], Met { initiator: a != u, responder: b != v, loud: was != is, leaders: count(is) - count(was) })
}

/// Whether an interaction could change something.
#[inline]
fn active<P: Population, const SITE: u8>(protocol: &P, u: P::State, v: P::State, told: Told) -> bool {
    let mut coin = Probe::<SITE>::default();
    let after = protocol.interact(u, v, told, &mut coin);
    coin.tossed || after != (u, v)
}

impl<P: Population + Stabilizing + 'static> Agents for Cells<P> {
    fn count(&self) -> usize {
        self.states.len()
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.states[..])
    }

    fn meet_all(&mut self, arcs: &[(u32, u32)], leaders: &mut u64, tosses: &mut dyn Coin) -> u64 {
        let Cells { protocol, states, .. } = self;
        let (protocol, states, mut tosses) = (&**protocol, &mut states[..], Tosses::<0>(tosses));
        let (mut leading, mut last_loud) = (*leaders, 0);
        for (step, &(u, v)) in (1..).zip(arcs) {
            let (u, v) = (u as usize, v as usize);
            let (after, met) = meet(protocol, [states[u], states[v]], Told::both(leading > 0), &mut tosses);
            [states[u], states[v]] = after;
            leading = leading.wrapping_add_signed(met.leaders.into());
            last_loud = if met.loud { step } else { last_loud };
        }
        *leaders = leading;
        last_loud
    }

    fn meet(&mut self, (u, v): (usize, usize), told: Told, tosses: &mut dyn Coin) -> Met {
        let (after, met) = meet(&*self.protocol, [self.states[u], self.states[v]], told, &mut Tosses::<1>(tosses));
        [self.states[u], self.states[v]] = after;
        met
    }

    fn meet_in_row(&mut self, row: [u32; 4], told: Told, tosses: &mut dyn Coin) -> (Met, u8) {
        let [left, u, v, right] = row.map(|agent| agent as usize);
        let (protocol, states) = (&*self.protocol, &mut self.states[..]);
        let ([a, b], met) = meet(protocol, [states[u], states[v]], told, &mut Tosses::<2>(tosses));
        [states[u], states[v]] = [a, b];
        let look = |u, v| u8::from(active::<P, 0>(protocol, u, v, told));
        let mut bits = 0;
        if met.initiator {
            bits |= look(states[left], a);
        }
        if met.initiator || met.responder {
            bits |= look(a, b) << 1;
        }
        if met.responder {
            bits |= look(b, states[right]) << 2;
        }
        (met, bits)
    }

    fn active(&self, arcs: &[(u32, u32)], told: Told) -> u64 {
        let active = |&(u, v): &(u32, u32)| {
            active::<P, 1>(&*self.protocol, self.states[u as usize], self.states[v as usize], told)
        };
        arcs.iter().enumerate().fold(0, |bits, (i, arc)| bits | u64::from(active(arc)) << i)
    }

    fn touch(&self, arcs: &[(u32, u32)]) {
        arcs.iter().for_each(|&(u, _)| {
            black_box(self.states[u as usize]);
        });
    }

    fn leaders(&self) -> u64 {
        self.states.iter().filter(|s| self.protocol.marks(s).leader()).count() as u64
    }

    fn safe(&self) -> bool {
        self.protocol.safe_fast(&self.states)
    }

    fn numbers(&self) -> Vec<Number> {
        let mut numbers = Vec::with_capacity(self.states.len());
        for state in &self.states {
            numbers.push(Number(number::rank(&*self.protocol, state)));
        }
        numbers
    }

    fn same(&self, other: &dyn Agents) -> bool {
        self.states == *Self::states_of(other)
    }

    fn corrupt(&mut self, faults: &[(usize, Number)]) {
        for &(agent, number) in faults {
            self.states[agent] = self.decoded.state(&*self.protocol, number.0);
        }
    }

    fn boxed(&self) -> Box<dyn Agents> {
        let Cells { protocol, decoded, states } = self;
        Box::new(Cells { protocol: protocol.clone(), decoded: decoded.clone(), states: states.clone() })
    }

    fn copy(&mut self, other: &dyn Agents) {
        self.states.clone_from(Self::states_of(other));
    }
}

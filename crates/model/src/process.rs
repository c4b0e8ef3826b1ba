//! Message passing: a process takes one event at a time, changes its state and sends messages.

use crate::{Coin, Marks, Property, Variables, Visitor};
use std::borrow::Cow;
use std::fmt::{Debug, Display};
use std::hash::Hash;

/// One end of a link, as its owner counts them: [`LEFT`] and [`RIGHT`] on a ring, the peer's index elsewhere.
pub type Port = usize;

/// The port to the left neighbour on a ring.
pub const LEFT: Port = 0;
/// The port to the right neighbour on a ring.
pub const RIGHT: Port = 1;

/// What happens to a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event<M> {
    /// It takes a step of its own accord.
    Step,
    /// It receives a message.
    Message {
        /// Through which port.
        from: Port,
        /// What it says.
        message: M,
    },
    /// One iteration of its loop ends: the only clock there is.
    Tick,
}

/// Where a process puts what it sends.
pub trait Outbox<M> {
    /// Sends a message through a port.
    fn send(&mut self, to: Port, message: M);

    /// Announces that the process starts a round. Only statistics listen.
    fn round(&mut self) {}
}

impl<M> Outbox<M> for Vec<(Port, M)> {
    fn send(&mut self, to: Port, message: M) {
        self.push((to, message));
    }
}

/// An algorithm for processes that exchange messages.
///
/// `me` is the identity that the engine gave the process; anonymous algorithms ignore it.
pub trait Process: Variables<State: Eq + Hash + Ord> {
    /// What is sent.
    type Message: Clone + Default + Eq + Hash + Ord + Debug + Send + Sync + 'static;

    /// Shows the fields of a message to `visitor`, in a fixed order, with their domains.
    ///
    /// Which fields come may depend on the values of earlier ones, such as the kind. Text, wire and corruption follow from this list.
    fn message_variables(&self, message: &mut Self::Message, visitor: &mut dyn Visitor);

    /// The state of a clean start.
    fn start(&self, me: usize) -> Self::State;

    /// Whether the process would take this event now. A message it does not take waits in its channel.
    ///
    /// By default it takes whatever comes to it, messages and ticks, and has no steps of its own.
    fn ready(&self, _state: &Self::State, event: &Event<Self::Message>) -> bool {
        *event != Event::Step
    }

    /// Takes the event.
    fn on(
        &self,
        me: usize,
        state: &mut Self::State,
        event: Event<Self::Message>,
        out: &mut impl Outbox<Self::Message>,
        coin: &mut impl Coin,
    );

    /// What a process in this state shows of itself.
    fn marks(&self, me: usize, state: &Self::State) -> Marks;
}

/// Which process a port leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Network {
    /// A ring of this many processes, each with a [`LEFT`] and a [`RIGHT`] port. With two processes, both ports of one
    /// lead to the other, through different channels.
    Ring(usize),
    /// Every process has a port to every process, numbered by its identity.
    Complete(usize),
}

impl Network {
    /// How many processes there are.
    pub fn size(self) -> usize {
        match self {
            Network::Ring(n) | Network::Complete(n) => n,
        }
    }

    /// How many ports a process has (on a complete network one leads to itself and is never used).
    pub fn ports(self) -> usize {
        match self {
            Network::Ring(_) => 2,
            Network::Complete(n) => n,
        }
    }

    /// Where a message sent by `process` through `port` arrives: the receiver, and its own port.
    pub fn arrival(self, process: usize, port: Port) -> (usize, Port) {
        match self {
            Network::Ring(n) if port == LEFT => ((process + n - 1) % n, RIGHT),
            Network::Ring(n) => ((process + 1) % n, LEFT),
            Network::Complete(_) => (port, process),
        }
    }

    /// The number of the channel into `receiver` through its `port`, in `0..size * ports`.
    pub fn channel(self, receiver: usize, port: Port) -> usize {
        receiver * self.ports() + port
    }
}

/// Which message of a channel may be received next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownChannels, parse_err_fn = unknown_channels)]
pub enum Channels {
    /// Any: messages overtake each other.
    #[default]
    Bag,
    /// The oldest.
    Fifo,
}

/// No channels have this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("channels must be bag (any message next) or fifo (the oldest next), not {0:?}")]
pub struct UnknownChannels(String);

fn unknown_channels(name: &str) -> UnknownChannels {
    UnknownChannels(name.into())
}

impl Channels {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Everything there is at one moment: the state of each process and what is in each channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot<S, M> {
    /// How the processes are connected.
    pub network: Network,
    /// The states, by process.
    pub states: Vec<S>,
    /// The messages under way, by [`Network::channel`], oldest first.
    pub channels: Vec<Vec<M>>,
}

impl<S, M> Snapshot<S, M> {
    /// What is under way to `receiver` through its `port`.
    pub fn channel(&self, receiver: usize, port: Port) -> &[M] {
        &self.channels[self.network.channel(receiver, port)]
    }
}

/// A snapshot of an algorithm's processes.
pub type SnapshotOf<P> = Snapshot<<P as Variables>::State, <P as Process>::Message>;

/// A property of snapshots that a proof claims of everything reachable.
pub struct Invariant<'a, P: Process + ?Sized> {
    /// What it is called in the paper.
    pub name: Cow<'a, str>,
    /// Whether it holds of a snapshot.
    pub holds: Property<'a, SnapshotOf<P>>,
    /// Whether it names no process by its place, so that it holds of a snapshot of a ring as of all its rotations.
    pub alike: bool,
}

impl<'a, P: Process + ?Sized> Invariant<'a, P> {
    /// A property with its name in the paper. It may name processes by their places.
    pub fn new(name: impl Into<Cow<'a, str>>, holds: impl Fn(&SnapshotOf<P>) -> bool + Send + Sync + 'a) -> Self {
        Invariant { name: name.into(), holds: Box::new(holds), alike: false }
    }

    /// The same, with the promise that it names no process by its place: an engine that keeps one of all rotations of a
    /// snapshot asks it of that one only.
    #[must_use]
    pub fn alike(self) -> Self {
        Invariant { alike: true, ..self }
    }
}

/// An algorithm that starts clean and ends: terminated is when no process would take any event.
pub trait Terminating: Process {
    /// How its processes are connected.
    fn network(&self) -> Network;

    /// The weakest channels that its claim is about: [`Channels::Bag`] unless its rules rely on order.
    fn channels(&self) -> Channels {
        Channels::Bag
    }

    /// Whether a process in this state has stopped only because the algorithm was built to be followed so far and no
    /// further. A run that ends with such a process is undecided, not terminated.
    fn cut_off(&self, _state: &Self::State) -> bool {
        false
    }

    /// The invariants of its proof.
    fn invariants(&self) -> Vec<Invariant<'_, Self>> {
        vec![]
    }
}

/// What the processes of a timed network know of time, in one arbitrary unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The least duration of a loop iteration.
    pub alpha: u64,
    /// The greatest duration of a loop iteration.
    pub beta: u64,
    /// The greatest delay of a timely link; more than `beta`.
    pub delta: u64,
}

impl Timing {
    /// How many iterations pass between two rounds of sending: ⌊δ/β⌋, so never more than δ.
    pub fn send_period(self) -> u64 {
        self.delta / self.beta
    }

    /// How many iterations surely last δ: ⌈δ/α⌉.
    pub fn iterations_per_delta(self) -> u64 {
        self.delta.div_ceil(self.alpha)
    }

    /// Checks these numbers.
    pub fn validate(self) -> Result<(), TimingError> {
        let Timing { alpha, beta, delta } = self;
        let wrong = match () {
            () if alpha == 0 => "alpha must be at least 1".into(),
            () if beta < alpha => format!("beta must be at least alpha, but {beta} < {alpha}"),
            () if delta <= beta => format!("delta must be more than beta, but {delta} <= {beta}"),
            () if delta > 1 << 40 => format!("delta must be at most 2^40, but it is {delta}"),
            // Timeouts are counted in iterations that surely last delta; each of them may take beta.
            () if self.iterations_per_delta().saturating_mul(beta) > 1 << 41 => format!(
                "beta is too far from alpha: {} iterations of at least {alpha} surely last delta, and take more than 2^41 if each lasts \
                 {beta}",
                self.iterations_per_delta()
            ),
            () => return Ok(()),
        };
        Err(TimingError(wrong))
    }
}

/// The reason why the numbers of a [`Timing`] cannot be used, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TimingError(String);

/// The worst that links do which are not timely, as far as a bound on the settling time depends on it; in units of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worst {
    /// The greatest age of a message that arrives.
    pub age: u64,
    /// How long a link that ever delivers may deliver nothing of what is sent every δ.
    pub gap: u64,
    /// At least one in this many messages arrives, in the long run.
    pub odds: u64,
    /// How long all may agree without the run counting as settled.
    pub agreement: u64,
}

/// What a message of a timed algorithm is for. Whoever treats kinds differently goes by this, never by the text of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "UPPERCASE")]
pub enum MessageKind {
    /// Accuses the receiver of silence.
    Accusation,
    /// The sender is alive.
    Alive,
    /// Answers a question whether the sender leads.
    Answer,
    /// Asks the receiver whether it leads.
    Ask,
    /// The sender could lead.
    Candidate,
    /// The sender leads no longer.
    Resign,
    /// Begins a round.
    Start,
}

/// An algorithm for a crash-prone network with clocks: every process knows identities and [`Timing`], and loops for ever.
///
/// Each iteration first takes the newest message of every sender and slot, then ticks.
pub trait Timed: Process<Message: Display> {
    /// What it knows of time.
    fn timing(&self) -> Timing;

    /// How many processes there are.
    fn size(&self) -> usize;

    /// The greatest number of iterations after which some timer of the algorithm fires.
    fn timeout(&self) -> u64;

    /// What a message is for: unless the algorithm says otherwise, that its sender is alive.
    fn kind(&self, _message: &Self::Message) -> MessageKind {
        MessageKind::Alive
    }

    /// Which of the receiver's buffer slots for this sender a message goes to; a newer one overwrites.
    fn slot(&self, _message: &Self::Message) -> usize {
        0
    }

    /// Whom the process takes for the leader.
    fn leader(&self, me: usize, state: &Self::State) -> usize;

    /// How long a run may take, from any state and at worst, until all live processes agree on a leader and never stop
    /// agreeing before that counts as settled: the bound that docs/robust.md derives for the default variant.
    ///
    /// Without a derived bound it is a thousand times the longest timeout and the worst that links do: a run that takes longer is
    /// reported as unsettled, which then is an observation and contradicts no proof.
    fn horizon(&self, worst: Worst) -> u64 {
        let Timing { beta, delta, .. } = self.timing();
        let slowest = self.timeout().saturating_mul(beta).saturating_add(delta);
        slowest.saturating_add(worst.age).saturating_add(worst.gap).saturating_mul(1000).saturating_add(worst.agreement)
    }

    /// The algorithm's own number for the present leadership: a counter, phase or round, or 0 where it has none.
    /// Advisory: it may repeat, and two leaders may show the same one.
    fn epoch(&self, _me: usize, _state: &Self::State) -> u64 {
        0
    }

    /// What another would send it to accuse it of silence just now, if the algorithm knows accusations.
    fn accusation(&self, _me: usize, _state: &Self::State) -> Option<Self::Message> {
        None
    }

    /// Whether the process has asked its leader to hand over for longer than a handover takes.
    fn asks_in_vain(&self, _me: usize, _state: &Self::State) -> bool {
        false
    }

    /// Whether the process has stopped acting and holds its place until it is told, by a step, that it may let go.
    fn holds_place(&self, _me: usize, _state: &Self::State) -> bool {
        false
    }

    /// Somebody says, perhaps falsely, that `other` is not there. Where it matters, `other` may be asked; nothing else may come of it.
    fn doubt(&self, _me: usize, _state: &mut Self::State, _other: usize, _out: &mut impl Outbox<Self::Message>) {}

    /// The loop stood still for the time of about this many iterations, which the process did not count. A leader may be late with a message.
    fn stalled(&self, _me: usize, _state: &mut Self::State, _iterations: u64) {}

    /// A leader that hears nobody hands over to one of these processes, without asking them.
    fn hand_over(&self, _me: usize, _state: &mut Self::State, _heirs: &[usize], _out: &mut impl Outbox<Self::Message>) {
    }

    /// The state in which the process starts again, after a pause in which others may have replaced it. `behind`: it led before, and one of
    /// them leads now, so it ranks behind that one.
    fn again(&self, me: usize, _state: &Self::State, _behind: bool) -> Self::State {
        self.start(me)
    }

    /// The iterations of a leader's silence after which the process gives it up at present, if the algorithm adapts them.
    fn patience(&self, _me: usize, _state: &Self::State) -> Option<u64> {
        None
    }

    /// The iterations of a leader's silence after which every process gives it up, if the algorithm has such a bound.
    fn most_patience(&self) -> Option<u64> {
        None
    }

    /// Whether the process stands by the leader it names, if the algorithm can tell: it acts itself, or knows that the leader
    /// does, as far as that can be known. `None` leaves it to the engine to judge, by what arrives.
    fn stands(&self, _me: usize, _state: &Self::State) -> Option<bool> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_right_comes_from_the_left() {
        let ring = Network::Ring(3);
        assert_eq!(ring.arrival(2, RIGHT), (0, LEFT));
        assert_eq!(ring.arrival(0, LEFT), (2, RIGHT));
        assert_eq!(Network::Complete(4).arrival(1, 3), (3, 1));
    }

    #[test]
    fn two_processes_have_four_channels() {
        let ring = Network::Ring(2);
        let mut channels: Vec<_> = [(0, LEFT), (0, RIGHT), (1, LEFT), (1, RIGHT)]
            .map(|(p, port)| ring.arrival(p, port))
            .map(|(q, port)| ring.channel(q, port))
            .to_vec();
        channels.sort_unstable();
        assert_eq!(channels, [0, 1, 2, 3]);
    }

    #[test]
    fn timing_rounds_towards_safety() {
        let timing = Timing { alpha: 3, beta: 4, delta: 10 };
        assert_eq!((timing.send_period(), timing.iterations_per_delta()), (2, 4));
        assert!(Timing { alpha: 3, beta: 4, delta: 4 }.validate().is_err());
        let most = 1 << 40;
        assert!(Timing { alpha: 1, beta: most - 1, delta: most }.validate().is_err(), "their product overflows");
        assert_eq!(Timing { alpha: most / 2, beta: most - 1, delta: most }.validate(), Ok(()));
    }
}

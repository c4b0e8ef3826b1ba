//! A message-passing algorithm whose type is forgotten.

use crate::message_processes::{MessageProcesses, Run};
use crate::{Refusal, Unfit, declared};
use ringleader_model::ensemble::Sent;
use ringleader_model::number::checked_rank;
use ringleader_model::{
    Channels, Coin, Described, Domain, Ensemble, Event, Invariant, Marks, Name, Network, Outbox, Process, Snapshot,
    Terminating, Variables, Visitor, described,
};
use std::fmt;
use std::sync::Arc;

/// A local state or a message of an algorithm whose type is forgotten: the values of its variables, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Words(Vec<u64>);

impl Words {
    /// The words of the variables that a function shows.
    fn write(show: impl FnOnce(&mut dyn Visitor)) -> Words {
        let mut words = vec![];
        show(&mut |_: Name<'_>, _: Domain<'_>, value: u64| {
            words.push(value);
            value
        });
        Words(words)
    }

    /// Sets the variables that a function shows. The default words are the default values.
    fn read(&self, show: impl FnOnce(&mut dyn Visitor)) {
        let mut words = self.0.iter();
        show(&mut |_: Name<'_>, _: Domain<'_>, value: u64| words.next().copied().unwrap_or(value));
    }
}

/// Whether an invariant, by its number, holds of a configuration of states and messages that have numbers.
pub type InvariantJudge<'a> = Box<dyn Fn(usize, &Snapshot<u32, u32>) -> bool + Send + Sync + 'a>;

/// A terminating message-passing algorithm as a value. Copies are cheap and share everything.
///
/// It is a [`Process`] itself, with [`Words`] for states and messages.
#[derive(Clone)]
pub struct MessageInstance {
    shell: Arc<dyn MessageShell>,
    network: Network,
    channels: Channels,
}

/// The part that is compiled for every algorithm.
trait MessageShell: Send + Sync {
    fn start(&self, me: usize) -> Words;
    fn ready(&self, state: &Words, event: &Event<Words>) -> bool;
    fn on(&self, me: usize, state: &mut Words, event: Event<Words>, coin: &mut dyn Coin) -> Sent<Words>;
    fn marks(&self, me: usize, state: &Words) -> Marks;
    fn cut_off(&self, state: &Words) -> bool;
    fn variables(&self, state: &mut Words, visitor: &mut dyn Visitor);
    fn message_variables(&self, message: &mut Words, visitor: &mut dyn Visitor);
    fn invariants(&self) -> Vec<(String, bool)>;
    fn judge(&self, states: &[Words], messages: &[Words]) -> InvariantJudge<'_>;
    fn processes(&self, channels: Channels) -> Box<dyn MessageProcesses + '_>;
    /// Whether a step changes or sends something that no variable shows.
    fn hides(&self, me: usize, state: &Words, event: &Event<Words>, coin: &mut dyn Coin) -> bool;
}

struct Typed<P>(P);

impl<P: Terminating> Typed<P> {
    fn state(&self, words: &Words) -> P::State {
        let mut state = P::State::default();
        words.read(|visitor| self.0.variables(&mut state, visitor));
        state
    }

    fn message(&self, words: &Words) -> P::Message {
        let mut message = P::Message::default();
        words.read(|visitor| self.0.message_variables(&mut message, visitor));
        message
    }

    fn state_words(&self, state: &mut P::State) -> Words {
        Words::write(|visitor| self.0.variables(state, visitor))
    }

    fn message_words(&self, message: &mut P::Message) -> Words {
        Words::write(|visitor| self.0.message_variables(message, visitor))
    }

    fn event(&self, event: &Event<Words>) -> Event<P::Message> {
        match event {
            Event::Step => Event::Step,
            Event::Message { from, message } => Event::Message { from: *from, message: self.message(message) },
            Event::Tick => Event::Tick,
        }
    }
}

impl<P: Terminating + 'static> MessageShell for Typed<P> {
    fn start(&self, me: usize) -> Words {
        self.state_words(&mut self.0.start(me))
    }

    fn ready(&self, state: &Words, event: &Event<Words>) -> bool {
        self.0.ready(&self.state(state), &self.event(event))
    }

    fn on(&self, me: usize, state: &mut Words, event: Event<Words>, mut coin: &mut dyn Coin) -> Sent<Words> {
        let (mut typed, mut sent) = (self.state(state), Sent::default());
        self.0.on(me, &mut typed, self.event(&event), &mut sent, &mut coin);
        *state = self.state_words(&mut typed);
        let words = |(port, mut message)| (port, self.message_words(&mut message));
        Sent { messages: sent.messages.into_iter().map(words).collect(), rounds: sent.rounds }
    }

    fn marks(&self, me: usize, state: &Words) -> Marks {
        self.0.marks(me, &self.state(state))
    }

    fn cut_off(&self, state: &Words) -> bool {
        self.0.cut_off(&self.state(state))
    }

    fn variables(&self, state: &mut Words, visitor: &mut dyn Visitor) {
        let mut typed = self.state(state);
        self.0.variables(&mut typed, visitor);
        *state = self.state_words(&mut typed);
    }

    fn message_variables(&self, message: &mut Words, visitor: &mut dyn Visitor) {
        let mut typed = self.message(message);
        self.0.message_variables(&mut typed, visitor);
        *message = self.message_words(&mut typed);
    }

    fn invariants(&self) -> Vec<(String, bool)> {
        self.0.invariants().into_iter().map(|invariant| (invariant.name.into_owned(), invariant.alike)).collect()
    }

    fn judge(&self, states: &[Words], messages: &[Words]) -> InvariantJudge<'_> {
        let invariants = self.0.invariants();
        let states: Vec<P::State> = states.iter().map(|words| self.state(words)).collect();
        let messages: Vec<P::Message> = messages.iter().map(|words| self.message(words)).collect();
        Box::new(move |invariant, now| {
            let message = |&number: &u32| messages[number as usize].clone();
            let now = Snapshot {
                network: now.network,
                states: now.states.iter().map(|&number| states[number as usize].clone()).collect(),
                channels: now.channels.iter().map(|waiting| waiting.iter().map(message).collect()).collect(),
            };
            (invariants[invariant].holds)(&now)
        })
    }

    fn processes(&self, channels: Channels) -> Box<dyn MessageProcesses + '_> {
        Box::new(Run::new(&self.0, channels))
    }

    fn hides(&self, me: usize, state: &Words, event: &Event<Words>, mut coin: &mut dyn Coin) -> bool {
        let (mut after, mut sent) = (self.state(state), Sent::default());
        self.0.on(me, &mut after, self.event(event), &mut sent, &mut coin);
        let hidden = |message: &P::Message| self.message(&self.message_words(&mut message.clone())) != *message;
        self.state(&self.state_words(&mut after.clone())) != after || sent.messages.iter().any(|(_, m)| hidden(m))
    }
}

/// So many steps are tried when an algorithm is built.
const TRIED: u64 = 64;

impl MessageInstance {
    /// Forgets the type of an algorithm.
    pub fn new<P: Terminating + 'static>(algorithm: P) -> MessageInstance {
        let (network, channels) = (algorithm.network(), algorithm.channels());
        MessageInstance { shell: Arc::new(Typed(algorithm)), network, channels }
    }

    /// Forgets the type of an algorithm, and refuses it if the beginning of a run shows a mistake of its author.
    pub fn tried<P: Terminating + 'static>(algorithm: P) -> Result<MessageInstance, Refusal> {
        declared(&algorithm)?;
        let instance = MessageInstance::new(algorithm);
        instance.try_steps()?;
        Ok(instance)
    }

    fn try_steps(&self) -> Result<(), Refusal> {
        let (mut processes, mut coin) = (Ensemble::new(self), Sides(0));
        let size = self.network.size();
        (0..size).try_for_each(|process| self.try_state(process, &processes.now().states[process]))?;
        let mut sent = Sent::default();
        for step in 0..TRIED {
            let choices = processes.all_choices(self.channels);
            let Some(&(process, act)) = choices.get(step as usize % choices.len().max(1)) else { return Ok(()) };
            let state = &processes.now().states[process];
            if self.shell.hides(process, state, &processes.event(process, act), &mut coin.clone()) {
                return Err(Unfit::Hidden.into());
            }
            processes.take(process, act, &mut coin, &mut sent);
            let ports = self.network.ports();
            if let Some((port, _)) = sent.messages.iter().find(|(port, _)| *port >= ports) {
                let last = ports - 1;
                let stray = format!("process {process} sends through port {port}, and has only ports 0 to {last}");
                return Err(Refusal::new(stray));
            }
            self.try_state(process, &processes.now().states[process])?;
        }
        Ok(())
    }

    fn try_state(&self, process: usize, state: &Words) -> Result<(), Refusal> {
        let written = checked_rank(self, state).err();
        written.map_or(Ok(()), |written| Err(Refusal::new(format!("process {process} writes {written}"))))
    }

    /// The names of the invariants of its proof, each with whether it names no process by its place.
    pub fn invariant_names(&self) -> Vec<(String, bool)> {
        self.shell.invariants()
    }

    /// The variables of a process.
    pub fn described(&self) -> Vec<Described> {
        described(self, &self.start(0)).into_iter().map(|(variable, _)| variable).collect()
    }

    /// Judges the invariants over states and messages that are numbered in this order.
    pub fn judge(&self, states: &[Words], messages: &[Words]) -> InvariantJudge<'_> {
        self.shell.judge(states, messages)
    }

    /// The processes at a clean start, to be run by the algorithm's own rules in its own states.
    pub fn processes(&self, channels: Channels) -> Box<dyn MessageProcesses + '_> {
        self.shell.processes(channels)
    }
}

/// A coin that shows one side after the other.
#[derive(Clone)]
struct Sides(u32);

impl Coin for Sides {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(1);
        self.0 % n.max(1)
    }
}

impl fmt::Debug for MessageInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageInstance").field("network", &self.network).finish()
    }
}

impl Variables for MessageInstance {
    type State = Words;
    fn variables(&self, state: &mut Words, visitor: &mut dyn Visitor) {
        self.shell.variables(state, visitor);
    }
}

impl Process for MessageInstance {
    type Message = Words;

    fn message_variables(&self, message: &mut Words, visitor: &mut dyn Visitor) {
        self.shell.message_variables(message, visitor);
    }

    fn start(&self, me: usize) -> Words {
        self.shell.start(me)
    }

    fn ready(&self, state: &Words, event: &Event<Words>) -> bool {
        self.shell.ready(state, event)
    }

    fn on(
        &self,
        me: usize,
        state: &mut Words,
        event: Event<Words>,
        out: &mut impl Outbox<Words>,
        coin: &mut impl Coin,
    ) {
        let sent = self.shell.on(me, state, event, coin);
        sent.messages.into_iter().for_each(|(port, message)| out.send(port, message));
        (0..sent.rounds).for_each(|_| out.round());
    }

    fn marks(&self, me: usize, state: &Words) -> Marks {
        self.shell.marks(me, state)
    }
}

impl Terminating for MessageInstance {
    fn network(&self) -> Network {
        self.network
    }

    fn channels(&self) -> Channels {
        self.channels
    }

    fn cut_off(&self, state: &Words) -> bool {
        self.shell.cut_off(state)
    }

    fn invariants(&self) -> Vec<Invariant<'_, Self>> {
        let invariant = |(index, (name, alike)): (usize, (String, bool))| {
            let holds = Invariant::new(name, move |now: &Snapshot<Words, Words>| {
                let mut numbers = 0..;
                let waiting = |channel: &Vec<Words>| numbers.by_ref().take(channel.len()).collect();
                let numbered = Snapshot {
                    network: now.network,
                    states: (0..now.states.len() as u32).collect(),
                    channels: now.channels.iter().map(waiting).collect(),
                };
                (self.judge(&now.states, &now.channels.concat()))(index, &numbered)
            });
            if alike { holds.alike() } else { holds }
        };
        self.shell.invariants().into_iter().enumerate().map(invariant).collect()
    }
}

//! The processes of a timed network and the messages between them, whatever the algorithm: the engines are compiled once, and
//! whole iterations are run in the algorithm's own states.

use crate::Generator;
use ringleader_model::{Event, Marks, Timed, Timing, Visitor, text};

/// A message that is somewhere, by its number.
pub(crate) type Handle = u32;

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parcel {
    pub(crate) to: u32,
    pub(crate) message: Handle,
    /// Which slot of the receiver's buffer it goes into.
    pub(crate) slot: usize,
}

/// What a receiver's buffer holds: from whom, in which slot, which message.
pub(crate) type Slots = Vec<((u32, usize), Handle)>;

/// Looping processes whose algorithm's type is forgotten. Whoever is given a message has to hand it over or to
/// [forget](Loops::forget) it.
pub(crate) trait Loops {
    /// How many there are.
    fn size(&self) -> usize;

    fn timing(&self) -> Timing;

    /// After how many iterations the last timer fires.
    fn timeout(&self) -> u64;

    /// One iteration: a step of its own accord if `steps`, what the buffer holds, which is emptied, then a tick. Adds what is
    /// sent.
    fn iterate(&mut self, me: usize, steps: bool, slots: &mut Slots, out: &mut Vec<Parcel>, coin: &mut Generator);

    /// A message to somebody that a visitor writes.
    fn write(&mut self, to: usize, visitor: &mut dyn Visitor) -> Parcel;

    /// The same message once more.
    fn copy(&mut self, message: Handle) -> Handle;

    /// Nobody has the message any more.
    fn forget(&mut self, message: Handle);

    /// Lets a visitor change a process's variables.
    fn visit(&mut self, me: usize, visitor: &mut dyn Visitor);

    /// Lets a visitor set all variables of a process, whatever they were.
    fn fill(&mut self, me: usize, visitor: &mut dyn Visitor);

    /// Whom a process takes for the leader.
    fn leader(&self, me: usize) -> usize;

    fn marks(&self, me: usize) -> Marks;

    /// A state as text.
    fn state(&self, me: usize) -> String;
}

/// The processes of an algorithm whose type is known.
pub(crate) struct Typed<'a, P: Timed> {
    algorithm: &'a P,
    states: Vec<P::State>,
    messages: Vec<P::Message>,
    /// Which messages are nobody's.
    free: Vec<Handle>,
    out: Vec<(usize, P::Message)>,
}

impl<'a, P: Timed> Typed<'a, P> {
    /// Processes in these states.
    pub(crate) fn new(algorithm: &'a P, states: Vec<P::State>) -> Self {
        assert_eq!(states.len(), algorithm.size(), "one state per process");
        Typed { algorithm, states, messages: vec![], free: vec![], out: vec![] }
    }

    /// Processes as they are after a clean start.
    pub(crate) fn started(algorithm: &'a P) -> Self {
        let mut states = Vec::with_capacity(algorithm.size());
        for me in 0..algorithm.size() {
            states.push(algorithm.start(me));
        }
        Typed::new(algorithm, states)
    }

    fn keep(&mut self, message: P::Message) -> Handle {
        match self.free.pop() {
            Some(handle) => {
                self.messages[handle as usize] = message;
                handle
            }
            None => {
                self.messages.push(message);
                self.messages.len() as Handle - 1
            }
        }
    }
}

impl<P: Timed> Loops for Typed<'_, P> {
    fn size(&self) -> usize {
        self.states.len()
    }

    fn timing(&self) -> Timing {
        self.algorithm.timing()
    }

    fn timeout(&self) -> u64 {
        self.algorithm.timeout()
    }

    fn iterate(&mut self, me: usize, steps: bool, slots: &mut Slots, out: &mut Vec<Parcel>, coin: &mut Generator) {
        let (state, mut sent) = (&mut self.states[me], std::mem::take(&mut self.out));
        let mut on = |event| self.algorithm.on(me, state, event, &mut sent, coin);
        if steps {
            on(Event::Step);
        }
        for ((from, _), message) in slots.drain(..) {
            self.free.push(message);
            let message = std::mem::take(&mut self.messages[message as usize]);
            on(Event::Message { from: from as usize, message });
        }
        on(Event::Tick);
        for (to, message) in sent.drain(..) {
            let slot = self.algorithm.slot(&message);
            out.push(Parcel { to: to as u32, message: self.keep(message), slot });
        }
        self.out = sent;
    }

    fn write(&mut self, to: usize, visitor: &mut dyn Visitor) -> Parcel {
        let mut message = P::Message::default();
        self.algorithm.message_variables(&mut message, visitor);
        let slot = self.algorithm.slot(&message);
        Parcel { to: to as u32, message: self.keep(message), slot }
    }

    fn copy(&mut self, message: Handle) -> Handle {
        let message = self.messages[message as usize].clone();
        self.keep(message)
    }

    fn forget(&mut self, message: Handle) {
        self.free.push(message);
    }

    fn visit(&mut self, me: usize, visitor: &mut dyn Visitor) {
        self.algorithm.variables(&mut self.states[me], visitor);
    }

    fn fill(&mut self, me: usize, visitor: &mut dyn Visitor) {
        self.states[me] = P::State::default();
        self.visit(me, visitor);
    }

    fn leader(&self, me: usize) -> usize {
        self.algorithm.leader(me, &self.states[me])
    }

    fn marks(&self, me: usize) -> Marks {
        self.algorithm.marks(me, &self.states[me])
    }

    fn state(&self, me: usize) -> String {
        text::print_state(self.algorithm, &self.states[me])
    }
}

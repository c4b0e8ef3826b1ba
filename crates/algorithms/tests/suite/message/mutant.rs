//! Broken variants: an algorithm with something changed before or after its rule.

use ringleader_model::{Channels, Coin, Event, Marks, Network, Outbox, Port, Process, Terminating, Variables, Visitor};
use ringleader_testkit::messages::Space;

type Before<P> = fn(&P, &mut <P as Variables>::State, &mut Event<<P as Process>::Message>);
type After<P> = fn(&P, &mut <P as Variables>::State, &mut Vec<(Port, <P as Process>::Message)>);

/// An algorithm with a mistake.
pub(crate) struct Mutant<P: Process> {
    algorithm: P,
    before: Before<P>,
    after: After<P>,
}

impl<P: Terminating> Mutant<P> {
    /// One that misreads what it receives.
    pub(crate) fn before(algorithm: P, before: Before<P>) -> Mutant<P> {
        Mutant { algorithm, before, after: |_, _, _| {} }
    }

    /// One that spoils its new state or what it sends.
    pub(crate) fn after(algorithm: P, after: After<P>) -> Mutant<P> {
        Mutant { algorithm, before: |_, _, _| {}, after }
    }

    /// What the explorer finds wrong with it.
    pub(crate) fn caught(&self) -> String {
        let space = Space::explore(self, self.channels(), 100_000).expect("a small mutant");
        space.check(self).expect_err("the mutant survives")
    }
}

impl<P: Process> Variables for Mutant<P> {
    type State = P::State;
    fn variables(&self, s: &mut P::State, v: &mut dyn Visitor) {
        self.algorithm.variables(s, v);
    }
}

impl<P: Process> Process for Mutant<P> {
    type Message = P::Message;

    fn message_variables(&self, message: &mut P::Message, v: &mut dyn Visitor) {
        self.algorithm.message_variables(message, v);
    }

    fn start(&self, me: usize) -> P::State {
        self.algorithm.start(me)
    }

    fn ready(&self, s: &P::State, event: &Event<P::Message>) -> bool {
        self.algorithm.ready(s, event)
    }

    fn on(
        &self,
        me: usize,
        s: &mut P::State,
        mut event: Event<P::Message>,
        out: &mut impl Outbox<P::Message>,
        coin: &mut impl Coin,
    ) {
        let mut sent = vec![];
        (self.before)(&self.algorithm, s, &mut event);
        self.algorithm.on(me, s, event, &mut sent, coin);
        (self.after)(&self.algorithm, s, &mut sent);
        sent.into_iter().for_each(|(port, message)| out.send(port, message));
    }

    fn marks(&self, me: usize, s: &P::State) -> Marks {
        self.algorithm.marks(me, s)
    }
}

impl<P: Terminating> Terminating for Mutant<P> {
    fn network(&self) -> Network {
        self.algorithm.network()
    }

    fn channels(&self) -> Channels {
        self.algorithm.channels()
    }

    fn cut_off(&self, s: &P::State) -> bool {
        self.algorithm.cut_off(s)
    }
}

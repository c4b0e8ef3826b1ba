//! What can be explored: every algorithm that passes messages and ends.

use ringleader_model::message_trace::{self, Act, Line, Taken};
use ringleader_model::{
    Channels, Described, Event, Network, ParseError, Snapshot, SnapshotOf, Terminating, described, text,
};

mod chart;
mod local;
mod run;

use local::Numbered;
pub use local::{Happening, Local, Outcome};
pub use run::{Received, Run, Step};

/// An algorithm whose type has been forgotten.
pub trait Model: Send + Sync {
    /// How its processes are connected.
    fn network(&self) -> Network;

    /// The weakest channels that its claim is about.
    fn channels(&self) -> Channels;

    /// The names of the invariants of its proof.
    fn invariants(&self) -> Vec<String>;

    /// The variables of a process.
    fn variables(&self) -> Vec<Described>;

    /// What its processes do, in numbers.
    fn local(&self) -> Box<dyn Local + '_>;

    /// Plays a run by the algorithm's own rules.
    fn play(&self, channels: Channels, lines: &[Line]) -> Result<Run, ParseError>;
}

impl<P: Terminating> Model for P {
    fn network(&self) -> Network {
        Terminating::network(self)
    }

    fn channels(&self) -> Channels {
        Terminating::channels(self)
    }

    fn invariants(&self) -> Vec<String> {
        Terminating::invariants(self).into_iter().map(|invariant| invariant.name.into_owned()).collect()
    }

    fn variables(&self) -> Vec<Described> {
        described(self, &self.start(0)).into_iter().map(|(variable, _)| variable).collect()
    }

    fn local(&self) -> Box<dyn Local + '_> {
        Box::new(Numbered::new(self))
    }

    fn play(&self, channels: Channels, lines: &[Line]) -> Result<Run, ParseError> {
        let network = Terminating::network(self);
        let mut now: SnapshotOf<P> = Snapshot {
            network,
            states: (0..network.size()).map(|me| self.start(me)).collect(),
            channels: vec![vec![]; network.size() * network.ports()],
        };
        let (start, mut steps) = (print(self, &now), vec![]);
        for line in lines {
            let Taken { event, sent } = message_trace::take(self, channels, &mut now, line)?;
            let received = match (event, line.act) {
                (Event::Message { message, .. }, Act::Receive { port, index }) => {
                    Some(Received { port, index, message: message.to_string() })
                }
                _ => None,
            };
            steps.push(Step {
                process: line.process,
                received,
                draws: line.coin.clone(),
                sent: sent.iter().map(|(port, message)| (*port, message.to_string())).collect(),
                after: text::print_state(self, &now.states[line.process]),
            });
        }
        let leads = |(me, state): (usize, &P::State)| self.marks(me, state).leader();
        let leaders = now.states.iter().enumerate().filter(|&pair| leads(pair)).count();
        Ok(Run { start, steps, end: print(self, &now), leaders, ended: !can_go_on(self, channels, &now) })
    }
}

/// Whether some process can take a step, or a message that it would be given.
fn can_go_on<P: Terminating>(algorithm: &P, channels: Channels, now: &SnapshotOf<P>) -> bool {
    let given = |process: usize, from: usize| {
        let waiting = now.channel(process, from);
        let next = if channels == Channels::Fifo { &waiting[..waiting.len().min(1)] } else { waiting };
        next.iter()
            .any(|message| algorithm.ready(&now.states[process], &Event::Message { from, message: message.clone() }))
    };
    (0..now.states.len()).any(|process| {
        algorithm.ready(&now.states[process], &Event::Step) || (0..now.network.ports()).any(|port| given(process, port))
    })
}

/// A snapshot as text.
fn print<P: Terminating>(algorithm: &P, now: &SnapshotOf<P>) -> Snapshot<String, String> {
    Snapshot {
        network: now.network,
        states: now.states.iter().map(|state| text::print_state(algorithm, state)).collect(),
        channels: now.channels.iter().map(|waiting| waiting.iter().map(ToString::to_string).collect()).collect(),
    }
}

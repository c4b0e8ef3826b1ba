//! What can be explored: every algorithm that passes messages and ends.

use ringleader_model::ensemble::Processes;
use ringleader_model::message_trace::Line;
use ringleader_model::{Channels, Described, Network, ParseError, Terminating, described};

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
        run::play(&mut Processes::new(self), channels, lines)
    }
}

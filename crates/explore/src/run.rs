//! How a state is reached: a shortest run, in the algorithm's own terms.

use crate::Space;
use crate::cell::Arc;
use ringleader_model::message_trace::{self, Act, Line, MessageTrace, Taken};
use ringleader_model::{Event, Odometer, ParseError, Port, Process, Snapshot, SnapshotOf, Terminating, Variables};

/// One step of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<S, M> {
    /// Who moves.
    pub process: usize,
    /// What it does or receives.
    pub event: Event<M>,
    /// Where the message lies in its channel, the oldest being 0.
    pub index: usize,
    /// The random draws, in order.
    pub draws: Vec<u32>,
    /// What it sends.
    pub sent: Vec<(Port, M)>,
    /// Its state afterwards.
    pub after: S,
}

/// A step of an algorithm.
pub type StepOf<P> = Step<<P as Variables>::State, <P as Process>::Message>;

/// A run from the clean start.
pub struct Run<P: Terminating> {
    /// Where it begins.
    pub start: SnapshotOf<P>,
    /// What happens.
    pub steps: Vec<StepOf<P>>,
    /// Where it ends; channels hold their messages oldest first, even if they are bags.
    pub end: SnapshotOf<P>,
}

impl<P: Terminating> Run<P> {
    /// The steps as lines of a trace.
    pub fn lines(&self) -> Vec<Line> {
        let line = |step: &StepOf<P>| {
            let act = match step.event {
                Event::Message { from, .. } => Act::Receive { port: from, index: step.index },
                Event::Step | Event::Tick => Act::Step,
            };
            Line { line: 0, process: step.process, act, coin: step.draws.clone() }
        };
        self.steps.iter().map(line).collect()
    }

    /// The run that a trace describes.
    pub fn replay(algorithm: &P, trace: &MessageTrace) -> Result<Run<P>, ParseError> {
        let network = algorithm.network();
        let start: SnapshotOf<P> = Snapshot {
            network,
            states: (0..network.size()).map(|me| algorithm.start(me)).collect(),
            channels: vec![vec![]; network.size() * network.ports()],
        };
        let mut run: Run<P> = Run { end: start.clone(), start, steps: vec![] };
        for line in &trace.steps {
            let Taken { event, sent } = message_trace::take(algorithm, trace.channels, &mut run.end, line)?;
            let index = if let Act::Receive { index, .. } = line.act { index } else { 0 };
            let after = run.end.states[line.process].clone();
            run.steps.push(Step { process: line.process, event, index, draws: line.coin.clone(), sent, after });
        }
        Ok(run)
    }
}

impl<P: Terminating> Space<'_, P> {
    /// A shortest run, among those the kept transitions make, to the state with this number or a rotation of it.
    pub fn run_to(&self, number: usize) -> Run<P> {
        let way = self.way_to(number);
        let start = self.start_snapshot();
        let mut run: Run<P> = Run { end: start.clone(), start, steps: vec![] };
        let mut now = self.system.start_again();
        now = self.settle(now, &mut run);
        for &kept in &way[1..] {
            let (process, arc) =
                self.arcs(now).find(|&(process, arc)| self.leads_to(now, process, arc, kept)).expect("kept");
            self.take(process, now, arc, &mut run);
            now = self.system.follow(now, process, arc).unwrap_or(now);
            now = self.settle(now, &mut run);
        }
        run
    }

    /// Kept states from the start to this one, each a successor of the one before.
    fn way_to(&self, number: usize) -> Vec<u128> {
        let mut way = vec![self.found.state(number)];
        for level in (0..self.found.depth_of(number)).rev() {
            let last = way[way.len() - 1];
            let candidates = self.found.level(level).map(|number| self.found.state(number));
            let before = candidates
                .into_iter()
                .find(|&state| self.arcs(state).any(|(process, arc)| self.leads_to(state, process, arc, last)));
            way.push(before.expect("every state but the start was reached from the level before"));
        }
        way.reverse();
        way
    }

    fn arcs(&self, state: u128) -> impl Iterator<Item = (u32, &Arc)> {
        let cells = self.system.layout.fields(state).zip(0..);
        cells.flat_map(|(cell, process)| {
            self.system.cells.arcs(cell).unwrap_or(&[]).iter().map(move |arc| (process, arc))
        })
    }

    fn leads_to(&self, state: u128, process: u32, arc: &Arc, kept: u128) -> bool {
        let target = self.system.follow(state, process, arc);
        target.and_then(|target| self.system.representative(target)).is_ok_and(|target| target == kept)
    }

    /// Takes the confluent transitions that the search took silently.
    fn settle(&self, state: u128, run: &mut Run<P>) -> u128 {
        if !self.options.confluence {
            return state;
        }
        let settled = self.system.settle(state, |now, process, arc| self.take(process, now, arc, run));
        settled.unwrap_or(state)
    }

    fn start_snapshot(&self) -> SnapshotOf<P> {
        self.system.snapshot(self.system.start_again())
    }

    /// Adds a transition to a run.
    fn take(&self, process: u32, state: u128, arc: &Arc, run: &mut Run<P>) {
        let cells = &self.system.cells;
        let cell = self.system.layout.field(state, process);
        let is_outcome = |&(number, _): &(u32, f64)| std::ptr::eq(cells.arc(number), arc);
        let choice = cells.choices(cell).iter().find(|choice| choice.outcomes.iter().any(is_outcome));
        let event = cells.event(choice.and_then(|choice| choice.event));
        let process = process as usize;
        let network = run.end.network;
        let mut index = 0;
        if let Event::Message { from, message } = &event {
            let waiting = &mut run.end.channels[network.channel(process, *from)];
            index = waiting.iter().position(|m| m == message).expect("a received message was sent");
            waiting.remove(index);
        }
        let (state, after) = (&run.end.states[process], cells.states.get(cells.cells.get(arc.next).state));
        let sends: Vec<(Port, P::Message)> =
            cells.sends(arc).iter().map(|&(port, m)| (port as Port, cells.messages.get(m).clone())).collect();
        let (draws, sent) = draws(cells.algorithm, process, state, &event, after, &sends);
        for (to, message) in &sent {
            let (receiver, port) = network.arrival(process, *to);
            run.end.channels[network.channel(receiver, port)].push(message.clone());
        }
        run.end.states[process] = after.clone();
        run.steps.push(Step { process, event, index, draws, sent, after: after.clone() });
    }
}

/// Draws that make a rule have this effect, and what is sent then, in order.
fn draws<P: Process>(
    algorithm: &P,
    me: usize,
    before: &P::State,
    event: &Event<P::Message>,
    after: &P::State,
    sends: &[(Port, P::Message)],
) -> (Vec<u32>, Vec<(Port, P::Message)>) {
    let mut found = None;
    let sorted = |sent: &[(Port, P::Message)]| {
        let mut sent = sent.to_vec();
        sent.sort();
        sent
    };
    let wanted = sorted(sends);
    Odometer::each(|coin| {
        let (mut state, mut sent) = (before.clone(), vec![]);
        algorithm.on(me, &mut state, event.clone(), &mut sent, coin);
        if found.is_none() && state == *after && sorted(&sent) == wanted {
            found = Some((coin.draws(), sent));
        }
    });
    found.expect("the effect was computed from the same rule")
}

//! Runs of processes that pass messages. The next event is a step of a process or the arrival of a message; the viewer may choose it.

use crate::Refused;
use crate::runs::setup::Subject;
use crate::runs::story::{Frame, Frames, Move, Range, Step, Story, Traffic, Waiting};
use ringleader_catalog::MessageInstance;
use ringleader_explore::{Local, Outcome};
use ringleader_model::{Channels, Coin as _, Marks, Network};
use ringleader_simulate::Generator;

/// The most steps of a run: an election takes some hundreds.
const MOST_STEPS: u64 = 100_000;

struct Run<'a> {
    local: Box<dyn Local + 'a>,
    network: Network,
    channels: Channels,
    states: Vec<u32>,
    /// By channel, the messages in transit, the oldest first.
    in_transit: Vec<Vec<Sent>>,
    coin: Generator,
    steps: u64,
    sent: u64,
    taken: Option<Step>,
    received: Option<Waiting>,
}

#[derive(Clone, Copy)]
struct Sent {
    message: u32,
    id: u64,
    from: usize,
    at: u64,
}

/// A step of a process, or the arrival of a message: its port and its place in the channel.
type Choice = (usize, Option<(usize, usize)>);

impl<'a> Run<'a> {
    fn new(algorithm: &'a dyn MessageInstance, channels: Channels, seed: u64) -> Run<'a> {
        let network = algorithm.subject().network();
        let mut local = algorithm.model().local();
        let states = (0..network.size()).map(|me| local.start(me)).collect();
        let in_transit = vec![vec![]; network.size() * network.ports()];
        let coin = Generator::new(seed);
        Run { local, network, channels, states, in_transit, coin, steps: 0, sent: 0, taken: None, received: None }
    }

    /// All possible next events, in the order of the simulator.
    fn choices(&self) -> Vec<Choice> {
        let mut choices = vec![];
        for process in 0..self.network.size() {
            if self.local.takes(self.states[process], None) {
                choices.push((process, None));
            }
            for port in 0..self.network.ports() {
                choices.extend(self.arrivals(process, port).map(|index| (process, Some((port, index)))));
            }
        }
        choices
    }

    fn arrivals(&self, process: usize, port: usize) -> impl Iterator<Item = usize> + '_ {
        let waiting = &self.in_transit[self.network.channel(process, port)];
        let within_reach = if self.channels == Channels::Fifo { waiting.len().min(1) } else { waiting.len() };
        (0..within_reach).filter(move |&index| {
            // Equal messages are one choice.
            let message = waiting[index].message;
            waiting[..index].iter().all(|other| other.message != message)
                && self.local.takes(self.states[process], Some((port, message)))
        })
    }

    /// A random outcome: the coins are tossed one after the other, as by the rule.
    fn toss(&mut self, outcomes: Vec<Outcome>) -> Option<Outcome> {
        let mut left = outcomes;
        let mut at = 0;
        while left.len() > 1 {
            let sides = left.iter().filter_map(|outcome| outcome.draws.get(at)).max().map_or(1, |most| most + 1);
            let side = self.coin.below(sides);
            left.retain(|outcome| outcome.draws.get(at).is_none_or(|&drawn| drawn == side));
            at += 1;
        }
        left.pop()
    }

    /// Takes a choice, with these outcomes of the coins if they are given.
    fn take(&mut self, (process, message): Choice, coin: Option<&[u32]>) -> Result<(), Refused> {
        let message = message.map(|(port, index)| (port, self.first_equal(process, port, index)));
        if !self.choices().contains(&(process, message)) {
            return Err(Refused::new(format!("process {process} cannot do this now")));
        }
        let arrived = message.map(|(port, index)| {
            let waiting = self.waiting_at(process, port, index);
            let sent = self.in_transit[self.network.channel(process, port)].remove(index);
            (waiting, (port, sent.message))
        });
        let event = arrived.as_ref().map(|(_, event)| *event);
        let outcomes = self.local.outcomes(process, self.states[process], event);
        let outcome = match coin {
            Some(draws) => outcomes.into_iter().find(|outcome| outcome.draws == draws),
            None => self.toss(outcomes),
        };
        let outcome = outcome.ok_or_else(|| Refused::new("the step has no outcome with these coins"))?;
        self.states[process] = outcome.state;
        self.steps += 1;
        for &(port, message) in &outcome.sent {
            let (receiver, at) = self.network.arrival(process, port);
            let sent = Sent { message, id: self.sent, from: process, at: self.steps };
            self.sent += 1;
            self.in_transit[self.network.channel(receiver, at)].push(sent);
        }
        let step = Move { processes: vec![process], message, coin: outcome.draws, ..Move::default() };
        self.taken = Some(Step { step, rules: vec![] });
        self.received = arrived.map(|(waiting, _)| waiting);
        Ok(())
    }

    /// Equal messages of a channel are one choice: the oldest.
    fn first_equal(&self, process: usize, port: usize, index: usize) -> usize {
        let waiting = self.in_transit.get(self.network.channel(process, port)).map_or(&[][..], |channel| &channel[..]);
        let Some(sent) = waiting.get(index) else { return index };
        waiting.iter().position(|other| other.message == sent.message).unwrap_or(index)
    }

    fn waiting_at(&self, to: usize, port: usize, index: usize) -> Waiting {
        let sent = self.in_transit[self.network.channel(to, port)][index];
        let (text, ready) = (self.local.print_message(sent.message), false);
        Waiting { id: sent.id, from: sent.from, to, port, index, text, ready, sent: sent.at }
    }

    fn frame(&self) -> Frame {
        let size = self.network.size();
        let marks: Vec<_> = (0..size).map(|me| self.local.marks(me, self.states[me])).collect();
        let leaders = marks.iter().filter(|m| m.leader()).count();
        let choices = self.choices();
        let mut waiting = vec![];
        for to in 0..size {
            for port in 0..self.network.ports() {
                for index in 0..self.in_transit[self.network.channel(to, port)].len() {
                    let ready = choices.contains(&(to, Some((port, index))));
                    waiting.push(Waiting { ready, ..self.waiting_at(to, port, index) });
                }
            }
        }
        let ready = choices.iter().filter(|(_, message)| message.is_none()).map(|(process, _)| *process).collect();
        let ended = choices.is_empty() && leaders == 1;
        Frame {
            step: self.steps,
            states: self.states.iter().map(|&state| state.into()).collect(),
            leaders,
            tokens: 0,
            marks: marks.into_iter().map(Marks::bits).collect(),
            correct: leaders == 1,
            safe: ended,
            taken: self.taken.clone(),
            edited: vec![],
            traffic: Some(Traffic { waiting, ready, received: self.received.clone() }),
        }
    }
}

/// The frames in a range. The run is short, and computed from its beginning every time.
pub(crate) fn frames(
    story: &Story,
    subject: &Subject,
    algorithm: &dyn MessageInstance,
    range: Range,
) -> Result<Frames, Refused> {
    let mut run = Run::new(algorithm, subject.channels, story.setup.seed);
    let every = range.every.max(1);
    let (mut told, mut acts, mut next) = (Frames::default(), story.acts.iter().peekable(), range.from);
    loop {
        if run.steps >= next {
            told.frames.push(run.frame());
            next = run.steps.saturating_add(every);
        }
        if run.steps >= range.to || run.steps >= MOST_STEPS {
            break;
        }
        let chosen = match acts.next_if(|act| act.at == run.steps) {
            Some(act) => match act.next.processes.as_slice() {
                [process] => Some((*process, act.next.message)),
                _ => return Err(Refused::new("the states of these processes cannot be edited: they start clean")),
            },
            None => {
                if let Some(step) = story.script.as_ref().and_then(|script| script.at(run.steps)) {
                    run.take((step.processes.first().copied().unwrap_or(0), step.message), Some(&step.coin))?;
                    continue;
                }
                let choices = run.choices();
                (!choices.is_empty()).then(|| choices[run.coin.below(choices.len() as u32) as usize])
            }
        };
        let Some(choice) = chosen else {
            told.stopped = Some(ending(&run));
            if told.frames.last().is_none_or(|last| last.step < run.steps) {
                told.frames.push(run.frame());
            }
            break;
        };
        run.take(choice, None)?;
    }
    for frame in &told.frames {
        for &state in &frame.states {
            told.texts.entry(state).or_insert_with(|| run.local.print_state(state as u32));
        }
    }
    Ok(told)
}

fn ending(run: &Run<'_>) -> String {
    let (leaders, steps) = (run.frame().leaders, run.steps);
    match leaders {
        1 => format!("Terminated after {steps} steps: no process can take another step, and there is one leader."),
        0 => format!("Stuck after {steps} steps: no process can take another step, and there is no leader."),
        _ => format!("Ended after {steps} steps with {leaders} leaders."),
    }
}

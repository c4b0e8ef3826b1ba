//! Runs of processes that pass messages. The next event is a step of a process or the arrival of a message; the viewer may choose it.

use crate::Refused;
use crate::runs::setup::Subject;
use crate::runs::story::{Frame, Frames, Move, Range, Story, StoryStep, Traffic, Waiting};
use ringleader_erased::MessageInstance;
use ringleader_model::ensemble::Sent;
use ringleader_model::message_trace::{self, Act, Line};
use ringleader_model::{Channels, Coin, Ensemble, Marks};
use ringleader_simulate::Generator;
use std::collections::HashMap;

/// The most steps of a run: an election takes some hundreds.
const MOST_STEPS: u64 = 100_000;

struct MessageTelling<'a> {
    now: Ensemble<'a, MessageInstance>,
    channels: Channels,
    /// By channel, the senders of its messages, the oldest first.
    in_transit: Vec<Vec<Sender>>,
    coin: Generator,
    steps: u64,
    sent: u64,
    taken: Option<StoryStep>,
    received: Option<Waiting>,
    /// The numbers of the states of the run so far, by their text. They do not depend on the frames that are asked for: a page keeps frames of
    /// several answers.
    numbers: HashMap<String, u64>,
}

#[derive(Clone, Copy)]
struct Sender {
    id: u64,
    from: usize,
    at: u64,
}

/// A generator whose draws are written down.
struct Recorded<'a> {
    coin: &'a mut Generator,
    draws: Vec<u32>,
}

impl Coin for Recorded<'_> {
    fn below(&mut self, n: u32) -> u32 {
        let side = self.coin.below(n);
        self.draws.push(side);
        side
    }
}

impl<'a> MessageTelling<'a> {
    fn new(algorithm: &'a MessageInstance, channels: Channels, seed: u64) -> MessageTelling<'a> {
        let now = Ensemble::new(algorithm);
        let in_transit = vec![vec![]; now.now().channels.len()];
        let (coin, numbers) = (Generator::new(seed), HashMap::new());
        let mut run =
            MessageTelling { now, channels, in_transit, coin, steps: 0, sent: 0, taken: None, received: None, numbers };
        for process in 0..run.now.network().size() {
            run.number(process);
        }
        run
    }

    /// Takes a choice, with these outcomes of the coins if they are given.
    fn take(&mut self, (process, act): (usize, Act), coin: Option<&[u32]>) -> Result<(), Refused> {
        let act = self.first_equal(process, act);
        if !self.now.all_choices(self.channels).contains(&(process, act)) {
            return Err(Refused::new(format!("process {process} cannot do this now")));
        }
        let network = self.now.network();
        self.received = None;
        if let Act::Receive { port, index } = act {
            self.received = Some(self.waiting_at(process, port, index));
            self.in_transit[network.channel(process, port)].remove(index);
        }
        let (mut ports, coin) = self.outcome(process, act, coin)?;
        ports.sort_unstable();
        self.steps += 1;
        for port in ports {
            let (receiver, at) = network.arrival(process, port);
            let sender = Sender { id: self.sent, from: process, at: self.steps };
            self.sent += 1;
            self.in_transit[network.channel(receiver, at)].push(sender);
        }
        self.number(process);
        let step = Move::of_line(Line { line: 0, process, act, coin });
        self.taken = Some(StoryStep { step, rules: vec![] });
        Ok(())
    }

    /// The ports through which a step sends, and the draws of its coins.
    fn outcome(&mut self, process: usize, act: Act, coin: Option<&[u32]>) -> Result<(Vec<usize>, Vec<u32>), Refused> {
        if let Some(draws) = coin {
            let line = Line { line: 0, process, act, coin: draws.to_vec() };
            let taken = message_trace::take(&mut self.now, self.channels, &line);
            let taken = taken.map_err(|_| Refused::new("the step has no outcome with these coins"))?;
            return Ok((taken.sent.into_iter().map(|(port, _)| port).collect(), line.coin));
        }
        let mut coin = Recorded { coin: &mut self.coin, draws: vec![] };
        let mut sent = Sent::default();
        self.now.take(process, act, &mut coin, &mut sent);
        Ok((sent.messages.iter().map(|(port, _)| *port).collect(), coin.draws))
    }

    /// Equal messages of a channel are one choice: the oldest.
    fn first_equal(&self, process: usize, act: Act) -> Act {
        let Act::Receive { port, index } = act else { return act };
        let channel = self.now.now().channels.get(self.now.network().channel(process, port));
        let first = channel.and_then(|waiting| {
            let message = waiting.get(index)?;
            waiting.iter().position(|other| other == message)
        });
        Act::Receive { port, index: first.unwrap_or(index) }
    }

    fn waiting_at(&self, to: usize, port: usize, index: usize) -> Waiting {
        let sender = self.in_transit[self.now.network().channel(to, port)][index];
        let (text, ready) = (self.now.message(to, port, index), false);
        Waiting { id: sender.id, from: sender.from, to, port, index, text, ready, sent: sender.at }
    }

    /// The number of a state in the frames.
    fn number(&mut self, process: usize) -> u64 {
        let next = self.numbers.len() as u64;
        *self.numbers.entry(self.now.state(process)).or_insert(next)
    }

    fn frame(&mut self) -> Frame {
        let (network, size) = (self.now.network(), self.now.network().size());
        let marks = self.now.marks();
        let leaders = marks.iter().filter(|m| m.leader()).count();
        let choices = self.now.all_choices(self.channels);
        let mut waiting = vec![];
        for to in 0..size {
            for port in 0..network.ports() {
                for index in 0..self.in_transit[network.channel(to, port)].len() {
                    let ready = choices.contains(&(to, Act::Receive { port, index }));
                    waiting.push(Waiting { ready, ..self.waiting_at(to, port, index) });
                }
            }
        }
        let ready = choices.iter().filter(|(_, act)| *act == Act::Step).map(|(process, _)| *process).collect();
        let ended = choices.is_empty() && leaders == 1;
        Frame {
            step: self.steps,
            states: (0..size).map(|process| self.number(process)).collect(),
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
    algorithm: &MessageInstance,
    range: Range,
) -> Result<Frames, Refused> {
    let mut run = MessageTelling::new(algorithm, subject.channels, story.setup.seed);
    let every = range.every.max(1);
    let (mut told, mut acts, mut next) = (Frames::default(), story.acts.iter().peekable(), range.from);
    loop {
        if run.steps >= next {
            told.frames.push(run.frame());
            next = run.steps.saturating_add(every);
        }
        if run.steps >= MOST_STEPS {
            told.stopped = Some(format!("The lab follows a run of messages for {MOST_STEPS} steps."));
        }
        if run.steps >= range.to || told.stopped.is_some() {
            break;
        }
        let chosen = match acts.next_if(|act| act.at == run.steps) {
            Some(act) => match act.next.processes.as_slice() {
                [process] => Some((*process, act.next.event())),
                _ => return Err(Refused::new("the states of these processes cannot be edited: they start clean")),
            },
            None => {
                if let Some(step) = story.script.as_ref().and_then(|script| script.at(run.steps)) {
                    run.take((step.processes.first().copied().unwrap_or(0), step.event()), Some(&step.coin))?;
                    continue;
                }
                let choices = run.now.all_choices(run.channels);
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
    told.so_far = run.steps;
    told.texts = run.numbers.into_iter().map(|(text, number)| (number, text)).collect();
    Ok(told)
}

fn ending(run: &MessageTelling<'_>) -> String {
    let leaders = run.now.marks().iter().filter(|marks| marks.leader()).count();
    let steps = run.steps;
    match leaders {
        _ if run.now.cut_off() => {
            format!(
                "Cut off after {steps} steps: a process has reached the bound of a parameter. It could go on without the bound."
            )
        }
        1 => format!("Terminated after {steps} steps: no process can take another step, and there is one leader."),
        0 => format!("Stuck after {steps} steps: no process can take another step, and there is no leader."),
        _ => format!("Ended after {steps} steps with {leaders} leaders."),
    }
}

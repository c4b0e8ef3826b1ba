//! The obvious explorer: every schedule and every outcome of every coin, snapshot by snapshot, in a hash map.

use ringleader_model::{Channels, Event, Odometer, Port, Process, Snapshot, SnapshotOf, Terminating};
use std::collections::{BTreeSet, HashMap};

/// Who did what: the scheduler's choice.
pub type Label<P> = (usize, Event<<P as Process>::Message>);

/// The reachable snapshots of an algorithm and the steps between them; the first is the start.
pub struct Space<P: Terminating> {
    /// The snapshots.
    pub snapshots: Vec<SnapshotOf<P>>,
    /// The steps from each: who did what, and where it leads.
    pub steps: Vec<Vec<(Label<P>, usize)>>,
    /// How each snapshot was first reached.
    parents: Vec<Option<(usize, Label<P>)>>,
}

impl<P: Terminating> Space<P> {
    /// Explores breadth first; `None` if there are more than `limit` snapshots.
    pub fn explore(algorithm: &P, channels: Channels, limit: usize) -> Option<Space<P>> {
        let first = start(algorithm);
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let mut space = Space { snapshots: vec![first], steps: vec![], parents: vec![None] };
        while space.steps.len() < space.snapshots.len() {
            let from = space.steps.len();
            let now = space.snapshots[from].clone();
            let mut steps = vec![];
            for label in choices(algorithm, channels, &now) {
                let mut targets = vec![];
                for next in outcomes(algorithm, channels, &now, &label) {
                    let fresh = space.snapshots.len();
                    let number = *numbers.entry(next.clone()).or_insert(fresh);
                    if number == fresh {
                        if fresh == limit {
                            return None;
                        }
                        space.snapshots.push(next);
                        space.parents.push(Some((from, label.clone())));
                    }
                    targets.push(number);
                }
                // Different outcomes may lead to the same snapshot: that is one transition.
                let targets: BTreeSet<usize> = targets.into_iter().collect();
                steps.extend(targets.into_iter().map(|target| (label.clone(), target)));
            }
            space.steps.push(steps);
        }
        Some(space)
    }

    /// How many snapshots and how many distinct (label, target) pairs there are.
    pub fn counts(&self) -> (usize, usize) {
        (self.snapshots.len(), self.steps.iter().map(Vec::len).sum())
    }

    /// The snapshots where nothing is enabled.
    pub fn terminated(&self) -> impl Iterator<Item = usize> {
        (0..self.snapshots.len()).filter(|&i| self.steps[i].is_empty())
    }

    /// Whether from everything reachable some terminated snapshot is reachable: then a run under a scheduler that
    /// leaves no enabled choice out for ever terminates with probability 1.
    pub fn always_can_terminate(&self) -> bool {
        let mut backwards = vec![vec![]; self.snapshots.len()];
        for (from, steps) in self.steps.iter().enumerate() {
            steps.iter().for_each(|&(_, to)| backwards[to].push(from));
        }
        let mut seen = vec![false; self.snapshots.len()];
        let mut todo: Vec<usize> = self.terminated().collect();
        while let Some(i) = todo.pop() {
            if !std::mem::replace(&mut seen[i], true) {
                todo.extend(&backwards[i]);
            }
        }
        seen.into_iter().all(|s| s)
    }

    /// A shortest run to a snapshot, in words.
    pub fn path(&self, mut to: usize) -> String {
        let mut path = vec![];
        while let Some((from, (process, event))) = &self.parents[to] {
            path.push(match event {
                Event::Message { message, .. } => format!("{process} takes {message:?}"),
                _ => format!("{process} steps"),
            });
            to = *from;
        }
        path.reverse();
        path.join(", ")
    }

    /// What there is to show of an election: its invariants everywhere, never two leaders, exactly one at every end, and
    /// an end in reach from everywhere. Says what fails first.
    pub fn check(&self, algorithm: &P) -> Result<(), String> {
        let invariants = algorithm.invariants();
        for (i, now) in self.snapshots.iter().enumerate() {
            if let Some(broken) = invariants.iter().find(|invariant| !(invariant.holds)(now)) {
                return Err(format!("{} does not hold after {}", broken.name, self.path(i)));
            }
            let ended = self.steps[i].is_empty() && !now.states.iter().any(|s| algorithm.cut_off(s));
            match leaders(algorithm, now).len() {
                0 if ended => return Err(format!("no leader at the end of {}", self.path(i))),
                0 | 1 => {}
                _ => return Err(format!("two leaders after {}", self.path(i))),
            }
        }
        if self.always_can_terminate() { Ok(()) } else { Err("no end is in reach from some snapshot".into()) }
    }
}

/// The clean start.
pub fn start<P: Terminating>(algorithm: &P) -> SnapshotOf<P> {
    let network = algorithm.network();
    Snapshot {
        network,
        states: (0..network.size()).map(|me| algorithm.start(me)).collect(),
        channels: vec![vec![]; network.size() * network.ports()],
    }
}

/// What the scheduler may choose now, equal messages of a bag counted once.
pub fn choices<P: Terminating>(algorithm: &P, channels: Channels, now: &SnapshotOf<P>) -> Vec<Label<P>> {
    let mut labels = vec![];
    for (process, state) in now.states.iter().enumerate() {
        let ports = 0..now.network.ports();
        let received = ports.flat_map(|from| {
            let waiting = now.channel(process, from);
            let within_reach = if channels == Channels::Fifo { waiting.len().min(1) } else { waiting.len() };
            waiting[..within_reach].iter().map(move |m| Event::Message { from, message: m.clone() })
        });
        for event in std::iter::once(Event::Step).chain(received) {
            if algorithm.ready(state, &event) && !labels.contains(&(process, event.clone())) {
                labels.push((process, event));
            }
        }
    }
    labels
}

/// Where a choice may lead: one snapshot per outcome of the coins. Bags are kept sorted, so that equal ones are equal.
pub fn outcomes<P: Terminating>(
    algorithm: &P,
    channels: Channels,
    now: &SnapshotOf<P>,
    (process, event): &Label<P>,
) -> Vec<SnapshotOf<P>> {
    let mut results = vec![];
    Odometer::each(|coin| {
        let mut next = now.clone();
        if let Event::Message { from, message } = event {
            let channel = &mut next.channels[now.network.channel(*process, *from)];
            let index = channel.iter().position(|m| m == message).expect("only what is under way is received");
            channel.remove(index);
        }
        let mut sent: Vec<(Port, P::Message)> = vec![];
        algorithm.on(*process, &mut next.states[*process], event.clone(), &mut sent, coin);
        for (to, message) in sent {
            let (receiver, port) = now.network.arrival(*process, to);
            let channel = &mut next.channels[now.network.channel(receiver, port)];
            channel.push(message);
            if channels == Channels::Bag {
                channel.sort();
            }
        }
        results.push(next);
    });
    results
}

/// The processes that output that they are the leader.
pub fn leaders<P: Terminating>(algorithm: &P, now: &SnapshotOf<P>) -> Vec<usize> {
    (0..now.states.len()).filter(|&me| algorithm.marks(me, &now.states[me]).leader()).collect()
}

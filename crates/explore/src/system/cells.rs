//! A process with its inboxes, and what it can do: the local half of the transition relation, computed once per cell.
//!
//! A *cell* is a local state together with the messages that wait at each port. A global state is then nothing but one cell
//! per process, and a transition replaces the cell of the process that moves and those of the processes it sends to. Cells
//! are numbered when first met and their moves kept in tables, so the rules of the algorithm run once per cell and the
//! search works on small integers.

use super::confluence::{Role, judge};
use super::rules::{Happening, Reaction, Rules, Surprise};
use crate::interner::Interner;
use crate::{Action, Options, Visible};
use ringleader_erased::MessageInstance;
use ringleader_model::Channels;
use std::collections::HashMap;

/// Something that the tables do not know yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Missing {
    /// What a cell can do.
    Moves(u32),
    /// What becomes of a cell when a message arrives through a port.
    Arrival(u32, u32, u32),
}

/// One process and what waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    /// Whose cell it is; 0 for all if the algorithm is anonymous.
    pub(crate) owner: u32,
    /// The number of its local state.
    pub(crate) state: u32,
    /// The numbers of the messages waiting at each port: oldest first, or sorted in a bag.
    pub(crate) inbox: Box<[Box<[u32]>]>,
}

/// A transition of one process, seen from its cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    pub(crate) next: u32,
    pub(crate) sends: (u32, u32),
    pub(crate) action: Action,
}

/// What the scheduler may decide for a cell: the distribution over its arcs.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// What happens to the process.
    pub(crate) event: Happening,
    /// Arc and probability.
    pub(crate) outcomes: Vec<(u32, f64)>,
}

/// What makes an arc.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) event: Happening,
    pub(crate) draws: Vec<u32>,
}

/// The tables. They grow as the search meets new cells.
pub(crate) struct Cells<'a> {
    pub(crate) rules: Rules<'a>,
    /// How many bytes the tables may take.
    memory: u64,
    pub(crate) cells: Interner<Cell>,
    arcs: Vec<Arc>,
    origins: Vec<Origin>,
    arcs_of: Vec<Option<(u32, u32)>>,
    choices_of: Vec<Vec<Choice>>,
    sends: Vec<(u32, u32)>,
    arrivals: Vec<u32>,
    message_capacity: usize,
    /// How many messages wait at one port at most.
    longest: usize,
    leaders: Vec<bool>,
    cut_off: Vec<bool>,
    /// The visible actions, if confluent transitions are to be recognized.
    confluent_but: Option<Visible>,
    roles: Vec<Role>,
}

const UNKNOWN: u32 = u32::MAX;

/// What single processes can do takes a small part of the memory wherever there is an end to it: where it does not, it is as
/// well known at once as when all memory is full.
fn most_for_tables(memory: u64) -> u64 {
    (memory / 16).max(256 << 20).min(memory)
}

impl<'a> Cells<'a> {
    pub(crate) fn new(algorithm: &'a MessageInstance, options: &Options) -> Self {
        Cells {
            rules: Rules::new(algorithm, options.channels),
            memory: most_for_tables(options.memory),
            cells: Interner::new(),
            arcs: vec![],
            origins: vec![],
            arcs_of: vec![],
            choices_of: vec![],
            sends: vec![],
            arrivals: vec![],
            message_capacity: 8,
            longest: 0,
            leaders: vec![],
            cut_off: vec![],
            confluent_but: options.confluence.then_some(options.visible),
            roles: vec![],
        }
    }

    /// The cell of a process that has not begun.
    pub(crate) fn start(&mut self, me: usize) -> u32 {
        let state = self.rules.start(me);
        let inbox = vec![Box::default(); self.rules.ports].into();
        let owner = if self.rules.anonymous { 0 } else { me as u32 };
        self.cell(Cell { owner, state, inbox })
    }

    /// How many cells there are.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// How many messages wait in the fullest channel, if they are more than two for every process.
    pub(crate) fn crowd(&self) -> Option<usize> {
        Some(self.longest).filter(|longest| *longest > 2 * self.rules.size)
    }

    /// What they may take up.
    pub(crate) fn allowed(&self) -> u64 {
        self.memory
    }

    /// What the tables take up, roughly.
    pub(crate) fn bytes(&self) -> u64 {
        (self.arrivals.len() * 4 + self.arcs.len() * 100 + self.cells.len() * 400) as u64
    }

    /// The transitions of a cell, no two alike, if they are known.
    #[inline]
    pub(crate) fn arcs(&self, cell: u32) -> Option<&[Arc]> {
        self.arcs_of[cell as usize].map(|(from, to)| &self.arcs[from as usize..to as usize])
    }

    /// The transition with this number.
    pub(crate) fn arc(&self, number: u32) -> &Arc {
        &self.arcs[number as usize]
    }

    /// What the scheduler may decide for a cell whose arcs are known.
    pub(crate) fn choices(&self, cell: u32) -> &[Choice] {
        &self.choices_of[cell as usize]
    }

    /// What is sent in a transition: port and message.
    #[inline]
    pub(crate) fn sends(&self, arc: &Arc) -> &[(u32, u32)] {
        &self.sends[arc.sends.0 as usize..arc.sends.1 as usize]
    }

    /// The cell after a message has arrived, if it is known.
    #[inline]
    pub(crate) fn arrival(&self, cell: u32, port: u32, message: u32) -> Option<u32> {
        let next = self.arrivals[self.arrival_slot(cell, port, message)];
        (next != UNKNOWN).then_some(next)
    }

    #[inline]
    fn arrival_slot(&self, cell: u32, port: u32, message: u32) -> usize {
        (cell as usize * self.rules.ports + port as usize) * self.message_capacity + message as usize
    }

    /// Whether the process of a cell is a leader.
    #[inline]
    pub(crate) fn leads(&self, cell: u32) -> bool {
        self.leaders[cell as usize]
    }

    /// Whether the process of a cell was followed no further.
    pub(crate) fn cut_off(&self, cell: u32) -> bool {
        self.cut_off[cell as usize]
    }

    /// What makes one of a cell's arcs.
    pub(crate) fn origin(&self, cell: u32, arc: &Arc) -> &Origin {
        let (from, to) = self.arcs_of[cell as usize].unwrap_or_default();
        let place = self.arcs[from as usize..to as usize].iter().position(|other| std::ptr::eq(other, arc));
        &self.origins[from as usize + place.expect("it is the cell's arc")]
    }

    /// The role of a cell's process.
    #[inline]
    pub(crate) fn role(&self, cell: u32) -> Role {
        self.roles[cell as usize]
    }

    /// Fills gaps of the tables. Fails if what was believed turns out to be wrong.
    pub(crate) fn learn(&mut self, gaps: &[Missing]) -> Result<(), Surprise> {
        let messages = self.rules.sent.len();
        for &gap in gaps {
            self.learn_one(gap)?;
        }
        let Some(visible) = self.confluent_but else { return Ok(()) };
        // New messages may disprove roles; new cells have none yet.
        let mut judged: HashMap<(u32, u32), Role> = HashMap::new();
        let from = if self.rules.sent.len() > messages { 0 } else { self.roles.len() };
        for number in from..self.cells.len() {
            let Cell { owner, state, .. } = *self.cells.get(number as u32);
            let role = match judged.get(&(owner, state)) {
                Some(&role) => role,
                None => judge(&mut self.rules, owner, state, visible)?,
            };
            judged.insert((owner, state), role);
            match self.roles.get(number) {
                None => self.roles.push(role),
                Some(&old) if old == role => {}
                Some(_) => return Err(Surprise::NewRoles),
            }
        }
        Ok(())
    }

    /// Forgets all roles: they are to be judged again with the messages known by now.
    pub(crate) fn forget_roles(&mut self) {
        self.roles.clear();
    }

    fn learn_one(&mut self, missing: Missing) -> Result<(), Surprise> {
        match missing {
            Missing::Moves(cell) if self.arcs_of[cell as usize].is_none() => self.learn_moves(cell),
            Missing::Arrival(cell, port, message) if self.arrival(cell, port, message).is_none() => {
                let mut target = self.cells.get(cell).clone();
                let inbox = &mut target.inbox[port as usize];
                let mut waiting = inbox.to_vec();
                let place = match self.rules.channels {
                    Channels::Bag => waiting.partition_point(|&m| m <= message),
                    Channels::Fifo => waiting.len(),
                };
                waiting.insert(place, message);
                *inbox = waiting.into();
                let next = self.cell(target);
                let slot = self.arrival_slot(cell, port, message);
                self.arrivals[slot] = next;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn cell(&mut self, cell: Cell) -> u32 {
        let known = self.cells.len();
        let (owner, state) = (cell.owner, cell.state);
        let longest = cell.inbox.iter().map(|waiting| waiting.len()).max().unwrap_or_default();
        let number = self.cells.number(cell);
        if self.cells.len() > known {
            self.longest = self.longest.max(longest);
            self.leaders.push(self.rules.marks(owner as usize, state).leader());
            self.cut_off.push(self.rules.cut_off(state));
            self.arcs_of.push(None);
            self.choices_of.push(vec![]);
            self.arrivals.resize(self.cells.len() * self.rules.ports * self.message_capacity, UNKNOWN);
        }
        number
    }

    /// Makes room in the tables for a message.
    fn admit(&mut self, message: u32) -> Result<(), Surprise> {
        if !self.rules.sent.contains(&message) {
            self.rules.sent.push(message);
        }
        while message as usize >= self.message_capacity {
            // There are as many rows as cells: an algorithm that numbers its messages without end is stopped here.
            if 3 * 4 * self.arrivals.len() as u64 > self.memory {
                return Err(Surprise::NoRoom);
            }
            let old = self.message_capacity;
            self.message_capacity *= 2;
            let mut wider = vec![UNKNOWN; self.cells.len() * self.rules.ports * self.message_capacity];
            for (row, values) in self.arrivals.chunks_exact(old).enumerate() {
                wider[row * 2 * old..][..old].copy_from_slice(values);
            }
            self.arrivals = wider;
        }
        Ok(())
    }

    fn learn_moves(&mut self, number: u32) -> Result<(), Surprise> {
        let cell = self.cells.get(number).clone();
        if let Some(written) = self.rules.outside(cell.state) {
            return Err(Surprise::OutOfDomain(written));
        }
        let from = self.arcs.len() as u32;
        let mut events = vec![None];
        for (port, waiting) in cell.inbox.iter().enumerate() {
            let within_reach = match self.rules.channels {
                Channels::Bag => &waiting[..],
                Channels::Fifo => &waiting[..waiting.len().min(1)],
            };
            // Equal messages in a bag are one choice.
            let distinct = within_reach.iter().enumerate().filter(|&(i, m)| !within_reach[..i].contains(m));
            let mut distinct: Vec<u32> = distinct.map(|(_, &m)| m).collect();
            // Which message has which number depends on what was met first; what is done first must not.
            distinct.sort_by_key(|&m| self.rules.print_message(m));
            events.extend(distinct.into_iter().map(|m| Some((port, m))));
        }
        let mut choices = vec![];
        for event in events {
            let outcomes = self.rules.outcomes(cell.owner, cell.state, event)?;
            if outcomes.is_empty() {
                continue;
            }
            let mut choice = Choice { event, outcomes: vec![] };
            for outcome in &*outcomes {
                let odds = 1.0 / outcome.odds as f64;
                let arc = self.add_arc(&cell, event, outcome, from)?;
                match choice.outcomes.iter_mut().find(|(a, _)| *a == arc) {
                    Some((_, p)) => *p += odds,
                    None => choice.outcomes.push((arc, odds)),
                }
            }
            choices.push(choice);
        }
        self.arcs_of[number as usize] = Some((from, self.arcs.len() as u32));
        self.choices_of[number as usize] = choices;
        Ok(())
    }

    /// The number of the arc with this effect, a new one unless it is there since `from`.
    fn add_arc(&mut self, cell: &Cell, event: Happening, outcome: &Reaction, from: u32) -> Result<u32, Surprise> {
        if let Some(&(port, _)) = outcome.sent.iter().find(|(port, _)| *port >= self.rules.ports) {
            return Err(Surprise::NoPort(port));
        }
        let action = self.rules.action(cell.owner, cell.state, outcome.state);
        let mut next = cell.clone();
        next.state = outcome.state;
        if let Some((port, message)) = event {
            let mut waiting = next.inbox[port].to_vec();
            let place = waiting.iter().position(|&m| m == message).unwrap_or_default();
            waiting.remove(place);
            next.inbox[port] = waiting.into();
        }
        let next = self.cell(next);
        let sent: Vec<(u32, u32)> = outcome.sent.iter().map(|&(port, message)| (port as u32, message)).collect();
        sent.iter().try_for_each(|&(_, message)| self.admit(message))?;
        // In bags the order of sending is lost.
        let effect = |sent: &[(u32, u32)]| {
            let mut sent = sent.to_vec();
            if self.rules.channels == Channels::Bag {
                sent.sort_unstable();
            }
            sent
        };
        let wanted = effect(&sent);
        let same = |arc: &Arc| arc.next == next && arc.action == action && effect(self.sends(arc)) == wanted;
        if let Some(place) = self.arcs[from as usize..].iter().position(same) {
            return Ok(from + place as u32);
        }
        let first = self.sends.len() as u32;
        self.sends.extend(sent);
        self.arcs.push(Arc { next, sends: (first, self.sends.len() as u32), action });
        self.origins.push(Origin { event, draws: outcome.draws.clone() });
        Ok(self.arcs.len() as u32 - 1)
    }
}
